/** GPU memory by process as the driver nvidia.ko lists it, for boards whose NvMap tells nothing. */
import type { ComputeApp } from "../parse/computeApps.ts";
import type { Facts } from "./facts.ts";
import { wholeBytes } from "./purse.ts";

export interface DriverCounts {
  /** Of the run's processes; undefined while nothing is profiled. */
  readonly run: number | undefined;
  readonly others: readonly { readonly name: string; readonly bytes: number }[];
}

/**
 * @returns undefined where the list cannot be believed: it lacks sizes, or the run's process that holds GPU memory by
 *   PyTorch's own account, as in a container, whose processes have other numbers outside
 */
export function driverCounts({ moment }: Pick<Facts, "moment">): DriverCounts | undefined {
  const { gpuApps, cuda, processes } = moment;
  if (gpuApps === undefined) return undefined;
  const sized = gpuApps.flatMap(({ pid, bytes }: ComputeApp) => (bytes === undefined ? [] : [{ pid, bytes }]));
  if (sized.length < gpuApps.length) return undefined;
  const pids = new Set(moment.run);
  const own = sized.filter(({ pid }) => pids.has(pid));
  if (cuda !== undefined && cuda.reserved > 0 && !own.some(({ pid }) => pid === cuda.pid)) return undefined;
  const names = new Map(processes.map(({ pid, name }) => [pid, name]));
  return {
    run: pids.size === 0 ? undefined : own.reduce((sum, { bytes }) => sum + wholeBytes(bytes), 0),
    others: sized
      .filter(({ pid }) => !pids.has(pid))
      .map(({ pid, bytes }) => ({ name: names.get(pid) ?? `${pid}`, bytes: wholeBytes(bytes) })),
  };
}
