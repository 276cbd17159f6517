/** How much a pickle may ask of us. A snapshot of 1 GB that PyTorch wrote needs less than two thirds of each, of columns less than all. */
import { formatBytes } from "../../profile/text/format.ts";
import { t } from "../../words/t.ts";
import { tooLarge } from "./errors.ts";

export const LIMITS = {
  /** Bytes of the file. */
  file: 2 * 1024 ** 3,
  /** Bytes of one text: the names of C++ templates take KBs. */
  text: 1024 ** 2,
  /** Bytes of one integer: addresses take nine. */
  integer: 255,
  /** Containers that are open at once: a snapshot has six. */
  depth: 1_000,
  /** Values that wait for their container: Python's pickle writes them in batches of 1,000. */
  waiting: 1_000_000,
  /** Bytes of JavaScript's heap for all that is kept of the file and worked out of it, estimated from above. */
  memory: 768 * 1024 ** 2,
  /** The same of columns of numbers, which lie outside of the heap: 11 million events, where 1 GB with short stacks has some 10. */
  columns: 1280 * 1024 ** 2,
} as const;

/** Adds up what is kept. */
export interface Budget {
  /** @throws UserError `pickle-too-large` */
  take(bytes: number): void;
  give(bytes: number): void;
}

export function createBudget(limit: number = LIMITS.memory): Budget {
  let left = limit;
  return {
    take(bytes) {
      left -= bytes;
      if (left < 0) throw tooLarge(t("What the file holds would take more than {0} of memory.", formatBytes(limit)));
    },
    give(bytes) {
      left += bytes;
    },
  };
}
