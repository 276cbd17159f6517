/** The whole-system view of smem 1.5, `smem -w`. */
import type { Meminfo } from "../moments/model.ts";

/** Bytes. `used` is `cache` and `noncache` together. */
export interface SmemArea {
  readonly used: number;
  readonly cache: number;
  readonly noncache: number;
}

export interface SmemWhole {
  readonly kernel: SmemArea;
  readonly userspace: SmemArea;
  readonly free: SmemArea;
}

/** Undefined where one of the counts it needs is missing. smem prints kB; these are the same counts in bytes. */
export function smemWhole(meminfo: Meminfo): SmemWhole | undefined {
  const { MemTotal, MemFree, Buffers, Cached, SReclaimable, AnonPages, Mapped } = meminfo;
  if (MemTotal === undefined || MemFree === undefined || Buffers === undefined || Cached === undefined)
    return undefined;
  if (SReclaimable === undefined || AnonPages === undefined || Mapped === undefined) return undefined;
  const userspace = AnonPages + Mapped;
  return {
    kernel: area(MemTotal - MemFree - userspace, Buffers + SReclaimable + Cached - Mapped),
    userspace: area(userspace, Mapped),
    free: area(MemFree, MemFree),
  };
}

function area(used: number, cache: number): SmemArea {
  return { used, cache, noncache: used - cache };
}
