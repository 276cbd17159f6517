/** The end of a run: its figures in the editor and one message with the way to what matters most. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import type { RunInfo } from "../../profile/model.ts";
import { decodeRun } from "../../profile/runJson.ts";
import type { RunOutcome } from "../../protocol/board.ts";
import { openPlace } from "../openPlace.ts";
import type { Actions } from "../report.ts";
import type { Services } from "../services.ts";
import { lastErrorLine } from "./errorLine.ts";
import { badEndText, type CodePlace, findings, lastPlace, noModelText } from "./headline.ts";
import type { SessionPlan } from "./session.ts";

/** Errors after which the script may go on on the board. */
const LOST_CONNECTION = new Set(["reconnect-gave-up", "connection-lost"]);

export async function presentEnd(
  services: Services,
  { script, model }: Pick<SessionPlan, "script" | "model">,
  outcome: RunOutcome,
  showOutput: () => void,
): Promise<void> {
  const { folder } = outcome;
  if (outcome.kind === "failed") return presentFailure(services, script, outcome);
  if (folder === undefined) {
    services.report.tell("information", `${script} was cancelled before it ran.`);
    return;
  }
  await services.shown.show(folder);
  const run = await readRun(folder);
  const { heaviest, headline, remark } = findings(script, await services.ask("jetsonMemprof/runTree", { folder }));
  const last = lastPlace(run);
  const bad = badEndText(script, run.exit, last);
  if (bad === undefined && heaviest === undefined && !(await isThere(path.join(folder, "lines.jsonl")))) {
    const lost = `${script} ended, but its run folder ${folder} was changed meanwhile and holds no figures.`;
    services.report.tell("warning", `${lost} Profile it again, and leave the folder alone until the script has ended.`);
    return;
  }
  const reason = run.exit?.kind === "exited" && bad !== undefined ? await lastErrorLine(folder) : undefined;
  const noModel = model && services.shown.current?.model !== true ? noModelText(script) : undefined;
  const notable = bad ?? noModel;
  const text = notable === undefined ? headline : [notable, reason, remark].filter(Boolean).join(" ");
  const wanted = bad === undefined || run.exit?.kind === "cancelled";
  const forMemory = !wanted && (await endedForMemory(services, folder));
  services.report.tell(wanted ? "information" : "warning", text, {
    ...(run.engine.name === "massif" ? openFlameView(folder) : {}),
    ...(bad !== undefined && last !== undefined && tellsTheLine(run)
      ? { [`Go to Line ${last.line}`]: goTo(services, folder, last) }
      : heaviest && { "Show Heaviest Line": goTo(services, folder, heaviest) }),
    ...(bad === undefined ? {} : { "Show Output": async () => showOutput() }),
    // A notification cuts the words of more than three.
    ...(forMemory
      ? { [whyWords(run)]: () => vscode.commands.executeCommand("jetsonMemprof.showEnding", folder) }
      : nextView(services, run, folder)),
  });
}

/** Where the run's other figures are. */
function nextView({ shown, tree }: Services, { engine }: RunInfo, folder: string): Actions {
  if (engine.name === "massif") return {};
  if (shown.current?.model)
    return { "Show Model Account": () => vscode.commands.executeCommand("jetsonMemprof.showModel", folder) };
  return { "Memory Runs": async () => tree.reveal(folder) };
}

const whyWords = ({ exit }: RunInfo): string => (exit?.kind === "exited" ? "Why Did It Fail?" : "Why Was It Killed?");

/** Whether there is a page to show on it; the message of the end does not wait for a reason that cannot be read. */
async function endedForMemory({ ask, log }: Services, folder: string): Promise<boolean> {
  try {
    return (await ask("jetsonMemprof/ending", { folder })).report !== null;
  } catch (error) {
    log.warn(`Why ${folder} ended cannot be told: ${error}`);
    return false;
  }
}

/** The error is the message; what was measured until then is shown where there is anything. */
async function presentFailure(
  { report, shown, log }: Services,
  script: string,
  { error, folder }: Extract<RunOutcome, { kind: "failed" }>,
): Promise<void> {
  const reconnect = { Reconnect: () => vscode.commands.executeCommand("jetsonMemprof.reconnectRun", folder) };
  const goesOn = folder !== undefined && LOST_CONNECTION.has(error.code);
  report.error(error, `Profiling ${script}`, goesOn ? reconnect : {});
  if (folder === undefined) return;
  await shown.show(folder).catch((reason) => log.info(`Nothing to show of ${folder}: ${reason}`));
}

function openFlameView(folder: string): Actions {
  return {
    "Open Massif Flame View": () => vscode.commands.executeCommand("jetsonMemprof.openMassifView", folder),
  };
}

function goTo({ ask }: Services, folder: string, { path, line }: CodePlace): () => Promise<void> {
  return () => openPlace(ask, { folder, path, line });
}

/** After an ordinary exit the last line is only where the script stopped, which the output explains better. */
function tellsTheLine(run: RunInfo): boolean {
  return run.exit?.kind !== "exited" && run.exit?.kind !== "not-started";
}

async function isThere(file: string): Promise<boolean> {
  return (await fs.stat(file).catch(() => undefined)) !== undefined;
}

async function readRun(folder: string): Promise<RunInfo> {
  const file = path.join(folder, "run.json");
  return decodeRun(await fs.readFile(file, "utf8"), file).run;
}
