/** `check`: a run against the limits that it must keep, with reports for CI systems. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { version } from "../../../package.json";
import { readMoments } from "../../board/node/readMoments.ts";
import type { Comparison } from "../../compare/model.ts";
import { compareFolders } from "../../compare/node/compareFolders.ts";
import { judge } from "../../gate/judge.ts";
import type { GateReport } from "../../gate/model.ts";
import { codeQualityReport } from "../../gate/reports/codeQuality.ts";
import { githubAnnotations } from "../../gate/reports/github.ts";
import { jsonReport } from "../../gate/reports/json.ts";
import { junitReport } from "../../gate/reports/junit.ts";
import { markdownReport } from "../../gate/reports/markdown.ts";
import { type Problem, problemsOf } from "../../gate/reports/problems.ts";
import { sarifReport } from "../../gate/reports/sarif.ts";
import { textReport } from "../../gate/reports/text.ts";
import { defined } from "../../profile/defined.ts";
import { makeFolder } from "../../profile/files/makeFolder.ts";
import { openRunFolder } from "../../profile/run/runFolder.ts";
import { projectOfRun } from "../../profile/run/runsFolder.ts";
import { sourceLines } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { findSide, withRepeats } from "../compare/diffSides.ts";
import { findRun } from "../runs/runLookup.ts";
import { jsonText, type Output } from "../terminal/output.ts";
import type { CheckCommand, ReportFile } from "./checkCommandLine.ts";
import { folderInRepository } from "./checkPlaces.ts";

/** Beside the statuses of every command: a limit is broken, and what is checked could not be judged. */
const STATUS: Readonly<Record<GateReport["verdict"], number>> = { kept: 0, broken: 1, unknown: 2 };

export interface CheckAround {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * @returns the exit status
 * @throws UserError
 */
export async function check(command: CheckCommand, { stdout, stderr, env }: CheckAround): Promise<number> {
  const lookIn = path.resolve(command.project ?? ".");
  const folder = await findRun(command.run, lookIn);
  const project = command.project === undefined ? (projectOfRun(folder) ?? lookIn) : lookIn;
  const report = await judged(command, folder, lookIn);
  stdout.write(command.json ? jsonText(jsonReport(report)) : textReport(report));

  const inRepository = await folderInRepository(project, env);
  const problems = problemsOf(report, inRepository);
  if (command.annotations === "github" || (command.annotations === "auto" && env["GITHUB_ACTIONS"] === "true")) {
    // GitHub reads both streams, and standard output may hold JSON.
    stderr.write(githubAnnotations(problems));
    const summary = env["GITHUB_STEP_SUMMARY"] ?? "";
    if (summary !== "") await write(summary, () => fs.appendFile(summary, markdownReport(report)));
  }
  for (const { format, path: file } of command.reports) {
    await write(file, async () => {
      await makeFolder(path.dirname(path.resolve(file)));
      await fs.writeFile(file, reportText(format, report, problems, inRepository));
    });
  }
  return STATUS[report.verdict];
}

async function judged(command: CheckCommand, folder: string, lookIn: string): Promise<GateReport> {
  const reader = openRunFolder(folder);
  await reader.refresh();
  const profile = reader.profile();
  const comparison = await comparisonOf(command, folder, lookIn);
  const texts = new Map<string, readonly string[]>();
  for (const { path: name } of profile.files) {
    const text = await reader.source(name);
    if (text !== undefined) texts.set(name, sourceLines(text));
  }
  const figures = {
    profile,
    rssPeak: reader.rssPeak(),
    samples: reader.samples(),
    moments: await readMoments(folder),
  };
  const textOf = (name: string, line: number) => texts.get(name)?.[line - 1];
  return judge(command.checks, { folder, figures, textOf, ...defined({ comparison }) }, command.strict);
}

async function comparisonOf(
  { baselines, metric }: CheckCommand,
  folder: string,
  lookIn: string,
): Promise<Comparison | undefined> {
  if (baselines.length === 0) return undefined;
  const before = (await Promise.all(baselines.map((text) => findSide(text, lookIn, true)))).flat();
  const after = await withRepeats(folder);
  const real = (folders: readonly string[]) => Promise.all(folders.map((one) => fs.realpath(one).catch(() => one)));
  const judgedOnes = await real(after);
  if ((await real(before)).some((one) => judgedOnes.includes(one))) {
    throw new UserError(
      "usage",
      t("The baseline is the run itself, or a repeat of it: there is nothing to compare."),
      t('Give another run as --baseline; "jetson-memprof runs" lists them.'),
    );
  }
  return await compareFolders({ before: [...new Set(before)], after }, metric);
}

function reportText(format: ReportFile, report: GateReport, problems: readonly Problem[], folder: string): string {
  switch (format) {
    case "junit":
      return junitReport(report, folder);
    case "sarif":
      return jsonText(sarifReport(report, problems, version));
    case "code-quality":
      return jsonText(codeQualityReport(problems));
  }
}

/** @throws UserError `report-not-written` */
async function write(file: string, writing: () => Promise<void>): Promise<void> {
  try {
    await writing();
  } catch (error) {
    throw new UserError(
      "report-not-written",
      t("The report {0} could not be written: {1}", file, (error as Error).message),
      t("The run was judged anyway; its result stands above. Give a place where you may write."),
      { cause: error },
    );
  }
}
