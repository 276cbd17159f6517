/** Errors that say something else than what they are. */
import { defined } from "../../../profile/defined.ts";
import { formatBytes } from "../../../profile/text/format.ts";
import { printable } from "../../../profile/text/text.ts";
import { sentences, t } from "../../../words/t.ts";
import { lastMemoryMessage, NVMAP_ERROR_12 } from "../../ending/messages.ts";
import { tracebackStack } from "../../ending/stack.ts";
import type { Rule } from "../facts.ts";
import { EXPANDABLE_ON_JETSON, NVMAP_ERROR, NVML_ON_JETSON, TORCH_ALLOCATOR } from "../sources.ts";
import { allocatorOptions, allocatorVariable, withoutOption } from "./allocatorOptions.ts";
import { leftAtLast, placed } from "./steps.ts";

export const nvmlAssert: Rule = ({ report, last }) => {
  if (report?.kind !== "nvml-assert") return undefined;
  return {
    rule: "nvml-assert",
    symptom: t("PyTorch failed with an internal assert on NVML, which is an out of memory in disguise."),
    evidence: [t("Its error output says NVML_SUCCESS == r INTERNAL ASSERT FAILED"), ...leftAtLast(last)],
    remedy: t(
      "Nothing is wrong with the installation. Treat it as any other out of memory: smaller batches, fewer other programs on the board.",
    ),
    steps: [],
    source: NVML_ON_JETSON,
    strength: "certain",
  };
};

export const nvmapError: Rule = ({ report, stderr, board, last }) => {
  if (!board.tegra || report === undefined || !NVMAP_ERROR_12.test(stderr)) return undefined;
  const { MemAvailable: available, MemTotal: total } = last?.meminfo ?? {};
  const lfb = last?.tegrastats?.lfb;
  const inPieces = available !== undefined && total !== undefined && available > 0.15 * total;
  return {
    rule: "nvmap-error-12",
    symptom: t("NvMap, the driver that hands out the GPU's memory, could get none (error 12)."),
    evidence: [
      t("Its error output says: {0}", NVMAP_ERROR_12.exec(stderr)?.[0] ?? ""),
      ...leftAtLast(last),
      ...(lfb === undefined
        ? []
        : [t("The largest free blocks were {0} of {1} (tegrastats)", lfb.count, formatBytes(lfb.bytes))]),
    ],
    remedy: sentences(
      inPieces
        ? t(
            "There was memory, so it lay in pieces that are too small, or the driver failed: restart the board, and profile the script before anything else uses the GPU.",
          )
        : t("Memory was used up, or what was left lay in pieces: use smaller batches, or restart the board."),
      board.l4t === "36.4.7"
        ? t("L4T 36.4.7 is known for this error even with memory free; update to JetPack 6.2.2 (L4T 36.5).")
        : undefined,
    ),
    steps: [],
    source: NVMAP_ERROR,
    strength: inPieces ? "certain" : "likely",
  };
};

/** PyTorch's own message recommends on every machine what does not work on a Tegra. */
export const expandableSegments: Rule = ({ board, run, report, tight, lines }) => {
  const set = allocatorOptions(run.environment).get("expandable_segments")?.toLowerCase() === "true";
  const line = lines.find(({ text }) => /expandable_segments:True/i.test(text));
  const failed = report?.kind === "cuda-driver-out-of-memory";
  if (!board.tegra || !(set || line !== undefined) || !(failed || tight)) return undefined;
  const { name, value } = allocatorVariable(run.environment);
  return {
    rule: "expandable-segments",
    symptom: t("PyTorch's expandable segments are switched on, which the driver of this board does not support well."),
    evidence: [
      set
        ? t("The environment has {0}={1}", name, value)
        : t("{0}:{1} switches them on", line?.path ?? "", line?.line ?? ""),
      ...(failed ? [t("The run failed with CUDA driver error: out of memory")] : []),
    ],
    remedy: t(
      "Leave expandable segments off on a Jetson. PyTorch recommends them in its own out-of-memory message, but there they end in CUDA driver error: out of memory even while memory is free.",
    ),
    // What the script sets itself is set after its environment.
    steps: set && line === undefined ? [withoutOption(run.environment, "expandable_segments")] : [],
    source: EXPANDABLE_ON_JETSON,
    ...placed(line),
    strength: failed ? "certain" : "likely",
  };
};

/** A script that went on after an error and ended well has not failed, but its results may be of fewer batches. */
export const caughtOutOfMemory: Rule = (facts) => {
  const { run, report, stderr } = facts;
  if (report !== undefined || run.exit?.kind !== "exited" || run.exit.code !== 0) return undefined;
  const said = lastMemoryMessage(stderr);
  if (said === undefined || !said.kind.startsWith("cuda-")) return undefined;
  const { place } = said.raised === undefined ? {} : tracebackStack(said.raised.frames, run, facts);
  return {
    rule: "caught-out-of-memory",
    symptom: t("CUDA ran out of memory during the run; the script recovered and finished."),
    evidence: [t("Its error output says: {0}", printable(said.text.split("\n", 1)[0] ?? "").slice(0, 300))],
    remedy: t(
      "Check what the script does then: batches that it skips are missing from the result, and one that it tries again costs time. A smaller batch would not get there.",
    ),
    steps: [],
    source: TORCH_ALLOCATOR,
    ...defined({ place }),
    strength: "certain",
  };
};
