/** Live bytes at a moment by the line that allocated them. */
import type { Allocations } from "./allocations.ts";
import type { Snapshot } from "./model.ts";
import type { ProjectFiles } from "./projectFiles.ts";
import { frameOf, framesOf, operationOf } from "./stackLines.ts";
import { liveAt } from "./stateAt.ts";

export interface LiveLine {
  /** Relative to the project, or as the snapshot has it. */
  readonly path: string;
  readonly line: number;
  readonly function: string;
  bytes: number;
  allocations: number;
}

/** What stacks without such a line were doing. */
export interface LiveOperation {
  readonly name: string;
  bytes: number;
  allocations: number;
}

/** Each live byte is in one of them; the most bytes first. */
export interface LiveLines {
  readonly lines: readonly LiveLine[];
  readonly operations: readonly LiveOperation[];
  /** Whose stack was not recorded. */
  readonly withoutStack: number;
  readonly total: number;
}

export function liveLines(
  snapshot: Snapshot,
  allocations: Allocations,
  moment: number,
  { inProject, pathOf }: ProjectFiles,
): LiveLines {
  const lines = new Map<string, LiveLine>();
  const operations = new Map<string, LiveOperation>();
  const byStack = new Map<number, LiveLine | LiveOperation | undefined>();

  function ownerOf(stack: number): LiveLine | LiveOperation | undefined {
    const frames = framesOf(snapshot, stack);
    const frame = frameOf(frames, (file) => inProject(file) !== undefined);
    const operation = operationOf(frames);
    if (frame !== undefined) {
      const line = { path: pathOf(frame.file), line: frame.line, function: frame.name, bytes: 0, allocations: 0 };
      return only(lines, JSON.stringify([line.path, line.line, line.function]), line);
    }
    return operation === undefined
      ? undefined
      : only(operations, operation, { name: operation, bytes: 0, allocations: 0 });
  }

  let [withoutStack, total] = [0, 0];
  for (const place of liveAt(allocations, moment)) {
    const stack = allocations.stack[place] ?? -1;
    const size = allocations.size[place] ?? 0;
    if (!byStack.has(stack)) byStack.set(stack, ownerOf(stack));
    const owner = byStack.get(stack);
    total += size;
    if (owner === undefined) withoutStack += size;
    else {
      owner.bytes += size;
      owner.allocations++;
    }
  }
  return { lines: heaviest(lines), operations: heaviest(operations), withoutStack, total };
}

/** The one that the map has already, else this one. */
function only<T>(map: Map<string, T>, key: string, value: T): T {
  const known = map.get(key) ?? value;
  map.set(key, known);
  return known;
}

function heaviest<T extends { readonly bytes: number }>(map: ReadonlyMap<string, T>): T[] {
  return [...map.values()].sort((a, b) => b.bytes - a.bytes);
}
