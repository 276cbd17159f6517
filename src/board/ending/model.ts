/** Why a run ran out of memory, with what is known of its last moments. Sizes are bytes. */
import type { CudaOom } from "../../torch/oomMessage.ts";
import type { Sureness } from "../ledger/model.ts";

export type EndingKind =
  | "kernel-out-of-memory"
  /** By the kernel too, at the limit of the run's memory group. */
  | "memory-limit"
  | "killed"
  | "cuda-out-of-memory"
  | "cuda-driver-out-of-memory"
  | "nvml-assert"
  | "nvmap-error-12"
  | "errno-12"
  | "memory-error";

export interface EndingReport {
  readonly kind: EndingKind;
  /** One sentence: what ended the run, and where. */
  readonly headline: string;
  /** What it means on this board, two or three sentences. */
  readonly meaning: string;
  readonly sureness: Exclude<Sureness, "unknown">;
  /** Of a program that a launcher started several times, the one that it happened to, where that is known. */
  readonly rank?: number;
  /** The project's line that was executing. */
  readonly place?: CodePlace;
  /** Outermost first. */
  readonly stack: readonly StackFrame[];
  /** Where the stack is from: a traceback of the script's error output, or what was recorded while it ran. */
  readonly stackSource: "traceback" | "recorded" | "none";
  /** The message in the script's error output that tells it, as it was printed. */
  readonly message?: string;
  /** The kernel's log lines on the kill, where they may be read. */
  readonly kernelLog: readonly string[];
  /** How the kill is known, where the kernel did it. */
  readonly evidence?: string;
  readonly allocator?: CudaOom;
  /** The last moments before the end, oldest first. */
  readonly last: readonly LastMoment[];
}

export interface CodePlace {
  /** Relative to the project folder, with `/`. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
}

export interface StackFrame {
  /** Relative to the project folder where `own`, else as the traceback has it. */
  readonly path: string;
  readonly line: number;
  readonly function?: string;
  /** The source line, where it is known. */
  readonly text?: string;
  /** Of the project. */
  readonly own: boolean;
}

export interface LastMoment {
  readonly t: number;
  readonly memAvailable?: number;
  /** Absent where there is no swap. */
  readonly swapFree?: number;
  readonly runRss?: number;
  readonly nvmap?: number;
  readonly at?: CodePlace;
}
