/** What the file remembers to use again, by number. In pages: one array of millions would be copied as it grows. */
import type { PickleValue } from "./values.ts";

const PAGE_BITS = 16;
const PAGE = 1 << PAGE_BITS;

export interface Memo {
  count(): number;
  get(index: number): PickleValue | undefined;
  /** @param index at most `count()` */
  set(index: number, value: PickleValue): void;
}

export function createMemo(): Memo {
  const pages: PickleValue[][] = [];
  let count = 0;
  return {
    count: () => count,
    get: (index) => pages[index >>> PAGE_BITS]?.[index & (PAGE - 1)],
    set(index, value) {
      if (index === count) {
        if (index % PAGE === 0) pages.push([]);
        count++;
      }
      const page = pages[index >>> PAGE_BITS];
      if (page !== undefined) page[index & (PAGE - 1)] = value;
    },
  };
}
