/** What a script's error output says of memory that could not be had. */
import type { EndingKind } from "./model.ts";
import { lastTracebacks, type Traceback } from "./traceback.ts";

/** The kinds that the script's own words tell; that the kernel ended it, they cannot. */
export type SpokenKind = Exclude<EndingKind, "kernel-out-of-memory" | "memory-limit">;

export interface MemoryMessage {
  readonly kind: SpokenKind;
  /** As it was printed. */
  readonly text: string;
  /** The exception that says it; undefined where it stands outside any. */
  readonly raised?: Traceback;
  /** The message of the exception that ended the script afterwards, where that is another. */
  readonly then?: string;
}

/** What NvMap prints where it can hand out no memory of the GPU. */
export const NVMAP_ERROR_12 = /NvMapMemAllocInternalTagged: [\w ]{0,80}error 12\b/;

// The special before the general: each of the first three also is an error of CUDA's.
const PATTERNS: readonly (readonly [SpokenKind, RegExp])[] = [
  ["nvml-assert", /NVML_SUCCESS == r ?INTERNAL ASSERT FAILED/],
  ["cuda-driver-out-of-memory", /CUDA driver error: out of memory/],
  [
    "cuda-out-of-memory",
    /CUDA out of memory|CUDA error: out of memory|cuda runtime error \(2\)|CU(?:DNN|BLAS)_STATUS_ALLOC_FAILED|cudaErrorMemoryAllocation/,
  ],
  ["nvmap-error-12", NVMAP_ERROR_12],
  ["errno-12", /\[Errno 12\]/],
  [
    "memory-error",
    /^(?:[\w.]{1,200}\.)?_?(?:Array)?MemoryError\b|std::bad_alloc|DefaultCPUAllocator: (?:can't|not enough)|workers are out of shared memory/,
  ],
  ["killed", /DataLoader worker \(pid[^)\n]{0,200}\) is killed by signal: Killed/],
];

function memoryKind(text: string): SpokenKind | undefined {
  return PATTERNS.find(([, pattern]) => pattern.test(text))?.[0];
}

/** The end of an error output that may have to do with the script's end. */
const NEAR_THE_END = 16 * 1024;

/** What the error output of a script that failed says last of memory; undefined where its failure was another. */
export function lastMemoryMessage(stderr: string): MemoryMessage | undefined {
  const chain = lastTracebacks(stderr);
  const origin = originOf(chain);
  const last = firstLine(chain.at(-1)?.message ?? "");
  if (origin !== undefined) {
    const then = origin.link !== "worker" && memoryKind(last) === undefined ? last : "";
    return { ...origin, ...(then === "" ? {} : { then }) };
  }
  const printed = lastPrinted(stderr.slice(Math.max(0, (chain[0]?.start ?? stderr.length) - NEAR_THE_END)));
  if (last === "") return printed;
  // The driver tells of its own failure before the exception that follows from it. Other words before an exception
  // that speaks of something else were of an error that the script had got over.
  if (printed?.kind === "nvmap-error-12" && /CUDA|cuDNN|cuBLAS|NVML/i.test(last)) return printed;
  return lastPrinted(stderr.slice(chain.at(-1)?.start));
}

/** The exception that was first of those that say the same: where it was raised, not where it was passed on. */
function originOf(chain: readonly Traceback[]): (MemoryMessage & { readonly link: Traceback["link"] }) | undefined {
  const spoken = chain.map((raised) => ({ raised, kind: memoryKind(firstLine(raised.message)) }));
  let found = spoken.length - 1;
  while (found >= 0 && spoken[found]?.kind === undefined) found--;
  while (spoken[found]?.raised.link === "cause" && spoken[found - 1]?.kind !== undefined) found--;
  const { raised, kind } = spoken[found] ?? {};
  return raised === undefined || kind === undefined
    ? undefined
    : { kind, text: raised.message, raised, link: raised.link };
}

/** Source lines in a traceback are indented: they may quote such words. */
function lastPrinted(text: string): MemoryMessage | undefined {
  const line = text
    .split(/\r\n|\n|\r/)
    .filter((one) => /^\S/.test(one) && memoryKind(one) !== undefined)
    .at(-1);
  const kind = line === undefined ? undefined : memoryKind(line);
  return line === undefined || kind === undefined ? undefined : { kind, text: line.trim() };
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
