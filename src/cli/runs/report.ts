/** A run printed: its circumstances and every measured file with its figures. */
import { heapJson } from "../../formats/exports/heapJson.ts";
import { readGpuOf, readHeaps } from "../../formats/exports/readRun.ts";
import { defined } from "../../profile/defined.ts";
import { exportJson } from "../../profile/formats/exportJson.ts";
import { memoryProfilerReport } from "../../profile/formats/memoryProfilerReport.ts";
import { gpuJson } from "../../profile/gpu/gpuJson.ts";
import { annotate, colored, legendOf, markedBy, type Paint, plain } from "../../profile/lines/annotate.ts";
import { columnsOfRun, type MetricChoice } from "../../profile/lines/columns.ts";
import { byMetric, metricOf } from "../../profile/lines/metric.ts";
import { fileWeight, wholeOf } from "../../profile/lines/totals.ts";
import type { FileProfile, Profile } from "../../profile/model.ts";
import { type RankView, ranksOf, seenBy, TOGETHER } from "../../profile/ranks/ranks.ts";
import { hasNativeStacks } from "../../profile/run/nativeStacks.ts";
import { originName } from "../../profile/run/origin.ts";
import { processName } from "../../profile/run/processName.ts";
import type { RunReader } from "../../profile/run/runFolder.ts";
import { peakText, runTitle } from "../../profile/run/runJson.ts";
import { profileSince } from "../../profile/run/sinceMoment.ts";
import { engineText } from "../../profile/text/engineText.ts";
import { exitText } from "../../profile/text/exitText.ts";
import { formatBytes, formatDuration } from "../../profile/text/format.ts";
import type { Moment } from "../../profile/text/moment.ts";
import { printable, sourceLines } from "../../profile/text/text.ts";
import { phaseCosts } from "../../profile/torch/phases.ts";
import { UserError } from "../../profile/userError.ts";
import { fromHelper } from "../../words/fromHelper.ts";
import { t } from "../../words/t.ts";
import type { ReportFormat } from "../commandLine/commandLine.ts";
import { atPeakTables } from "../massif/atPeak.ts";
import { gpuTables } from "../massif/gpuTables.ts";
import { jsonText, type Output, showsColors } from "../terminal/output.ts";
import { heaviestTable } from "./heaviestTable.ts";
import { momentOf } from "./moment.ts";
import { phasesTable } from "./phasesTable.ts";
import { ranksTable } from "./ranksTable.ts";

export interface ReportOptions {
  readonly format: ReportFormat;
  /** Only this file, by its path in the project. */
  readonly file?: string;
  /** Of a table. */
  readonly metric: MetricChoice;
  /** Of which ranks its lines are; of all together where absent. */
  readonly ranks?: RankView;
  /** Only so many lines, those that took the most themselves. */
  readonly top?: number;
  /** Only what was taken since this moment of the run. */
  readonly since?: Moment;
}

/**
 * Prints a run that has been read.
 * @throws UserError `no-such-file`, `no-lines`
 */
export async function printReport(
  reader: RunReader,
  options: ReportOptions,
  output: Output,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const { ranks = TOGETHER } = options;
  const from = options.since && momentOf(options.since, reader);
  const whole = from === undefined ? reader.profile() : await profileSince(reader, from)();
  checkRanks(whole.run, ranks);
  const profile = seenBy(whole, ranks, options.metric === "all" ? "rss" : options.metric);
  const files = chosenFiles(profile, options.file);
  if (options.format === "json") {
    const problems: string[] = [];
    const heaps = (await readHeaps(reader.folder, profile.run, problems)).map(heapJson);
    const gpu = await readGpuOf(reader.folder, profile.run, problems);
    const beside = { heaps, gpu: gpu.map(gpuJson), problems, ...defined({ since: from }) };
    output.write(jsonText(exportJson(profile, options.file, beside)));
    return;
  }
  const sources = await Promise.all(
    files.map(async (file) => {
      const text = await reader.source(file.path);
      return { file, source: text === undefined ? undefined : sourceLines(text) };
    }),
  );
  if (options.format === "memory_profiler") {
    output.write(
      sources
        .map(({ file, source }) =>
          memoryProfilerReport({ ...file, path: printable(file.path) }, source?.map(printable)),
        )
        .join("\n\n"),
    );
    return;
  }
  const paint = showsColors(output, env) ? colored : plain;
  const choice: MetricChoice = options.metric === "all" ? "all" : metricOf(profile.metrics, options.metric);
  const columns = columnsOfRun(profile, choice);
  const marked = markedBy(choice);
  const annotation = { choice, columns, whole: wholeOf(byMetric(profile, marked), marked, reader.rssPeak()) };
  const heaviest = async (count: number): Promise<string[]> => {
    if (profile.run.engine.name === "massif") {
      throw new UserError(
        "no-lines",
        t("The run is one of Massif, whose lines hold parts of its heap, and --top does not list them."),
        t("Leave out --top: the heaviest stand first."),
      );
    }
    const table = { count, file: options.file, width: output.columns };
    return [
      "",
      ...(await heaviestTable(byMetric(profile, marked), marked, reader.source, table)),
      ...otherMetrics(profile, options.metric, choice),
    ];
  };
  const annotated = (): string[] => [
    ...sources.map(({ file, source }) => `\n${annotate(file, source, annotation, paint)}`),
    files.length === 0 ? t("\nNo line of the project was measured.") : `\n${paint.faint(legendOf(files, columns))}`,
    ...otherMetrics(profile, options.metric, choice),
    ...phasesTable(phaseCosts(profile), paint).map((table) => `\n${table}`),
  ];
  const parts = [
    heading(profile, ranks, reader.rssPeak(), paint),
    ...(await endNote(reader)),
    ...(from === undefined ? [] : [sinceNote(from, reader)]),
    ...ranksTable(whole, paint).map((table) => `\n${table}`),
    ...outputNotes(profile),
    ...profile.run.warnings.map((warning) => t("Note: {0}", printable(fromHelper(warning.message)))),
    ...(options.top !== undefined
      ? await heaviest(options.top)
      : [
          ...(profile.run.engine.name === "massif" ? [] : annotated()),
          ...(hasNativeStacks(profile.run.engine)
            ? [
                ...(await atPeakTables(reader.folder, profile.run, reader.source, paint)),
                ...(await gpuTables(reader.folder, profile.run, reader.source, paint)),
              ].map((table) => `\n${table}`)
            : []),
        ]),
  ];
  output.write(`${parts.join("\n")}\n`);
}

