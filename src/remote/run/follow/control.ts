/** How a caller ends a run: at first gently, a second time by letting go of it; and how it waits for the board. */
import { setTimeout as delay } from "node:timers/promises";
import { UserError } from "../../../profile/userError.ts";
import { t } from "../../../words/t.ts";

export interface CancelControl {
  readonly requested: boolean;
  /** Aborts on the first request: for everything before the script runs. */
  readonly early: AbortSignal;
  /** Aborts when the caller no longer waits for the board. */
  readonly abandoned: AbortSignal;
  /** `letGo` ended it. */
  readonly released: boolean;
  request(): void;
  /** Leaves the run to itself, at once. */
  letGo(): void;
  /** Waits before the next try; `tryNow`, a request and letting go end that. @param ms at most */
  pause(ms: number): Promise<void>;
  tryNow(): void;
}

/** A second request sooner than this is the same click. */
const SAME_CLICK = 3_000;

export function createCancelControl(now: () => number = () => performance.now()): CancelControl {
  const early = new AbortController();
  const abandoned = new AbortController();
  let first: number | undefined;
  let released = false;
  let waiting = new AbortController();
  return {
    get requested() {
      return first !== undefined;
    },
    early: early.signal,
    abandoned: abandoned.signal,
    get released() {
      return released;
    },
    request() {
      const reason = new UserError("cancelled", t("The run was cancelled."));
      if (first === undefined) {
        first = now();
        early.abort(reason);
      } else if (now() - first >= SAME_CLICK) {
        abandoned.abort(reason);
      }
    },
    letGo() {
      if (abandoned.signal.aborted) return;
      released = true;
      abandoned.abort(new UserError("released", t("The run is no longer followed; it keeps running on the board.")));
    },
    async pause(ms) {
      waiting = new AbortController();
      const signal = AbortSignal.any([waiting.signal, early.signal, abandoned.signal]);
      await delay(ms, undefined, { signal }).catch(() => {});
    },
    tryNow: () => waiting.abort(),
  };
}
