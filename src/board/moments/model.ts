/**
 * One moment of the whole board as it was read there. Sizes are bytes (MiB = 2^20 bytes), times milliseconds. What
 * could not be read is absent, never 0. docs/run-folder.md, "moments.jsonl", says where each comes from.
 */
import type { ComputeApp } from "../parse/computeApps.ts";
import type { NvmapClients } from "../parse/nvmap.ts";
import type { ServersSaid } from "../parse/serversSaid.ts";
import type { Tegrastats } from "../parse/tegrastats.ts";

export interface Moment {
  /** Since the run began (negative: before it), or since the watching began. */
  readonly t: number;
  /** The moment taken right before the script was started. */
  readonly baseline: boolean;
  /** /proc/meminfo in bytes by the kernel's names; the `HugePages_*` are counts. */
  readonly meminfo: Meminfo;
  /** Every process of the board whose memory could be told, as of `processesAgeMs` before this moment. */
  readonly processes: readonly ProcessMemory[];
  readonly processesAgeMs: number;
  /** The pids that belong to the profiled run; empty while nothing is profiled. Those are as of this moment. */
  readonly run: readonly number[];
  /** The table of NvMap's clients; only root may read it. */
  readonly nvmap?: NvmapClients;
  /** GPU memory by process as the driver nvidia.ko lists it. */
  readonly gpuApps?: readonly ComputeApp[];
  /** The driver has no size of any GPU's own memory: they use the board's RAM. Absent where it has, or does not tell. */
  readonly noGpuMemory?: true;
  /** What inference servers among the processes say of their own memory. */
  readonly servers?: ServersSaid;
  readonly tegrastats?: Tegrastats;
  /** 0 to 1. */
  readonly gpuLoad?: number;
  /** What the compressed swap in memory takes of the board's RAM, and what lies in it. */
  readonly zram?: { readonly used: number; readonly stored: number };
  /** Free pages that the processor cores keep for themselves, which are in neither MemFree nor MemAvailable. */
  readonly pagesets?: number;
  /** What PyTorch's allocator said of itself, and how long before this moment. */
  readonly cuda?: CudaFigures;
  /** Of a run in a container: what counts against its memory limit, and the limit where there is one. */
  readonly container?: { readonly used: number; readonly limit?: number };
  /** The main thread's current line; `path` is relative to the project folder, with `/`. */
  readonly at?: { readonly path: string; readonly line: number };
}

export type Meminfo = Readonly<Record<string, number>>;

export interface ProcessMemory {
  readonly pid: number;
  /** The kernel's short name (comm), at most 15 characters. */
  readonly name: string;
  readonly uid?: number;
  /** RssAnon, RssFile and RssShmem of /proc/<pid>/status; kernels before 4.5 tell only their sum. */
  readonly anon?: number;
  readonly file?: number;
  readonly shmem?: number;
  readonly rss: number;
  readonly swap?: number;
  /** Of a process whose smaps may be read: its share of what it shares with others. */
  readonly pss?: number;
  /** What only this process holds. */
  readonly uss?: number;
}

export interface CudaFigures {
  readonly pid: number;
  readonly ageMs: number;
  /** torch.cuda.memory_allocated, memory_reserved and max_memory_allocated, over all devices. */
  readonly allocated: number;
  readonly reserved: number;
  readonly allocatedPeak?: number;
  /** CUDA says that its devices use the board's RAM (true) or have their own; absent where it was not asked. */
  readonly integrated?: boolean;
}
