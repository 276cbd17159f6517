/** How a caller ends a run: at first gently, a second time by letting go of it. */
import { UserError } from "../../profile/userError.ts";

export interface CancelControl {
  readonly requested: boolean;
  /** Aborts on the first request: for everything before the script runs. */
  readonly early: AbortSignal;
  /** Aborts when the caller no longer waits for the board. */
  readonly abandoned: AbortSignal;
  request(): void;
}

/** A second request sooner than this is the same click. */
const SAME_CLICK = 3_000;

export function createCancelControl(now: () => number = () => performance.now()): CancelControl {
  const early = new AbortController();
  const abandoned = new AbortController();
  let first: number | undefined;
  return {
    get requested() {
      return first !== undefined;
    },
    early: early.signal,
    abandoned: abandoned.signal,
    request() {
      const reason = new UserError("cancelled", "The run was cancelled.");
      if (first === undefined) {
        first = now();
        early.abort(reason);
      } else if (now() - first >= SAME_CLICK) {
        abandoned.abort(reason);
      }
    },
  };
}
