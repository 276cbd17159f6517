/** Reaching the board of a run again after the connection was lost, for as long as that makes sense. */
import { UserError } from "../../../profile/userError.ts";
import type { RunEvent } from "../../../protocol/run/run.ts";
import { type Phrase, phrase, say, sentences, t } from "../../../words/t.ts";
import { gaveUp, isPassing, newOutage, type Outage } from "../../transport/outage.ts";
import type { Connection } from "../../transport/transport.ts";
import type { CancelControl } from "./control.ts";

export interface Reconnecting {
  readonly cancel: CancelControl;
  readonly emit: (event: RunEvent) => void;
  /** Opens a new connection without asking anybody. */
  readonly reopen: (signal: AbortSignal) => Promise<Connection>;
}

export interface RunOutage {
  readonly tries: Outage;
  /** The one more try that a cancel gets has been made. */
  triedForCancel: boolean;
}

export function newRunOutage(): RunOutage {
  return { tries: newOutage(), triedForCancel: false };
}

type ScriptState = Extract<RunEvent, { kind: "reconnecting" }>["script"];

const LATER: Readonly<Record<ScriptState, Phrase>> = {
  runs: phrase("The run continues on the board by itself; reattach to it when the board can be reached again."),
  unsure: phrase("The script may have been started; reattach to the run when the board can be reached again."),
};

/** Rejects with a `UserError`; `cancelled` where a cancel could not be carried there; with the reason where the caller let go. */
export async function reconnect(
  { cancel, emit, reopen }: Reconnecting,
  outage: RunOutage,
  reason: UserError,
  script: ScriptState,
): Promise<Connection> {
  const { tries } = outage;
  let last = reason;
  while (!tries.over) {
    if (cancel.requested && outage.triedForCancel) throw unreached(emit, last);
    const delayMs = tries.nextPause();
    if (!cancel.requested) {
      emit({ kind: "reconnecting", attempt: tries.attempts, delayMs, reason: last.message, script });
      // A cancel cuts the wait short: one more try, to carry it to the board.
      await cancel.pause(delayMs);
      cancel.abandoned.throwIfAborted();
    }
    outage.triedForCancel = cancel.requested;
    try {
      return await reopen(cancel.abandoned);
    } catch (error) {
      cancel.abandoned.throwIfAborted();
      if (!isPassing(error)) throw error instanceof UserError ? goingOn(error, script) : error;
      last = error;
    }
  }
  throw gaveUp(last, say(LATER[script]));
}

/** What trying again cannot mend ends the following, not the run. */
function goingOn(error: UserError, script: ScriptState): UserError {
  return error.with({ hint: sentences(error.hint, say(LATER[script])) });
}

function unreached(emit: Reconnecting["emit"], last: UserError): UserError {
  const message = t(
    "The cancellation did not reach the board: {0} The script may still be running there; reattach to the run later to see.",
    last.message,
  );
  emit({ kind: "warning", code: "cancel-failed", message });
  return new UserError("cancelled", message);
}
