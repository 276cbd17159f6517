/** What the kernel says of one process's memory, in /proc/<pid>. Bytes; what is not there is absent. */

const TEXT_LIMIT = 16 * 1024 * 1024;

export interface ProcessStatus {
  readonly name?: string;
  readonly uid?: number;
  readonly rss?: number;
  readonly anon?: number;
  readonly file?: number;
  readonly shmem?: number;
  readonly swap?: number;
}

const STATUS_SIZES = {
  VmRSS: "rss",
  RssAnon: "anon",
  RssFile: "file",
  RssShmem: "shmem",
  VmSwap: "swap",
} as const satisfies Readonly<Record<string, keyof ProcessStatus>>;

/** `status`. A kernel thread has no sizes; kernels before 4.5 do not split RSS. */
export function parseStatus(text: string): ProcessStatus {
  const bounded = text.slice(0, 64 * 1024);
  const sizes = Object.entries(STATUS_SIZES).flatMap(([field, key]) => {
    const kilobytes = new RegExp(`^${field}:\\s*(\\d{1,15}) kB\\s*$`, "m").exec(bounded)?.[1];
    return kilobytes === undefined ? [] : [[key, Number(kilobytes) * 1024] as const];
  });
  const name = /^Name:\t(.*)$/m.exec(bounded)?.[1];
  const uid = /^Uid:\s+(\d{1,10})\s/m.exec(bounded)?.[1];
  return {
    ...(name === undefined ? {} : { name }),
    ...(uid === undefined ? {} : { uid: Number(uid) }),
    ...Object.fromEntries(sizes),
  };
}

export interface SmapsSums {
  readonly rss: number;
  readonly pss: number;
  /** Private_Clean and Private_Dirty. */
  readonly uss: number;
  readonly swap: number;
}

/**
 * The sums of `smaps`, or of `smaps_rollup`, which has one row of each.
 * @returns undefined where the text has none, as that of a kernel thread
 */
export function parseSmaps(text: string): SmapsSums | undefined {
  const sums = { Rss: 0, Pss: 0, Private_Clean: 0, Private_Dirty: 0, Swap: 0 };
  let rows = 0;
  for (const match of text
    .slice(0, TEXT_LIMIT)
    .matchAll(/^(Rss|Pss|Private_Clean|Private_Dirty|Swap):[ \t]*(\d{1,15}) kB[ \t]*\r?$/gm)) {
    sums[match[1] as keyof typeof sums] += Number(match[2]) * 1024;
    rows += 1;
  }
  if (rows === 0) return undefined;
  return { rss: sums.Rss, pss: sums.Pss, uss: sums.Private_Clean + sums.Private_Dirty, swap: sums.Swap };
}