function sinceNote(from: number, reader: RunReader): string {
  const { t: last } = reader.lastSample() ?? { t: from };
  return t(
    "Lines: what they took since {0} of the run, until {1}. A peak that was not exceeded since then is not known (–).",
    formatDuration(from),
    formatDuration(Math.max(from, last)),
  );
}

/** Says what of the wish is not there, or what else there is to see. */
function otherMetrics({ metrics }: Profile, wanted: MetricChoice, choice: MetricChoice): string[] {
  if (wanted === "cuda" && choice !== wanted) {
    return [
      t("\nNote: The run has no CUDA figures, as PyTorch did not use CUDA in it or could not be asked. These are RSS."),
    ];
  }
  if (wanted !== choice) return [t("\nNote: The run has no figures of the board's memory by line. These are RSS.")];
  const others = [...metrics].filter((metric) => metric !== choice);
  if (metrics.size < 2 || choice === "all") return [];
  return [t("\nThe run has more figures for each line: --metric {0}.", [...others, "all"].join(", "))];
}

/** Heaviest first. */
function chosenFiles(profile: Profile, only: string | undefined): readonly FileProfile[] {
  const measured = profile.files.filter((file) => file.lines.length > 0);
  if (only === undefined) return [...measured].sort((a, b) => fileWeight(b) - fileWeight(a));
  const found = measured.filter((file) => file.path === only);
  if (found.length > 0) return found;
  const names = measured.map((file) => file.path).join(", ");
  throw new UserError(
    "no-such-file",
    t("The run did not measure a file {0}.", only),
    names === "" ? t("It measured no file at all.") : t("It measured: {0}.", names),
  );
}

/** @throws UserError `no-ranks`, `no-such-rank` */
function checkRanks(run: Profile["run"], view: RankView): void {
  if (view.kind === "together") return;
  const ranks = ranksOf(run);
  if (ranks.length === 0) {
    const why = t("The run has no ranks: no launcher such as torchrun started its script several times.");
    throw new UserError("no-ranks", why, t("Leave out --ranks."));
  }
  if (view.kind === "rank" && !ranks.includes(view.rank))
    throw new UserError("no-such-rank", t("The run has no rank {0}.", view.rank), t("It has: {0}.", ranks.join(", ")));
}

function heading({ run, origin }: Profile, ranks: RankView, rssPeak: number | undefined, paint: Paint): string {
  const facts = [
    origin && originName(origin, run.board.simulated),
    run.board.model,
    run.versions["python"] && t("Python {0}", run.versions["python"]),
    engineText(run),
    run.processes.length > 1 ? processesText(run, ranks) : undefined,
    run.elapsedMs === undefined ? undefined : formatDuration(run.elapsedMs),
    rssPeak === undefined ? undefined : peakText({ ...run, massif: run.engine.name === "massif" }, rssPeak),
  ];
  const known = facts.filter((fact) => fact !== undefined && fact !== "");
  return `${paint.strong(printable(runTitle(run)))}\n${printable(known.join(" · "))}`;
}

/** Heaps are never added up: processes have their peaks at different times. */
function processesText({ processes, engine }: Profile["run"], ranks: RankView): string {
  const { length } = processes;
  switch (ranks.kind) {
    case "highest":
      return t("of each line the rank that took the most");
    case "median":
      return t("of each line the rank in the middle");
    case "rank":
      return t("rank {0} alone", ranks.rank);
    case "together":
      break;
  }
  return engine.name === "massif" ? t("{0} processes", length) : t("{0} processes, added up", length);
}

/** Says what the logs do not hold. */
function outputNotes({ run: { output } }: Profile): string[] {
  const streams = [
    ["output", output?.stdout],
    [t("error output"), output?.stderr],
  ] as const;
  return streams.flatMap(([name, count]) =>
    count === undefined || count.kept >= count.bytes
      ? []
      : [
          t(
            "Note: The script wrote {0} of {1}; the first {2} are kept.",
            formatBytes(count.bytes),
            name,
            formatBytes(count.kept),
          ),
        ],
  );
}

/** How a run that did not end well ended, and what it was doing. */
async function endNote(reader: RunReader): Promise<string[]> {
  const { run } = reader.profile();
  const end = exitText(run.exit);
  if (end === undefined) return run.state === "running" ? [t("The run is still in progress.")] : [];
  const isOfSeveral = new Set(run.lastLines.map(({ pid }) => pid)).size > 1;
  const places = await Promise.all(
    run.lastLines.map(async ({ pid, thread, path, line }) => {
      const who = isOfSeveral ? [processName(run, pid), thread].join(t(", ")) : thread;
      const text = await reader.source(path);
      const content = text === undefined ? "" : (sourceLines(text)[line - 1]?.trim() ?? "");
      return printable(t("  {0} was at {1}:{2}  {3}", who, path, line, content)).trimEnd();
    }),
  );
  return [end, ...places];
}
