/** Live bytes at a moment by the line that allocated them. */
import type { Allocations } from "./allocations.ts";
import type { Snapshot } from "./model.ts";
import type { ProjectFiles } from "./projectFiles.ts";
import { frameOf, framesOf } from "./stackLines.ts";
import { liveAt } from "./stateAt.ts";

export interface LiveLine {
  /** Relative to the project, or as the snapshot has it. */
  readonly path: string;
  readonly line: number;
  readonly function: string;
  bytes: number;
  allocations: number;
}

export interface LiveLines {
  /** The most bytes first. */
  readonly lines: readonly LiveLine[];
  /** Live bytes whose stack has no such line, or is not known. */
  readonly withoutLine: number;
  readonly total: number;
}

export function liveLines(
  snapshot: Snapshot,
  allocations: Allocations,
  moment: number,
  { inProject, pathOf }: ProjectFiles,
): LiveLines {
  const byLine = new Map<string, LiveLine>();
  const byStack = new Map<number, LiveLine | undefined>();

  function lineOf(stack: number): LiveLine | undefined {
    const frame = frameOf(framesOf(snapshot, stack), (file) => inProject(file) !== undefined);
    if (frame === undefined) return undefined;
    const path = pathOf(frame.file);
    const key = JSON.stringify([path, frame.line, frame.name]);
    const line = byLine.get(key) ?? { path, line: frame.line, function: frame.name, bytes: 0, allocations: 0 };
    byLine.set(key, line);
    return line;
  }

  let [withoutLine, total] = [0, 0];
  for (const place of liveAt(allocations, moment)) {
    const stack = allocations.stack[place] ?? -1;
    const size = allocations.size[place] ?? 0;
    if (!byStack.has(stack)) byStack.set(stack, lineOf(stack));
    const line = byStack.get(stack);
    total += size;
    if (line === undefined) withoutLine += size;
    else {
      line.bytes += size;
      line.allocations++;
    }
  }
  return { lines: [...byLine.values()].sort((a, b) => b.bytes - a.bytes), withoutLine, total };
}
