/** What lines held at one moment, of an answer about that moment alone. */
import type { HeldLine } from "../../../src/torch/snapshot/compared.ts";
import type { ActiveMemory } from "../decode.ts";
import { heldByLine } from "../lines.ts";

export interface HeldLines {
  readonly lines: readonly HeldLine[];
  /** Allocations without a stack, and those that are too small to be told one by one. */
  readonly rest: number;
}

export function heldLines({ layers, stacks, rest }: ActiveMemory): HeldLines {
  const live = Array.from(layers.size, (size, layer) => ({ size, stack: layers.stack[layer] ?? -1 }));
  const held = [...heldByLine(stacks, live).values()];
  return {
    lines: held.flatMap(({ name: line, bytes }) => {
      if (line === undefined) return [];
      return [{ name: line.name, ...(line.line === undefined ? {} : { place: line.line }), bytes }];
    }),
    rest: held.reduce((sum, { name, bytes }) => (name === undefined ? sum + bytes : sum), rest[0] ?? 0),
  };
}
