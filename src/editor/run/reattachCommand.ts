/** Following a run that keeps running on the board, or fetching the rest of one that ended without a connection. */

import * as fs from "node:fs/promises";
import * as path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as vscode from "vscode";
import { defined } from "../../profile/defined.ts";
import { UserError } from "../../profile/userError.ts";
import type { RunOutcome } from "../../protocol/run/run.ts";
import type { RunListEntry, RunSummary } from "../../protocol/server.ts";
import { sentences, t } from "../../words/t.ts";
import { targetShortName } from "../connect/targetItems.ts";
import { pickTarget } from "../connect/targetPicker.ts";
import { plainText } from "../report/plainText.ts";
import type { Actions } from "../report/report.ts";
import { isTrusted } from "../report/trust.ts";
import { chooseRun, type RunArgument } from "../runs/runCommands.ts";
import { folderOf } from "../runs/tree/runsTree.ts";
import { longWhen } from "../runs/words/when.ts";
import type { Services } from "../services.ts";
import { windowRunSettings } from "../settings/windowSettings.ts";
import { reattachTo } from "./end/presentEnd.ts";
import { runSession } from "./session.ts";

/** What is known of a run that may be followed. */
interface Unfinished {
  readonly folder: string;
  readonly title: string;
  readonly targetName: string;
  readonly massif: boolean;
}

/** Without an argument, asks among those that have no end yet. */
export async function reattachCommand(services: Services, argument: RunArgument): Promise<void> {
  // The host to connect to comes from a file of the workspace.
  if (!(await isTrusted(t("Reattaching connects to a host that a file of this workspace names.")))) return;
  const run = await meant(services, argument);
  if (run === undefined) return;
  const followed = services.active.find(run.folder);
  if (followed === undefined) await reattach(services, run, "again");
  else if (followed.isCutOff) followed.tryNow();
  else {
    throw new UserError(
      "already-connected",
      t("This window already follows {0}.", run.title),
      t("Its terminal has the output."),
    );
  }
}

async function meant(services: Services, argument: RunArgument): Promise<Unfinished | undefined> {
  if (argument !== undefined) {
    const folder = typeof argument === "string" ? argument : folderOf(argument);
    const entry = (await services.tree.list()).find((found) => folderIn(found) === folder);
    // A run whose connection was lost before its first figures came has nothing that could be read.
    if (entry?.kind === "unreadable") return unread(folder);
  }
  const run = await chooseRun(services, argument, t("Reattach to which run?"), {
    fits: ({ folder, state }) => state === "running" && !services.active.isConnectedTo(folder),
    otherwise: t("All runs have ended or are followed by this window, so there is nothing to reattach to."),
    detail: lastHeard,
  });
  if (run === undefined) return undefined;
  const unfinished = unfinishedOf({ kind: "run", run });
  if (unfinished !== undefined) return unfinished;
  // The button of an old message, or a row of a run that another window has followed to its end.
  throw new UserError(
    "run-ended",
    t("{0} has ended, and all of it is here, so there is nothing to reattach to.", run.title),
    t("Show it in the editor from Memory Runs."),
  );
}

/** When the last figures came home. */
async function lastHeard({ folder }: RunSummary): Promise<string | undefined> {
  const samples = await fs.stat(path.join(folder, "samples.jsonl")).catch(() => undefined);
  return samples && t("Last heard {0}", longWhen(samples.mtime));
}

/** @param address where the board is now, where that is not where the run began; in the form `parseTarget` reads */
async function reattach(
  services: Services,
  run: Unfinished,
  occasion: "again" | "by-itself",
  address?: string,
): Promise<RunOutcome> {
  const { folder, title, massif } = run;
  const { boardFolder, python } = windowRunSettings(vscode.Uri.file(folder));
  const { parseTarget, resumeRun } = await import("../remote.ts");
  const request = {
    boardFolder,
    ...defined({ python, target: address === undefined ? undefined : parseTarget(address) }),
  };
  return await runSession(services, {
    script: title,
    targetName: address === undefined ? run.targetName : targetShortName(address),
    massif,
    // What was asked for is not kept; the end offers the account where there is one.
    model: false,
    ...defined({ picked: address }),
    occasion,
    folder,
    moved: toOtherAddress(services, run),
    start: (dependencies) => resumeRun(folder, request, dependencies),
  });
}

/** For a board that got another address at home, or is reached from another network. */
function toOtherAddress(services: Services, run: Unfinished): Actions {
  const { context, log } = services;
  return {
    [t("Other Address…")]: async () => {
      const address = await pickTarget(context, log, t("Where is the board of {0} now?", run.title));
      if (address !== undefined) await reattach(services, run, "again", address);
    },
  };
}

/** A window that is closed may take a moment to let go of its runs while the next one opens already. */
const LOOKS = 10;
const LOOK_MS = 3_000;

/**
 * Follows what windows of these projects followed when they were closed, as far as nobody has to be asked; tells of the
 * others once.
 */
export async function reattachLeft(services: Services): Promise<void> {
  const tried = new Set<string>();
  const mayBeOurs = (folder: string): boolean => services.folders.holds(folder) && !tried.has(folder);
  for (let look = 1; look <= LOOKS && vscode.workspace.isTrusted; look++) {
    const { free, taken } = services.followed.left();
    for (const folder of free.filter(mayBeOurs)) {
      // What could not be followed is left again, and not tried again here.
      tried.add(folder);
      void services.report.guard(t("Following a run again"), () => followAgain(services, folder));
    }
    if (!taken.some(mayBeOurs)) return;
    await delay(LOOK_MS, undefined, { ref: false });
  }
}

async function followAgain(services: Services, folder: string): Promise<void> {
  const { followed, report, tree } = services;
  if (services.active.find(folder) !== undefined || !followed.take(folder)) return;
  const entry = (await tree.list()).find((found) => folderIn(found) === folder);
  const run = entry && unfinishedOf(entry);
  if (run === undefined) return followed.end(folder);
  const outcome = await reattach(services, run, "by-itself");
  if (outcome.kind !== "failed") return;
  const { message, hint } = outcome.error;
  const why = sentences(message, hint);
  report.tell(
    "warning",
    t(
      "{0} was running on {1} when this window was closed, and could not be reattached to. {2}",
      run.title,
      run.targetName,
      plainText(why, 400),
    ),
    {
      ...reattachTo(folder),
      ...toOtherAddress(services, run),
      // A board that is gone for good would be told of whenever a window is opened. The run's row can still reattach.
      [t("Stop Looking for It")]: async () => followed.end(folder),
    },
  );
}

function folderIn(entry: RunListEntry): string {
  return entry.kind === "run" ? entry.run.folder : entry.folder;
}

function unfinishedOf(entry: RunListEntry): Unfinished | undefined {
  if (entry.kind === "unreadable") return unread(entry.folder);
  const { folder, title, state, target, simulated, massif } = entry.run;
  if (state !== "running") return undefined;
  const targetName = simulated ? t("simulated board") : targetShortName(target ?? t("the board"));
  return { folder, title, targetName, massif };
}

function unread(folder: string): Unfinished {
  return { folder, title: path.basename(folder), targetName: t("the board"), massif: false };
}
