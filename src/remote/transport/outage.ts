/** A connection that went: how often to try again and when, and which failures trying again does not change. */
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";

export interface Outage {
  /** Attempts counted so far. */
  readonly attempts: number;
  /** It was tried so often that trying goes on no more. */
  readonly over: boolean;
  /** Counts an attempt; gives the pause before it, in milliseconds. */
  nextPause(): number;
}

const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;
/**
 * Two hours of being awake, and more where each attempt has to be waited for. Attempts are counted, not time: a laptop
 * that slept for an hour has not tried at all, whatever its clock says.
 */
const MOST_ATTEMPTS = 240;
const FINAL =
  /^(auth-failed|host-key-|known-hosts-|bad-target|ssh-config|proxy-command|too-many-hops|no-common-algorithm|not-your-folder|open-folder)/;

export function newOutage(): Outage {
  let attempts = 0;
  return {
    get attempts() {
      return attempts;
    },
    get over() {
      return attempts >= MOST_ATTEMPTS;
    },
    nextPause: () => Math.min(FIRST_PAUSE * 2 ** attempts++, LONGEST_PAUSE),
  };
}

/** A failure that may be another one at the next attempt. */
export function isPassing(error: unknown): error is UserError {
  return error instanceof UserError && !FINAL.test(error.code);
}

/** @param hint what goes on meanwhile and what to do later */
export function gaveUp(last: UserError, hint: string): UserError {
  return new UserError("reconnect-gave-up", t("{0} It was tried {1} times.", last.message, MOST_ATTEMPTS), hint, {
    cause: last,
  });
}
