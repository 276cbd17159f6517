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
import { badEndText, type CodePlace, headlineText, heaviestLine, heaviestText, lastPlace } from "./headline.ts";

/** Errors after which the script may go on on the board. */
const LOST_CONNECTION = new Set(["reconnect-gave-up", "connection-lost"]);

export async function presentEnd(
  services: Services,
  script: string,
  outcome: RunOutcome,
  showOutput: () => void,
): Promise<void> {
  const { folder } = outcome;
  if (outcome.kind === "failed") {
    const reconnect = { Reconnect: () => vscode.commands.executeCommand("jetsonMemprof.reconnectRun", folder) };
    const goesOn = folder !== undefined && LOST_CONNECTION.has(outcome.error.code);
    services.report.error(outcome.error, `Profiling ${script}`, goesOn ? reconnect : {});
  }
  if (folder === undefined) {
    if (outcome.kind === "cancelled") services.report.tell("information", `${script} was cancelled before it ran.`);
    return;
  }
  if (outcome.kind === "failed") {
    // The error is the message; what was measured until then is shown where there is anything.
    await services.shown.show(folder).catch((error) => services.log.info(`Nothing to show of ${folder}: ${error}`));
    return;
  }
  await services.shown.show(folder);
  const run = await readRun(folder);
  const files = await services.ask("jetsonMemprof/runTree", { folder });
  const heaviest = heaviestLine(files);
  const last = lastPlace(run);
  const bad = badEndText(script, run.exit, last);
  if (bad === undefined && heaviest === undefined && !(await isThere(path.join(folder, "lines.jsonl")))) {
    const lost = `${script} ended, but its run folder ${folder} was changed meanwhile and holds no figures.`;
    services.report.tell("warning", `${lost} Profile it again, and leave the folder alone until the script has ended.`);
    return;
  }
  const reason = run.exit?.kind === "exited" && bad !== undefined ? await lastErrorLine(folder) : undefined;
  const text =
    bad === undefined
      ? headlineText(script, heaviest)
      : [bad, reason, heaviestText(script, heaviest)].filter(Boolean).join(" ");
  const toLast = bad !== undefined && last !== undefined && tellsTheLine(run);
  // Three at most: a notification cuts the words of more.
  const actions: Actions = {
    ...(toLast ? { [`Go to Line ${last.line}`]: goTo(services, folder, last) } : {}),
    ...(bad === undefined ? {} : { "Show Output": async () => showOutput() }),
    ...(toLast || heaviest === undefined ? {} : { "Show Heaviest Line": goTo(services, folder, heaviest) }),
    "Memory Runs": async () => services.tree.reveal(folder),
  };
  const wanted = bad === undefined || run.exit?.kind === "cancelled";
  services.report.tell(wanted ? "information" : "warning", text, actions);
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
