/**
 * Refreshes a tree only between its questions: VS Code drops the answer to a question that is open when the tree is
 * refreshed, and the row then stays open without children.
 */
import { coalesced } from "../../link/coalesced.ts";

export interface QuietRefresh {
  /** The tree is to be refreshed as soon as no question is open. */
  request(): void;
  /** So it is if something is not known yet. */
  requestIfNew(): void;
  /** Answers a question of the tree. */
  answer<Result>(work: () => Promise<Result>): Promise<Result>;
  dispose(): void;
}

/** VS Code goes on working with an answer for a moment after it was given. */
const AFTERWARDS_MS = 50;

/**
 * @param prepare what a refresh needs, made right before it; must not reject
 * @param fire not called for what was prepared while a question came: it is prepared again after that
 * @param isKnown whether the tree shows already what was prepared
 */
export function createQuietRefresh<Prepared>(
  prepare: () => Promise<Prepared>,
  fire: (prepared: Prepared) => void,
  isKnown: (prepared: Prepared) => boolean = () => false,
): QuietRefresh {
  let open = 0;
  let questions = 0;
  let wanted = false;
  /** Also where all is known. */
  let anew = false;
  let preparing = false;
  const refresh = async (): Promise<void> => {
    if (open > 0 || preparing) return;
    wanted = false;
    preparing = true;
    const before = questions;
    const prepared = await prepare();
    preparing = false;
    if (questions !== before) wanted = true;
    else if (anew || !isKnown(prepared)) {
      anew = false;
      fire(prepared);
    }
    if (wanted && open === 0) soon.call();
  };
  const soon = coalesced(AFTERWARDS_MS, () => void refresh());
  return {
    request() {
      anew = true;
      wanted = true;
      soon.call();
    },
    requestIfNew() {
      wanted = true;
      soon.call();
    },
    async answer(work) {
      open += 1;
      questions += 1;
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
