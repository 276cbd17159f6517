/** Heap figures in words; each says that it is heap (or pages), since RSS figures stand in the same places. */
import { formatBytes, formatChange, formatCount } from "../profile/format.ts";
import type { HeapPeak, HeapShare } from "./server.ts";

/** `12.0 MiB of heap at peak`; `at least …` where more than that is on no line. */
export function atPeakText(bytes: number, peak: HeapPeak | undefined): string {
  const what = peak?.pages ? "of pages" : "of heap";
  const sure = bytes < (peak?.withoutLine ?? 0) ? "at least " : "";
  return `${sure}${formatBytes(bytes)} ${what} ${peak?.substitute ? "at the largest snapshot with stacks" : "at peak"}`;
}

/**
 * What a line is marked with, in bytes: what it held at the peak, or the change that was measured where that is more, since
 * massif's stacks lose sight of small allocations.
 */
export function heapMoved({ total, measured }: HeapShare): number {
  const net = measured?.net ?? 0;
  return total > 0 ? Math.max(total, net) : net;
}

/** Beside a line; empty where it held nothing at the peak and no change was measured. */
export function heapLabel(share: HeapShare, peak: HeapPeak | undefined): string {
  const { total, measured } = share;
  if (total > 0 && heapMoved(share) === total) return atPeakText(total, peak);
  if (measured === undefined || measured.net === 0) return "";
  return `${formatChange(measured.net)} ${peak?.pages ? "of pages" : "of heap"} ${measuredText(measured)}`;
}

/** `in 150 hits`, or where not every one was measured `in 3 of 150 hits`. */
export function measuredText({ measured, hits }: NonNullable<HeapShare["measured"]>): string {
  const all = `${formatCount(hits)} ${hits === 1 ? "hit" : "hits"}`;
  return measured === hits ? `in ${all}` : `in ${formatCount(measured)} of ${all}`;
}
