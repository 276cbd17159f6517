/** What the last records of a run's memory show. Sizes are bytes. */
import { present } from "../../profile/files/jsonRecords.ts";
import type { Moment } from "../moments/model.ts";
import type { MomentTable } from "../moments/momentTable.ts";
import type { LastMoment } from "./model.ts";

/** A run's moments, oldest first. */
export type Moments = Pick<MomentTable, "size" | "moment">;

const SHOWN = 12;

/** The last moments at which the run was on, oldest first: what came after its end says nothing of it. */
export function lastMoments(moments: Moments | undefined): readonly Moment[] {
  const found: Moment[] = [];
  for (let i = (moments?.size ?? 0) - 1; i >= 0 && found.length < SHOWN; i--) {
    const moment = moments?.moment(i);
    if (moment !== undefined && moment.run.length > 0) found.unshift(moment);
  }
  return found;
}

export function shownMoment(moment: Moment): LastMoment {
  const { meminfo, at } = moment;
  return present({
    t: moment.t,
    memAvailable: meminfo["MemAvailable"],
    // Where no swap is set up, 0 would look like one that is used up.
    swapFree: meminfo["SwapTotal"] === 0 ? undefined : meminfo["SwapFree"],
    runRss: runRss(moment),
    nvmap: meminfo["NvMapMemUsed"] ?? moment.nvmap?.total,
    at,
  });
}

/** Of the run's processes together; pages that they share count in each. Undefined where none is known. */
export function runRss(moment: Moment): number | undefined {
  const own = moment.processes.filter(({ pid }) => moment.run.includes(pid));
  return own.length === 0 ? undefined : own.reduce((sum, { rss }) => sum + rss, 0);
}

/** Less than this is left: the kernel has to look for pages in earnest. */
export function tightLimit(memTotal: number): number {
  return Math.max(0.05 * memTotal, 150 * 2 ** 20);
}

/**
 * The moment among these at which least was left: of those at which memory was tight the one with the least memory and
 * swap together, as swap is used up while memory stays at what the kernel keeps; else the one with the least memory.
 * Of equal ones the latest. Undefined where it is not known.
 */
export function tightest(moments: readonly Moment[]): Moment | undefined {
  const tight = moments.filter(isTight);
  const among = tight.length > 0 ? tight : moments;
  const leftAt = ({ meminfo: { MemAvailable, SwapFree = 0 } }: Moment): number =>
    (MemAvailable ?? Number.POSITIVE_INFINITY) + (tight.length > 0 ? SwapFree : 0);
  let least: Moment | undefined;
  for (const moment of among) {
    if (moment.meminfo["MemAvailable"] === undefined) continue;
    if (least === undefined || leftAt(moment) <= leftAt(least)) least = moment;
  }
  return least;
}

export function isTight({ meminfo }: Moment): boolean {
  const { MemAvailable: available, MemTotal: total } = meminfo;
  return available !== undefined && total !== undefined && available < tightLimit(total);
}

/** Swap is set up, and more of it free than a few pages: the kernel seldom ends a process then. */
export function hasSwapLeft({ meminfo }: Moment): boolean {
  const { SwapFree: free, SwapTotal: total } = meminfo;
  return free !== undefined && total !== undefined && free > Math.max(64 * 2 ** 20, 0.1 * total);
}
