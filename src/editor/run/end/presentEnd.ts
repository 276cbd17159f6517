/** The end of a run: its figures in the editor and one message with the way to what matters most. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { RunInfo } from "../../../profile/model.ts";
import { hasNativeStacks } from "../../../profile/run/nativeStacks.ts";
import { decodeRun } from "../../../profile/run/runJson.ts";
import { timelineMeasure } from "../../../profile/text/measuredElsewhere.ts";
import type { RunEnding } from "../../../protocol/board/ending.ts";
import type { RunOutcome } from "../../../protocol/run/run.ts";
import { sentences, t } from "../../../words/t.ts";
import { rankText } from "../../metric/metricWords.ts";
import { runCommand } from "../../ourCommands.ts";
import { openPlace } from "../../page/openPlace.ts";
import type { Actions } from "../../report/report.ts";
import type { Services } from "../../services.ts";
import { reached } from "../../start/milestones.ts";
import type { SessionPlan } from "../session.ts";
import { errorLine, lastErrorLine } from "./errorLine.ts";
import { badEndText, type CodePlace, findings, lastPlace, noModelText } from "./headline.ts";
import { showAnswer, type Typing } from "./showAnswer.ts";

/** Errors after which there is nothing on the board to follow. */
const GONE = new Set(["no-such-run", "no-origin", "bad-origin"]);

/** A notification cuts the words of more. */
const MOST_ACTIONS = 3;

/** The run was not followed to its end, and not because its user wanted that. */
export function mayGoOn(outcome: RunOutcome): boolean {
  return outcome.kind === "failed" && outcome.folder !== undefined && !GONE.has(outcome.error.code);
}

export interface EndPlan extends Pick<SessionPlan, "script" | "model" | "moved" | "tryAgain"> {
  /** Since the run began. */
  readonly typing: Pick<Typing, "happened">;
}

export async function presentEnd(
  services: Services,
  plan: EndPlan,
  outcome: RunOutcome,
  showOutput: () => void,
): Promise<void> {
  const { report } = services;
  const { script } = plan;
  const { folder } = outcome;
  if (outcome.kind === "failed") return presentFailure(services, plan, outcome);
  if (outcome.kind === "released") {
    const text = t(
      "{0} keeps running on the board, and this window no longer follows it. Its figures are kept there.",
      script,
    );
    return report.tell("information", text, reattachTo(outcome.folder));
  }
  if (folder === undefined) {
    return report.tell("information", t("{0} was cancelled before it ran.", script));
  }
  if (outcome.kind === "cancelled" && (await readRun(folder).catch(() => undefined))?.state !== "finished") {
    const text = t(
      "{0} is no longer followed, as the board does not answer; it may still be running there. What was fetched until then is kept.",
      script,
    );
    return report.tell("warning", text, reattachTo(folder));
  }
  await presentRecorded(services, plan, folder, showOutput);
}

/** Of a run that is over, and whose record came home. */
async function presentRecorded(
  services: Services,
  { script, model, typing }: EndPlan,
  folder: string,
  showOutput: () => void,
): Promise<void> {
  await services.shown.show(folder);
  const run = await readRun(folder);
  const tree = await services.ask("jetsonMemprof/runTree", { folder });
  const { heaviest, headline, remark } = findings(
    script,
    tree,
    peakOf(services, folder),
    nameOf(services, script, folder),
  );
  const last = lastPlace(run);
  const bad = badEndText(script, run.exit, last);
  if (bad === undefined && heaviest === undefined && !(await isThere(path.join(folder, "lines.jsonl")))) {
    const lost = t("{0} ended, but its run folder {1} was changed meanwhile and holds no figures.", script, folder);
    services.report.tell(
      "warning",
      t("{0} Profile it again, and leave the folder alone until the script has ended.", lost),
    );
    return;
  }
  const wanted = bad === undefined || run.exit?.kind === "cancelled";
  const why = wanted ? undefined : await endingOf(services, folder);
  const noModel = model && services.shown.current?.model !== true ? noModelText(script) : undefined;
  const notable = bad ?? noModel;
  const reason = bad === undefined ? undefined : await reasonOf(run, why, folder);
  const text = notable === undefined ? headline : sentences(notable, reason, remark);
  if (bad === undefined && heaviest !== undefined) reached("profiled");
  const fault = wanted ? undefined : faultOf(run, why, last);
  const place = fault ?? heaviest;
  if (place !== undefined && !typing.happened) {
    await showAnswer(services.ask, { folder, ...place }).catch((error) => services.log.info(`Not shown: ${error}`));
  }
  // What fits the ending stands first.
  const actions: Actions = {
    ...(why?.report ? whyItEnded(run, folder) : {}),
    ...(why?.failure?.missingModule === undefined ? {} : moduleActions(why.failure.missingModule, why.target)),
    ...(hasNativeStacks(run.engine) ? openFlameView(folder) : {}),
    ...lineActions(services, folder, fault, heaviest),
    ...(bad === undefined ? nextView(services, run, folder) : { [t("Show Output")]: async () => showOutput() }),
  };
  services.report.tell(
    wanted ? "information" : "warning",
    text,
    Object.fromEntries(Object.entries(actions).slice(0, MOST_ACTIONS)),
  );
}

