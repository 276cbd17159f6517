/** What each ending is called and what it means, for people who did not know that it exists. */
import { formatBytes, formatDuration } from "../../profile/text/format.ts";
import { type Phrase, phrase, say, sentences, t } from "../../words/t.ts";
import type { Moment } from "../moments/model.ts";
import { hasSwapLeft, isTight } from "./lastMoments.ts";
import type { EndingKind } from "./model.ts";

const WHAT_HAPPENED: Readonly<Record<EndingKind, Phrase>> = {
  "kernel-out-of-memory": phrase("The board ran out of memory and the kernel ended the run"),
  "memory-limit": phrase("The run reached its memory limit and the kernel ended it"),
  killed: phrase("The run was killed (SIGKILL)"),
  "cuda-out-of-memory": phrase("CUDA could get no more memory"),
  "cuda-driver-out-of-memory": phrase("The CUDA driver refused a request for memory"),
  "nvml-assert": phrase("PyTorch ran out of GPU memory and failed while it wanted to say so"),
  "nvmap-error-12": phrase("NvMap, the driver that hands out the GPU's memory, could get no more"),
  "errno-12": phrase("The kernel refused memory to the script (Errno 12)"),
  "memory-error": phrase("The script could get no more memory"),
};

/** A sentence without its end: where it happened follows. */
export const whatHappened = (kind: EndingKind): string => say(WHAT_HAPPENED[kind]);

/**
 * @param sharedMemory CPU and GPU share one memory
 * @param tightest the moment among the last ones at which least was left
 * @param endMs when the run ended, as the moments' `t`
 * @param last the last moment
 */
export function meaningOf(
  kind: EndingKind,
  sharedMemory: boolean,
  tightest: Moment | undefined,
  endMs: number | undefined,
  last?: Moment,
): string {
  const gpu = sharedMemory
    ? t(
        "CPU and GPU share the board's RAM, so everything that runs on the board takes part in it. GPU memory cannot be swapped.",
      )
    : t("This is the memory of the graphics card, which the board's RAM and swap do not add to.");
  switch (kind) {
    case "kernel-out-of-memory":
      return t(
        "There was no memory left that the kernel could free, so it ended the process that held most of it. Python gets no chance to print a traceback then.",
      );
    case "memory-limit":
      return sentences(
        t(
          "The limit is that of a group of processes: of a container, a service or a login. It may be reached while the board itself has memory left. Python gets no chance to print a traceback then.",
        ),
        ...containerUse(last).map((text) => t("{0}.", text)),
      );
    case "killed":
      return sentences(
        killedMeaning(sharedMemory, tightest, endMs),
        t("Python gets no chance to print a traceback when it is killed."),
      );
    case "cuda-out-of-memory":
      return sentences(t("PyTorch asked CUDA for more memory than was left for the GPU."), gpu);
    case "cuda-driver-out-of-memory":
      return sentences(
        t(
          "This message does not come from a full memory alone: PyTorch's expandable segments ask the driver in a way that can fail on its own.",
        ),
        gpu,
      );
    case "nvml-assert":
      return sentences(
        t(
          "The text speaks of a fault in PyTorch, but it is an out of memory: PyTorch wanted to add figures to its message that this GPU's driver does not give.",
        ),
        gpu,
      );
    case "nvmap-error-12":
      return sentences(
        t(
          "Error 12 means that no memory could be had: it is used up, or what is free lies in pieces that are too small.",
        ),
        gpu,
      );
    case "errno-12":
      return t(
        "The kernel had too little memory to give, or to start another process: a process that starts a worker must be able to have all of its memory twice.",
      );
    case "memory-error":
      return t(
        "A request for the CPU's memory was refused. What was asked for at once may be larger than all that is left.",
      );
  }
}

/** How near the run's container was to its limit, without a full stop; nothing where it has none. */
export function containerUse(last: Moment | undefined): string[] {
  const { used, limit } = last?.container ?? {};
  if (used === undefined || limit === undefined) return [];
  return [
    t("At the last moment the run's container used {0} of its limit of {1}", formatBytes(used), formatBytes(limit)),
  ];
}

function killedMeaning(sharedMemory: boolean, tightest: Moment | undefined, endMs: number | undefined): string {
  const available = tightest?.meminfo["MemAvailable"];
  if (tightest === undefined || available === undefined) {
    return t(
      "Usually that is the kernel's out-of-memory killer, but anyone may kill a process, and no record of the memory tells which it was here.",
    );
  }
  const { SwapFree: swap, SwapTotal: swapTotal = 0 } = tightest.meminfo;
  const left =
    swap === undefined || swapTotal === 0
      ? t("{0} of memory", formatBytes(available))
      : t("{0} of memory and {1} of swap", formatBytes(available), formatBytes(swap));
  // Memory may fall fast between two records.
  const record =
    endMs === undefined || endMs < tightest.t
      ? t("One of the last records")
      : t("The record {0} before the end", formatDuration(endMs - tightest.t));
  if (!isTight(tightest)) {
    return t(
      "{0} still shows {1} left: someone may have killed it, or it asked for much at once after that.",
      record,
      left,
    );
  }
  if (!hasSwapLeft(tightest)) {
    return t(
      "{0} shows {1} left, so it most likely was the kernel's out-of-memory killer; its log could not be read.",
      record,
      left,
    );
  }
  const unless = sharedMemory
    ? t("unless most is memory of the GPU, which cannot go there")
    : t("unless memory falls very fast");
  return t(
    "{0} shows {1} left. The kernel seldom ends a process while swap is free, {2}: someone or something else may have killed it.",
    record,
    left,
    unless,
  );
}
