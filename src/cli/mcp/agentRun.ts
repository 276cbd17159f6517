/** A run that an agent asked for and the person agreed to: nothing of it is printed, and nobody is asked anything more. */
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { UserError } from "../../profile/userError.ts";
import { amountText, leavingOf } from "../../protocol/run/leaving.ts";
import type { RunOutcome } from "../../protocol/run/run.ts";
import { formatTarget } from "../../remote/address.ts";
import { notesOf, walkProject } from "../../remote/sync/walk.ts";
import type { Surroundings } from "../run/followRun.ts";
import { record, whatRuns } from "../run/profileCommand.ts";
import type { ProfileCommand } from "../run/profileCommandLine.ts";
import type { Output } from "../terminal/output.ts";

/** What would go to the board, in words; undefined where nothing leaves this computer. */
export async function leavingText(command: ProfileCommand): Promise<string | undefined> {
  const { target, projectFolder } = await whatRuns(command);
  if (target.kind === "local") return undefined;
  const walk = await walkProject(projectFolder, command.excludes, new AbortController().signal);
  const to = formatTarget(target);
  return amountText(leavingOf(walk.files, { projectFolder, to, stays: walk.stays, notes: notesOf(walk) }));
}

/** Standard output is the protocol's, and nobody is at the keyboard: a password that is needed ends the run with a message. */
export async function recordQuietly(
  command: ProfileCommand,
  signal: AbortSignal,
  helperFolder: string,
  around: Surroundings,
): Promise<RunOutcome> {
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream;
  stdin.end();
  const signals = new EventEmitter();
  const cancel = () => signals.emit("SIGINT");
  signal.addEventListener("abort", cancel);
  const quiet: Surroundings = { ...around, stdout: SILENT, stdin, signals, quit: () => {} };
  try {
    if (signal.aborted) throw new UserError("cancelled", "The run was cancelled before it began.");
    return await record(command, helperFolder, quiet, "kept");
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

const SILENT: Output = {
  isTerminal: false,
  columns: 80,
  write: () => {},
  ended: new Promise(() => {}),
  fault: undefined,
  flushed: async () => {},
};
