/** What lines held at one moment, of an answer about that moment alone. */
import type { HeldLine } from "../../../src/torch/snapshot/compared.ts";
import type { ActiveMemory } from "../decode.ts";

export interface HeldLines {
  readonly lines: readonly HeldLine[];
  /** Allocations without a stack, and those that are too small to be told one by one. */
  readonly rest: number;
  readonly total: number;
}

export function heldLines({ layers, stacks, rest, total }: ActiveMemory): HeldLines {
  const lines = new Map<string, { name: string; place?: { path: string; line: number }; bytes: number }>();
  let without = rest[0] ?? 0;
  for (let layer = 0; layer < layers.size.length; layer++) {
    const bytes = layers.size[layer] ?? 0;
    const stack = stacks.get(layers.stack[layer] ?? -1);
    if (stack === undefined) {
      without += bytes;
      continue;
    }
    const { name, line: place } = stack;
    const key = place === undefined ? name : JSON.stringify([place.path, place.line]);
    const known = lines.get(key);
    if (known === undefined) lines.set(key, { name, ...(place === undefined ? {} : { place }), bytes });
    else known.bytes += bytes;
  }
  return { lines: [...lines.values()], rest: without, total: total[0] ?? 0 };
}
