/** A connection that went: how often and for how long to try again, and which failures trying again does not change. */
import { UserError } from "../../profile/userError.ts";

export interface Outage {
  /** Attempts counted so far. */
  readonly attempts: number;
  /** It has lasted so long that trying goes on no more. */
  readonly over: boolean;
  /** Counts an attempt; gives the pause before it, in milliseconds. */
  nextPause(): number;
}

const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;
const GIVE_UP_AFTER = 10 * 60_000;
const FINAL =
  /^(auth-failed|host-key-|known-hosts-|bad-target|ssh-config|proxy-command|too-many-hops|no-common-algorithm)/;

export function newOutage(): Outage {
  const until = performance.now() + GIVE_UP_AFTER;
  let attempts = 0;
  return {
    get attempts() {
      return attempts;
    },
    get over() {
      return performance.now() >= until;
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
  return new UserError(
    "reconnect-gave-up",
    `${last.message} No connection for ${GIVE_UP_AFTER / 60_000} minutes.`,
    hint,
    { cause: last },
  );
}
