/** What each ending is called and what it means, for people who did not know that it exists. */
import { formatBytes, formatDuration } from "../../profile/format.ts";
import type { Moment } from "../moments/model.ts";
import { hasSwapLeft, isTight } from "./lastMoments.ts";
import type { EndingKind } from "./model.ts";

/** A sentence without its end: where it happened follows. */
export const WHAT_HAPPENED: Readonly<Record<EndingKind, string>> = {
  "kernel-out-of-memory": "The board ran out of memory and the kernel ended the run",
  "memory-limit": "The run reached its memory limit and the kernel ended it",
  killed: "The run was killed (SIGKILL)",
  "cuda-out-of-memory": "CUDA could get no more memory",
  "cuda-driver-out-of-memory": "The CUDA driver refused a request for memory",
  "nvml-assert": "PyTorch ran out of GPU memory and failed while it wanted to say so",
  "nvmap-error-12": "NvMap, the driver that hands out the GPU's memory, could get no more",
  "errno-12": "The kernel refused memory to the script (Errno 12)",
  "memory-error": "The script could get no more memory",
};

/**
 * @param sharedMemory CPU and GPU share one memory
 * @param tightest the moment among the last ones at which least was left
 * @param endMs when the run ended, as the moments' `t`
 */
export function meaningOf(
  kind: EndingKind,
  sharedMemory: boolean,
  tightest: Moment | undefined,
  endMs: number | undefined,
): string {
  const gpu = sharedMemory
    ? "CPU and GPU share the board's RAM, so everything that runs on the board takes part in it. GPU memory cannot be swapped."
    : "This is the memory of the graphics card, which the board's RAM and swap do not add to.";
  switch (kind) {
    case "kernel-out-of-memory":
      return (
        "There was no memory left that the kernel could free, so it ended the process that held most of it. " +
        "Python gets no chance to print a traceback then."
      );
    case "memory-limit":
      return (
        "The limit is that of a group of processes: of a container, a service or a login. It may be reached while the " +
        "board itself has memory left. Python gets no chance to print a traceback then."
      );
    case "killed":
      return `${killedMeaning(sharedMemory, tightest, endMs)} Python gets no chance to print a traceback when it is killed.`;
    case "cuda-out-of-memory":
      return `PyTorch asked CUDA for more memory than was left for the GPU. ${gpu}`;
    case "cuda-driver-out-of-memory":
      return (
        "This message does not come from a full memory alone: PyTorch's expandable segments ask the driver in a way " +
        `that can fail on its own. ${gpu}`
      );
    case "nvml-assert":
      return (
        "The text speaks of a fault in PyTorch, but it is an out of memory: PyTorch wanted to add figures to its " +
        `message that this GPU's driver does not give. ${gpu}`
      );
    case "nvmap-error-12":
      return (
        "Error 12 means that no memory could be had: because it is used up, or because what is free lies in pieces " +
        `that are too small. ${gpu}`
      );
    case "errno-12":
      return (
        "The kernel had not enough memory to give, or to start another process: a process that starts a worker must " +
        "be able to have all of its memory twice."
      );
    case "memory-error":
      return "A request for the CPU's memory was refused. What was asked for at once may be larger than all that is left.";
  }
}

function killedMeaning(sharedMemory: boolean, tightest: Moment | undefined, endMs: number | undefined): string {
  const available = tightest?.meminfo["MemAvailable"];
  if (tightest === undefined || available === undefined) {
    return "Usually that is the kernel's out-of-memory killer, but anyone may kill a process, and no record of the memory tells which it was here.";
  }
  const { SwapFree: swap, SwapTotal: swapTotal = 0 } = tightest.meminfo;
  const left = `${formatBytes(available)} of memory${swap === undefined || swapTotal === 0 ? "" : ` and ${formatBytes(swap)} of swap`}`;
  // Memory may fall fast between two records.
  const record =
    endMs === undefined || endMs < tightest.t
      ? "One of the last records"
      : `The record ${formatDuration(endMs - tightest.t)} before the end`;
  if (!isTight(tightest)) {
    return `${record} still shows ${left} left: someone may have killed it, or it asked for much at once after that.`;
  }
  if (!hasSwapLeft(tightest)) {
    return `${record} shows ${left} left, so it most likely was the kernel's out-of-memory killer; its log could not be read.`;
  }
  const unless = sharedMemory
    ? "unless most is memory of the GPU, which cannot go there"
    : "unless memory falls very fast";
  return `${record} shows ${left} left. The kernel seldom ends a process while swap is free, ${unless}: someone or something else may have killed it.`;
}
