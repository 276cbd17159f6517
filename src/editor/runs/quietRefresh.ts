/**
 * Refreshes a tree only between its questions: VS Code drops the answer to a question that is open when the tree is
 * refreshed, and the row then stays open without children.
 */
import { coalesced } from "../coalesced.ts";

export interface QuietRefresh {
  /** The tree is to be refreshed as soon as no question is open. */
  request(): void;
  /** Answers a question of the tree. */
  answer<Result>(work: () => Promise<Result>): Promise<Result>;
  dispose(): void;
}

/** VS Code goes on working with an answer for a moment after it was given. */
const AFTERWARDS_MS = 50;

export function createQuietRefresh(fire: () => void): QuietRefresh {
  let open = 0;
  let wanted = false;
  const soon = coalesced(AFTERWARDS_MS, () => {
    if (open > 0) return;
    wanted = false;
    fire();
  });
  return {
    request() {
      wanted = true;
      soon.call();
    },
    async answer(work) {
      open += 1;
      try {
        return await work();
      } finally {
        open -= 1;
        if (open === 0 && wanted) soon.call();
      }
    },
    dispose: soon.cancel,
  };
}