/** In the script's own words. */
async function reasonOf({ exit }: RunInfo, why: RunEnding | undefined, folder: string): Promise<string | undefined> {
  if (exit?.kind !== "exited") return undefined;
  return why?.failure === undefined ? await lastErrorLine(folder) : errorLine(why.failure.message);
}

/** The line at which the run ended otherwise than was wanted. */
function faultOf(run: RunInfo, why: RunEnding | undefined, last: CodePlace | undefined): CodePlace | undefined {
  return why?.report?.place ?? why?.failure?.place ?? (tellsTheLine(run) ? last : undefined);
}

/** RSS of the main process, where that is what the run's figures are of: not of several ranks together. */
function peakOf({ shown }: Services, folder: string): number | undefined {
  const { current } = shown;
  if (current?.folder !== folder || current.massif || timelineMeasure(current) !== undefined) return undefined;
  return current.ranks === undefined ? current.rssPeak : undefined;
}

/** With what its figures are of, where there is a choice. */
function nameOf({ shown }: Services, script: string, folder: string): string {
  const hasRanks = shown.current?.folder === folder && shown.current.ranks !== undefined;
  return hasRanks ? t("{0}, {1}", script, rankText(shown.ranks)) : script;
}

function whyItEnded(run: RunInfo, folder: string): Actions {
  return { [whyWords(run)]: () => runCommand("jetsonMemprof.showEnding", folder) };
}

/** Another Python of the board may have it; else Check Board tells how it is installed. */
function moduleActions(module: string, target: string | undefined): Actions {
  return {
    [t("Choose Python…")]: () => runCommand("jetsonMemprof.choosePython", { target, module }),
    [t("Check Board")]: () => runCommand("jetsonMemprof.checkBoard", target),
  };
}

function lineActions(
  services: Services,
  folder: string,
  fault: CodePlace | undefined,
  heaviest: CodePlace | undefined,
): Actions {
  if (fault !== undefined) return { [t("Go to Line {0}", fault.line)]: goTo(services, folder, fault) };
  if (heaviest === undefined) return {};
  return {
    [t("Show Heaviest Line")]: () => runCommand("jetsonMemprof.showHeaviestLine", folder),
  };
}

/** Where the run's other figures are. */
function nextView({ shown, tree }: Services, { engine }: RunInfo, folder: string): Actions {
  if (engine.name === "massif") return {};
  if (shown.current?.model) return { [t("Show Model Account")]: () => runCommand("jetsonMemprof.showModel", folder) };
  return { [t("Memory Runs")]: async () => tree.reveal(folder) };
}

const whyWords = ({ exit }: RunInfo): string =>
  exit?.kind === "exited" ? t("Why Did It Fail?") : t("Why Was It Killed?");

/** The message of the end does not wait for a reason that cannot be read. */
async function endingOf({ ask, log }: Services, folder: string): Promise<RunEnding | undefined> {
  try {
    return await ask("jetsonMemprof/ending", { folder });
  } catch (error) {
    log.warn(`Why ${folder} ended cannot be told: ${error}`);
    return undefined;
  }
}

/** The error is the message; what was measured until then is shown where there is anything. */
async function presentFailure(
  { report, shown, log }: Services,
  { script, moved, tryAgain }: EndPlan,
  outcome: Extract<RunOutcome, { kind: "failed" }>,
): Promise<void> {
  const { error, folder } = outcome;
  if (folder === undefined) {
    const again: Actions =
      tryAgain === undefined ? {} : { [t("Try Again")]: () => report.guard(t("Profiling {0}", script), tryAgain) };
    return report.error(error, t("Profiling {0}", script), again);
  }
  report.error(error, t("Profiling {0}", script), { ...(mayGoOn(outcome) ? reattachTo(folder) : {}), ...moved });
  await shown.show(folder).catch((reason) => log.info(`Nothing to show of ${folder}: ${reason}`));
}

export function reattachTo(folder: string): Actions {
  return { [t("Reattach to Run")]: () => runCommand("jetsonMemprof.reattachRun", folder) };
}

function openFlameView(folder: string): Actions {
  return {
    [t("Open Flame View")]: () => runCommand("jetsonMemprof.openMassifView", folder),
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
