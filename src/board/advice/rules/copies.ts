/** What is made in the CPU's memory and then copied to the GPU's: on shared memory it is there twice. */

import { netOrSelf } from "../../../profile/lines/totals.ts";
import { formatBytes } from "../../../profile/text/format.ts";
import { t } from "../../../words/t.ts";
import { type ExecutedLine, endedInCuda, type Rule, type RunFacts } from "../facts.ts";
import { TORCH_TUNING } from "../sources.ts";
import { loadedTwice } from "./loading.ts";

const MIB = 2 ** 20;
const MOVED = /^\s*(?:([\p{L}_][\p{L}\p{N}_.]{0,100})\s*=\s*)?([\p{L}_][\p{L}\p{N}_.]{0,100})\.(?:to|cuda)\(/u;
const MADE_AND_MOVED =
  /\btorch\.(?:zeros|ones|rand|randn|randint|empty|full|tensor|arange|from_numpy)\(.{0,2000}\)\.(?:to|cuda)\(/;

export const twiceInMemory: Rule = (facts) => {
  const { board, cudaUsed, memTotal, tight } = facts;
  if (!board.tegra || !cudaUsed || memTotal === undefined) return undefined;
  const least = tight ? 32 * MIB : Math.max(32 * MIB, 0.05 * memTotal);
  const loaded = loadedTwice(facts)?.place;
  const found = copiesToDevice(facts).find(({ made }) => made.path !== loaded?.path || made.line !== loaded.line);
  if (found === undefined || found.bytes < least) return undefined;
  const { made, moved, bytes } = found;
  const place = { path: made.path, line: made.line };
  return {
    rule: "twice-in-memory",
    symptom: t("Data is made in the CPU's memory and then copied to the GPU's, which is the same RAM on this board."),
    evidence: [
      t("{0}:{1} took {2} of the CPU's memory", made.path, made.line, formatBytes(bytes)),
      made === moved
        ? t("The same line moves it to the GPU")
        : t("{0}:{1} moves it to the GPU", moved.path, moved.line),
    ],
    remedy: t(
      "Make it on the GPU at once: torch functions and layers take `device=device` (layers from PyTorch 1.9 on). For weights from a file, load them with `map_location=device`. While it is copied, both copies are in the RAM.",
    ),
    steps: [],
    saves: { bytes, how: t("what line {0} took, while both copies are there", made.line) },
    source: TORCH_TUNING,
    place,
    strength: "likely",
  };
};

interface CopyToDevice {
  readonly made: ExecutedLine;
  readonly moved: ExecutedLine;
  readonly bytes: number;
}

export type CopyFacts = Pick<RunFacts, "executed" | "report">;

/**
 * What was made in the CPU's memory and moved, with what making it took, largest first. By the names alone a line may
 * seem to move a data set of which it moves a batch, or to the CPU: so about as much must have come to the GPU there.
 */
export function copiesToDevice(facts: CopyFacts): readonly CopyToDevice[] {
  return facts.executed
    .flatMap((line) => copyOf(line, facts.executed) ?? [])
    .filter((copy) => copy.bytes > 0 && isOnGpu(copy, facts))
    .sort((a, b) => b.bytes - a.bytes);
}

/** By the allocator's figures of the line, or because CUDA had no room for it. */
function isOnGpu({ moved, bytes }: CopyToDevice, facts: CopyFacts): boolean {
  const { cuda } = moved.row;
  if (cuda !== undefined && Math.max(cuda.peakMost ?? 0, cuda.maxIncrement ?? 0) >= bytes / 2) return true;
  const place = facts.report?.place;
  return endedInCuda(facts) && place?.path === moved.path && place.line === moved.line;
}

function copyOf(line: ExecutedLine, executed: readonly ExecutedLine[]): CopyToDevice | undefined {
  if (MADE_AND_MOVED.test(line.text)) return { made: line, moved: line, bytes: line.row.peak ?? 0 };
  const [, target, name] = MOVED.exec(line.text) ?? [];
  if (name === undefined || (target !== undefined && target !== name)) return undefined;
  const made = executed
    .filter(({ path, line: number, text }) => path === line.path && number < line.line && assigns(text, name))
    .at(-1);
  if (made === undefined || /\bdevice\s*=|\.to\(|\.cuda\(/.test(made.text)) return undefined;
  return { made, moved: line, bytes: netOrSelf(made.row) };
}

function assigns(text: string, name: string): boolean {
  const rest = text.trimStart();
  return rest.startsWith(name) && /^\s*=(?!=)/.test(rest.slice(name.length));
}
