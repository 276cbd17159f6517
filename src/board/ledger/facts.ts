/** What the rows of a ledger are made of: one moment, and where there is one the moment before the run. */
import type { Moment, ProcessMemory } from "../moments/model.ts";
import { wholeBytes } from "./purse.ts";

/** `shared`: CPU and GPU use the same RAM, as on every Jetson. `own`: the GPU has a memory of its own, as a graphics card. */
export type GpuMemory = "shared" | "own" | "unknown";

export interface Facts {
  readonly moment: Moment;
  /** The moment before the run; undefined where it is the moment itself. */
  readonly baseline: Moment | undefined;
  readonly run: readonly ProcessMemory[];
  readonly others: readonly ProcessMemory[];
  readonly gpuMemory: GpuMemory;
  /** NvMap counts GPU memory here, whether or not its counts may be read. */
  readonly hasNvmap: boolean;
  /** A count of /proc/meminfo; undefined where this kernel does not print it. */
  count(name: string): number | undefined;
}

export function factsOf(moment: Moment, baseline: Moment | undefined): Facts {
  const pids = new Set(moment.run);
  const before = baseline === moment ? undefined : baseline;
  const hasNvmap = showsTegra(moment) || (before !== undefined && showsTegra(before));
  return {
    moment,
    baseline: before,
    run: moment.processes.filter(({ pid }) => pids.has(pid)),
    others: moment.processes.filter(({ pid }) => !pids.has(pid)),
    gpuMemory: hasNvmap ? "shared" : gpuMemoryOf(moment),
    hasNvmap,
    count: (name) => countOf(moment, name),
  };
}

export function countOf({ meminfo }: Moment, name: string): number | undefined {
  const value = meminfo[name];
  return value === undefined || !Number.isFinite(value) ? undefined : wholeBytes(value);
}

/** NvMap, tegrastats and the GPU's load in sysfs are there on a Jetson only, where GPU and CPU share the RAM. */
function showsTegra(moment: Moment): boolean {
  return (
    countOf(moment, "NvMapMemUsed") !== undefined ||
    moment.nvmap !== undefined ||
    moment.tegrastats !== undefined ||
    moment.gpuLoad !== undefined
  );
}

export function gpuMemoryOf(moment: Moment): GpuMemory {
  if (showsTegra(moment)) return "shared";
  const integrated = moment.cuda?.integrated ?? moment.noGpuMemory;
  return integrated === undefined ? "unknown" : integrated ? "shared" : "own";
}

/** All of NvMap in use; undefined where neither /proc/meminfo nor the root-only table tells it. */
export function nvmapUsed(moment: Moment): number | undefined {
  const inMeminfo = countOf(moment, "NvMapMemUsed");
  if (inMeminfo !== undefined) return inMeminfo;
  const { nvmap } = moment;
  if (nvmap === undefined) return undefined;
  return wholeBytes(nvmap.total ?? nvmap.clients.reduce((sum, { bytes }) => sum + wholeBytes(bytes), 0));
}
