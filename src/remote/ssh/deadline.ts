/** A time limit that does not run while a person is being asked. */
import type { Prompter } from "../../protocol/run/run.ts";

/** Milliseconds for one hop, where the user's configuration has no ConnectTimeout. */
export const CONNECT_TIMEOUT = 15_000;

export interface Deadline {
  /** Begins the limit anew. */
  restart(): void;
  stop(): void;
  /** Waits for a person without the clock running. */
  whilePaused<T>(wait: () => Promise<T>): Promise<T>;
}

export function startDeadline(limitMs: number, onExpired: () => void): Deadline {
  let timer: NodeJS.Timeout | undefined;
  let pauses = 0;
  let stopped = false;
  const stopTimer = (): void => clearTimeout(timer);
  const restart = (): void => {
    stopTimer();
    if (!stopped && pauses === 0) timer = setTimeout(onExpired, limitMs);
  };
  restart();
  return {
    restart,
    stop() {
      stopped = true;
      stopTimer();
    },
    async whilePaused(wait) {
      pauses++;
      stopTimer();
      try {
        return await wait();
      } finally {
        pauses--;
        restart();
      }
    },
  };
}

/** The prompter, with the limit standing still while it waits. */
export function pausing(prompter: Prompter, deadline: Deadline): Prompter {
  return {
    confirmHostKey: (question) => deadline.whilePaused(() => prompter.confirmHostKey(question)),
    secret: (question) => deadline.whilePaused(() => prompter.secret(question)),
    keyboardInteractive: (question) => deadline.whilePaused(() => prompter.keyboardInteractive(question)),
  };
}
