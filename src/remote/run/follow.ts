/** Following a run to its end over as many connections as it takes, and ending it when asked to. */
import { setTimeout as delay } from "node:timers/promises";
import { UserError } from "../../profile/userError.ts";
import type { BoardSession } from "../board/session.ts";
import { callHelper } from "../helper/callHelper.ts";
import { cancelReply, snapshotReply } from "../helper/wire.ts";
import { gaveUp, isPassing, newOutage, type Outage } from "../transport/outage.ts";
import { type Connection, lossOf } from "../transport/transport.ts";
import { AttachLost, type AttachTask, attach } from "./attach.ts";
import type { CancelControl } from "./control.ts";

export interface FollowOptions {
  readonly session: BoardSession;
  readonly task: AttachTask;
  readonly cancel: CancelControl;
  /** Is given the way to ask for allocator snapshots while there is one. */
  readonly reach: (ask: AskForSnapshot | undefined) => void;
  /** Opens a new connection without asking anybody. */
  readonly reopen: (signal: AbortSignal) => Promise<Connection>;
}

/** Asks a run's processes for an allocator snapshot; resolves with how many were asked. */
export type AskForSnapshot = () => Promise<number>;

/** Under valgrind a script takes its time to end, and its profile is written then. */
const CANCEL_LIMIT = 60_000;
/** After a cancel was carried out, the last bytes come within this. */
const LAST_BYTES = 120_000;
const SNAPSHOT_LIMIT = 30_000;

/** `lost`: the helper on the board died. Rejects with a `UserError`; `cancelled` where the caller let go. */
export async function follow(options: FollowOptions): Promise<"finished" | "lost"> {
  const { task, cancel, reach } = options;
  let session = options.session;
  let outage: RunOutage | undefined;
  try {
    for (;;) {
      const here = session;
      reach(() => askForSnapshot(here, task, cancel.abandoned));
      try {
        return await attachAndCancel(session, task, cancel);
      } catch (error) {
        if (!(error instanceof AttachLost)) throw error;
        reach(undefined);
        const reason = (await lossOf(session.connection)) ?? error.error;
        session.connection.close();
        // A connection over which the board was never heard belongs to the same outage.
        if (outage === undefined || error.heard) outage = { tries: newOutage(), triedForCancel: false };
        session = { ...session, connection: await reconnect(options, outage, reason) };
      }
    }
  } finally {
    reach(undefined);
    session.connection.close();
  }
}

async function attachAndCancel(
  session: BoardSession,
  task: AttachTask,
  cancel: CancelControl,
): Promise<"finished" | "lost"> {
  const over = new AbortController();
  const limit = new AbortController();
  const stop = AbortSignal.any([cancel.abandoned, limit.signal]);
  const onCancel = (): void => {
    void sendCancel(session, task, over.signal, limit);
  };
  if (cancel.requested) onCancel();
  else cancel.early.addEventListener("abort", onCancel);
  try {
    return await attach(session, task, stop);
  } finally {
    cancel.early.removeEventListener("abort", onCancel);
    over.abort();
  }
}

async function sendCancel(
  session: BoardSession,
  task: AttachTask,
  over: AbortSignal,
  limit: AbortController,
): Promise<void> {
  try {
    await callHelper(session.connection, {
      purpose: "the run was cancelled",
      argv: session.helper.argv("cancel"),
      request: { root: task.root, id: task.runId },
      reply: cancelReply,
      signal: over,
      limit: CANCEL_LIMIT,
    });
    await delay(LAST_BYTES, undefined, { signal: over });
    limit.abort(new UserError("cancelled", "The run was cancelled, but its last figures did not come home."));
  } catch (error) {
    // The attach ended first, or the connection went and the next one will carry the cancel.
    if (over.aborted || !(error instanceof UserError) || (await lossOf(session.connection)) !== undefined) return;
    task.emit({ kind: "warning", code: "cancel-failed", message: error.message });
  }
}

async function askForSnapshot(
  { connection, helper }: BoardSession,
  task: AttachTask,
  signal: AbortSignal,
): Promise<number> {
  const { asked } = await callHelper(connection, {
    purpose: "an allocator snapshot was asked for",
    argv: helper.argv("snapshot"),
    request: { root: task.root, id: task.runId },
    reply: snapshotReply,
    signal,
    limit: SNAPSHOT_LIMIT,
  });
  return asked;
}

interface RunOutage {
  readonly tries: Outage;
  /** The one more try that a cancel gets has been made. */
  triedForCancel: boolean;
}

async function reconnect(options: FollowOptions, outage: RunOutage, reason: UserError): Promise<Connection> {
  const { task, cancel } = options;
  const { tries } = outage;
  let last = reason;
  while (!tries.over) {
    if (cancel.requested && outage.triedForCancel) throw unreached(task, last);
    const delayMs = tries.nextPause();
    if (!cancel.requested) {
      task.emit({ kind: "reconnecting", attempt: tries.attempts, delayMs, reason: last.message });
      // A cancel cuts the wait short: one more try, to carry it to the board.
      await delay(delayMs, undefined, { signal: cancel.early }).catch(() => {});
    }
    outage.triedForCancel = cancel.requested;
    try {
      return await options.reopen(cancel.abandoned);
    } catch (error) {
      cancel.abandoned.throwIfAborted();
      if (!isPassing(error)) throw error;
      last = error;
    }
  }
  throw gaveUp(last, "The run goes on by itself on the board; resume it when the board can be reached again.");
}

function unreached(task: AttachTask, last: UserError): UserError {
  const message = `The cancel did not reach the board: ${last.message} The script may still be running there; resume the run later to see.`;
  task.emit({ kind: "warning", code: "cancel-failed", message });
  return new UserError("cancelled", message);
}
