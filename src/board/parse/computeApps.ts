/** What `nvidia-smi --query-compute-apps=pid,used_gpu_memory --format=csv,noheader,nounits` prints. */
const MIB = 1024 * 1024;
const ROW = /^(\d{1,10}), *(\d{1,9}|\[[^\]]{1,40}\])$/;
const MOST = 1_000;

export interface ComputeApp {
  readonly pid: number;
  /** Absent where the driver lists the process without its size. */
  readonly bytes?: number;
}

const NO_SIZES = /^(\[(N\/A|Not Supported)\]\r?\n?)+$/;

/**
 * @param text what `nvidia-smi --query-gpu=memory.total --format=csv,noheader,nounits` prints
 * @returns whether no GPU has a memory of its own, as on a DGX Spark. A size does not tell the contrary: the driver of
 *   the N1X names one, though its GPU uses the RAM.
 */
export function hasNoGpuMemory(text: string): boolean {
  return NO_SIZES.test(text);
}

/** @returns undefined for what is no such list */
export function parseComputeApps(text: string): readonly ComputeApp[] | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line !== "");
  if (lines.length > MOST) return undefined;
  const apps: ComputeApp[] = [];
  for (const line of lines) {
    const [, pid, size] = ROW.exec(line) ?? [];
    if (pid === undefined || size === undefined) return undefined;
    apps.push(size.startsWith("[") ? { pid: Number(pid) } : { pid: Number(pid), bytes: Number(size) * MIB });
  }
  return apps;
}
