/** Live blocks with their stacks, added up by the project's lines. */
import type { LineRow } from "../../../profile/model.ts";
import type { ReportedFile } from "../importer.ts";
import { isForeign } from "../places.ts";

export interface Place {
  /** The file as the tool names it. */
  readonly name: string;
  readonly line: number;
}

interface Sums {
  /** In stacks that pass through the line, each once. */
  net: number;
  /** In stacks of which it is the innermost of the project's lines. */
  self: number;
  /** Whole stacks were seen, so `net` is known. */
  whole: boolean;
}

/** By file and line. */
export type Blocks = Map<string, Map<number, Sums>>;

/**
 * @param frames the innermost first
 * @param known `one`: the tool tells the innermost frame only, so what the callers' lines hold is not known
 */
export function addTo(blocks: Blocks, frames: readonly Place[], bytes: number, known: "one" | "all"): void {
  const seen = new Set<Sums>();
  let isInnermost = true;
  for (const { name, line } of frames) {
    if (!(line >= 1 && line <= 100_000_000) || isForeign(name)) continue;
    const sums = sumsOf(blocks, name, line);
    if (isInnermost) sums.self += bytes;
    isInnermost = false;
    if (known === "all") sums.whole = true;
    // A recursion passes through a line several times.
    if (!seen.has(sums)) sums.net += bytes;
    seen.add(sums);
  }
}

function sumsOf(blocks: Blocks, name: string, line: number): Sums {
  const file = blocks.get(name) ?? new Map<number, Sums>();
  blocks.set(name, file);
  const sums = file.get(line) ?? { net: 0, self: 0, whole: false };
  file.set(line, sums);
  return sums;
}

export function blocksByFile(blocks: Blocks): ReportedFile[] {
  return [...blocks].map(([name, lines]) => ({
    name,
    text: new Map(),
    lines: [...lines]
      .map(([line, { net, self, whole }]): LineRow => (whole ? { line, net, self } : { line, self }))
      .sort((a, b) => a.line - b.line),
  }));
}
