/** Starting the script exactly once, however often the connection breaks meanwhile. */
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { startReply } from "../helper/wire.ts";
import { type BoardSession, callBoard } from "../session/session.ts";
import { lossOf } from "../transport/transport.ts";
import { newRunOutage, type Reconnecting, reconnect } from "./follow/reconnect.ts";

/** Milliseconds. */
const START_LIMIT = 60_000;
/** A board that did not answer may still be at it: so often it is asked over one connection. */
const MOST_REQUESTS = 3;
const UNSURE = /^(helper-failed|helper-died|helper-timeout|bad-reply|connection-lost|exec-failed|no-shell)$/;

export interface Start {
  /** Over the connection that the answer came by. */
  readonly session: BoardSession;
  /** Why nobody knows whether the script was started; undefined: it was. */
  readonly unsure: UserError | undefined;
}

/** The board refused, or never got the request: there is no run. */
export class NotStarted extends Error {
  readonly error: UserError;

  constructor(error: UserError) {
    super(error.message, { cause: error });
    this.name = "NotStarted";
    this.error = error;
  }
}

/**
 * Asks for the start again where the answer was lost: the board takes a run's id only once, so the second request finds
 * what the first one did, or does it. Rejects with `NotStarted`, or with a `UserError` where the caller let go or the
 * board could not be reached any more: the script may be running then. The connection is closed where it rejects.
 */
export async function startScript(first: BoardSession, request: object, ways: Reconnecting): Promise<Start> {
  const { cancel } = ways;
  const outage = newRunOutage();
  let session = first;
  try {
    for (let requests = 1; ; requests++) {
      const error = await requestStart(session, request, cancel.abandoned);
      // Taken by the request before this one.
      if (error === undefined || (error.code === "run-exists" && requests > 1)) return { session, unsure: undefined };
      cancel.abandoned.throwIfAborted();
      if (!UNSURE.test(error.code)) throw new NotStarted(error);
      const loss = await lossOf(session.connection);
      if (loss !== undefined) {
        session.connection.close();
        session = { helper: session.helper, connection: await reconnect(ways, outage, loss, "unsure") };
        ways.emit({ kind: "reconnected" });
      }
      const again = loss !== undefined || (error.code === "helper-timeout" && requests < MOST_REQUESTS);
      // A cancel starts nothing; whether there is something to end is found out by looking for the run.
      if (!again || cancel.requested) return { session, unsure: error };
    }
  } catch (error) {
    session.connection.close();
    throw error;
  }
}

/** Not stopped by the first cancel: a half-started run could not be cancelled. */
async function requestStart(
  session: BoardSession,
  request: object,
  abandoned: AbortSignal,
): Promise<UserError | undefined> {
  try {
    await callBoard(session, "start", {
      purpose: t("the script was started"),
      request,
      reply: startReply,
      signal: abandoned,
      limit: START_LIMIT,
    });
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}
