/** Memory that PyTorch's CUDA allocator holds without using it. */
import { formatBytes } from "../../../profile/format.ts";
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
    symptom: "PyTorch's allocator holds much more memory than its tensors need.",
    evidence: [
      `${held.when}: ${formatBytes(held.reserved)} reserved, ${formatBytes(held.allocated)} in tensors, ${formatBytes(unused)} unused`,
    ],
    remedy:
      `${remedy}\`torch.cuda.empty_cache()\` between two phases (training and evaluation, say) gives whole unused blocks ` +
      "back; it frees no tensor that is still in use, and in every step it only costs time.",
    steps,
    saves: { bytes: unused, how: "what was reserved and unused, at most; part of it is needed for the next tensors" },
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
    return { allocated, reserved: inAll, when: "When it ran out of memory" };
  }
  const recorded = report === undefined ? tightest?.cuda : last?.cuda;
  return recorded === undefined ? undefined : { ...recorded, when: "At the last record of it" };
}

function fragmentation({ run, torch, board }: RunFacts): {
  readonly remedy: string;
  readonly steps: readonly AdviceStep[];
} {
  const options = allocatorOptions(run.environment);
  if (options.has("max_split_size_mb") || options.get("expandable_segments")?.toLowerCase() === "true") {
    return { remedy: "The allocator's options are set already; another value may fit the script better. ", steps: [] };
  }
  if (!board.tegra && atLeast(torch, 2, 1)) {
    const step = allocatorStep(run.environment, [["expandable_segments", "True"]]);
    return { remedy: "Segments that can grow leave fewer gaps (expandable_segments:True). ", steps: [step] };
  }
  if (!atLeast(torch, 1, 10)) return { remedy: "", steps: [] };
  const step = allocatorStep(run.environment, [["max_split_size_mb", "128"]]);
  return { remedy: "Large blocks that are not split leave fewer gaps (max_split_size_mb). ", steps: [step] };
}
