/** /proc/buddyinfo: how many free blocks of 1, 2, 4, … pages there are in each zone. */

const TEXT_LIMIT = 64 * 1024;
const ROW = /^Node\s+\d+,\s+zone\s+\S+\s+([\d\s]+)$/;
const PAGE = 4096;
/** Kernels have 11 to 14 orders. */
const MOST_ORDERS = 24;
const COUNT = /^\d{1,12}$/;

/** The largest free blocks over all zones, as `lfb` of tegrastats: how many, and how many bytes each. */
export interface FreeBlocks {
  readonly count: number;
  readonly bytes: number;
}

/** @returns undefined where the text has no such rows, or nothing is free */
export function largestFreeBlock(text: string, pageSize: number = PAGE): FreeBlocks | undefined {
  const counts: number[] = [];
  for (const line of text.slice(0, TEXT_LIMIT).split("\n")) {
    const row = ROW.exec(line)?.[1];
    const blocks = row?.trim().split(/\s+/) ?? [];
    if (blocks.length > MOST_ORDERS || !blocks.every((count) => COUNT.test(count))) continue;
    for (const [order, count] of blocks.entries()) counts[order] = (counts[order] ?? 0) + Number(count);
  }
  const order = counts.reduce((highest, count, at) => (count > 0 ? at : highest), -1);
  const count = counts[order];
  return count === undefined ? undefined : { count, bytes: pageSize * 2 ** order };
}
