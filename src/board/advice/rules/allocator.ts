/** Memory that PyTorch's CUDA allocator holds without using it. */
import { formatBytes } from "../../../profile/text/format.ts";
import { sentences, t } from "../../../words/t.ts";
import { atLeast, type Rule, type RunFacts } from "../facts.ts";
import type { AdviceStep } from "../model.ts";
import { TORCH_ALLOCATOR } from "../sources.ts";
import { allocatorOptions, allocatorStep } from "./allocatorOptions.ts";

const LEAST = 128 * 2 ** 20;

export const reservedNotAllocated: Rule = (facts) => {
  const held = slack(facts);
  if (held === undefined || !facts.pressed) return undefined;
  const unused = held.reserved - held.allocated;
  if (unused < Math.max(LEAST, 0.25 * held.reserved)) return undefined;
  const { remedy, steps } = fragmentation(facts);
  return {
    rule: "reserved-not-allocated",
    symptom: t("PyTorch's allocator holds much more memory than its tensors need."),
    evidence: [
      t(
        "{0}: {1} reserved, {2} in tensors, {3} unused",
        held.when,
        formatBytes(held.reserved),
        formatBytes(held.allocated),
        formatBytes(unused),
      ),
    ],
    remedy: sentences(
      remedy,
      t(
        "`torch.cuda.empty_cache()` between two phases (training and evaluation, say) gives whole unused blocks back; it frees no tensor that is still in use, and in every step it only costs time.",
      ),
    ),
    steps,
    saves: {
      bytes: unused,
      how: t("what was reserved and unused, at most; part of it is needed for the next tensors"),
    },
    source: TORCH_ALLOCATOR,
    strength: "certain",
  };
};

/** As PyTorch's own message has it, else as it was recorded last. */
function slack({ report, last, tightest }: RunFacts) {
  const { allocated, reserved, unallocated } = report?.allocator ?? {};
  const inAll =
    reserved ?? (allocated === undefined || unallocated === undefined ? undefined : allocated + unallocated);
  if (allocated !== undefined && inAll !== undefined) {
    return { allocated, reserved: inAll, when: t("When it ran out of memory") };
  }
  const recorded = report === undefined ? tightest?.cuda : last?.cuda;
  return recorded === undefined ? undefined : { ...recorded, when: t("At the last record of it") };
}

function fragmentation({ run, torch, board }: RunFacts): {
  readonly remedy: string;
  readonly steps: readonly AdviceStep[];
} {
  const options = allocatorOptions(run.environment);
  if (options.has("max_split_size_mb") || options.get("expandable_segments")?.toLowerCase() === "true") {
    return {
      remedy: t("The allocator's options are set already; another value may fit the script better."),
      steps: [],
    };
  }
  if (!board.tegra && atLeast(torch, 2, 1)) {
    const step = allocatorStep(run.environment, [["expandable_segments", "True"]]);
    return { remedy: t("Segments that can grow leave fewer gaps (expandable_segments:True)."), steps: [step] };
  }
  if (!atLeast(torch, 1, 10)) return { remedy: "", steps: [] };
  const step = allocatorStep(run.environment, [["max_split_size_mb", "128"]]);
  return { remedy: t("Large blocks that are not split leave fewer gaps (max_split_size_mb)."), steps: [step] };
}
