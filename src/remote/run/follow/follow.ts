/** Following a run to its end over as many connections as it takes, and ending it when asked to. */
import { setTimeout as delay } from "node:timers/promises";
import { UserError } from "../../../profile/userError.ts";
import { phrase, say, t } from "../../../words/t.ts";
import { callHelper } from "../../helper/callHelper.ts";
import { snapshotReply } from "../../helper/wire.ts";
import type { BoardSession } from "../../session/session.ts";
import { type Connection, lossOf } from "../../transport/transport.ts";
import { type AttachEnd, AttachLost, type AttachTask, attach } from "./attach.ts";
import { cancelRun } from "./cancelRun.ts";
import type { CancelControl } from "./control.ts";
import { newRunOutage, type RunOutage, reconnect } from "./reconnect.ts";

export interface FollowOptions {
  readonly session: BoardSession;
  readonly task: AttachTask;
  readonly cancel: CancelControl;
  /** Is given the way to ask for allocator snapshots while there is one. */
  readonly reach: (ask: AskForSnapshot | undefined) => void;
  /** Opens a new connection without asking anybody. */
  readonly reopen: (signal: AbortSignal) => Promise<Connection>;
  /** The board has the run: told once. */
  readonly onFound: () => void;
}

/** Asks a run's processes for an allocator snapshot; resolves with how many were asked. */
export type AskForSnapshot = () => Promise<number>;

/** After a cancel was carried out, the last bytes come within this. */
const LAST_BYTES = 120_000;
const SNAPSHOT_LIMIT = 30_000;
const INPUT_AT_RISK = {
  code: "input-lost",
  message: phrase("Input that was given just before the connection was lost may not have reached the script."),
};

/** Rejects with a `UserError`; `cancelled` where the caller let go. */
export async function follow(options: FollowOptions): Promise<AttachEnd> {
  const { task, cancel, reach, reopen } = options;
  const ways = { cancel, reopen, emit: task.emit };
  let session = options.session;
  let found = false;
  let outage: RunOutage | undefined;
  const onHeard = (): void => {
    if (!found) options.onFound();
    found = true;
    if (outage !== undefined) task.emit({ kind: "reconnected" });
    // The next loss is another outage; a connection over which the board was never heard belongs to the same one.
    outage = undefined;
  };
  try {
    for (;;) {
      const here = session;
      reach(() => askForSnapshot(here, task, cancel.abandoned));
      try {
        return await attachAndCancel(session, task, cancel, onHeard);
      } catch (error) {
        if (!(error instanceof AttachLost)) throw error;
        reach(undefined);
        const reason = (await lossOf(session.connection)) ?? error.error;
        session.connection.close();
        if (error.inputAtRisk)
          task.emit({ kind: "warning", code: INPUT_AT_RISK.code, message: say(INPUT_AT_RISK.message) });
        outage ??= newRunOutage();
        session = { helper: session.helper, connection: await reconnect(ways, outage, reason, "runs") };
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
  onHeard: () => void,
): Promise<AttachEnd> {
  const over = new AbortController();
  const limit = new AbortController();
  const stop = AbortSignal.any([cancel.abandoned, limit.signal]);
  const onCancel = (): void => {
    void sendCancel(session, task, over.signal, limit);
  };
  if (cancel.requested) onCancel();
  else cancel.early.addEventListener("abort", onCancel);
  try {
    return await attach(session, task, stop, onHeard);
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
    await cancelRun(session, { root: task.root, id: task.runId }, over);
    await delay(LAST_BYTES, undefined, { signal: over });
    limit.abort(new UserError("cancelled", t("The run was cancelled, but its last figures could not be fetched.")));
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
    purpose: t("an allocator snapshot was asked for"),
    argv: helper.argv("snapshot"),
    request: { root: task.root, id: task.runId },
    reply: snapshotReply,
    signal,
    limit: SNAPSHOT_LIMIT,
  });
  return asked;
}
