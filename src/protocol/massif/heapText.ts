/** Heap figures in words; each says that it is heap (or pages), since RSS figures stand in the same places. */
import { formatBytes, formatChange, formatCount } from "../../profile/text/format.ts";
import { t } from "../../words/t.ts";
import type { HeapPeak, HeapShare } from "../server.ts";

/** `12.0 MiB of heap at peak`; `at least …` where more than that is on no line. */
export function atPeakText(bytes: number, peak: HeapPeak | undefined): string {
  const held = ofHeap(formatBytes(bytes), peak);
  const then = peak?.substitute ? t("{0} at the largest snapshot with stacks", held) : t("{0} at peak", held);
  return bytes < (peak?.withoutLine ?? 0) ? t("at least {0}", then) : then;
}

function ofHeap(figure: string, peak: HeapPeak | undefined): string {
  return peak?.pages ? t("{0} of pages", figure) : t("{0} of heap", figure);
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
  return t("{0} {1}", ofHeap(formatChange(measured.net), peak), measuredText(measured));
}

/** `in 150 hits`, or where not every one was measured `in 3 of 150 hits`. */
export function measuredText({ measured, hits }: NonNullable<HeapShare["measured"]>): string {
  const all = hits === 1 ? t("1 hit") : t("{0} hits", formatCount(hits));
  return measured === hits ? t("in {0}", all) : t("in {0} of {1}", formatCount(measured), all);
}
