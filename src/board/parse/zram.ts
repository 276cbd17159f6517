/** Compressed swap in memory: /sys/block/zram<n>/mm_stat. */

export interface ZramStat {
  /** Bytes of the pages that were put there. */
  readonly stored: number;
  /** What they are compressed to. */
  readonly compressed: number;
  /** RAM that the device takes, with what its own bookkeeping needs. */
  readonly used: number;
}

/** @returns undefined where the text has no such figures */
export function parseZramStat(text: string): ZramStat | undefined {
  const [, stored, compressed, used] = /^\s*(\d{1,16})\s+(\d{1,16})\s+(\d{1,16})(?:\s|$)/.exec(text) ?? [];
  if (stored === undefined) return undefined;
  return { stored: Number(stored), compressed: Number(compressed), used: Number(used) };
}
