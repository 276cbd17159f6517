/** A tree with only those stacks that pass through one line of Python. */
import type { Frame, FrameTree, PythonPlace } from "../model.ts";
import { withVariance } from "../sampled.ts";
import { countPlaces, createRebuilder, rebuilt } from "./treeBuilder.ts";

export type LinePlace = Pick<PythonPlace, "path" | "line">;

/**
 * For trees of either direction. Frames of which only the function is known do not count as the line: their `line` is
 * that of the definition. Where nothing passes through the line only the root is left, with 0 bytes.
 */
export function scopeToLine(tree: FrameTree, place: LinePlace): FrameTree {
  const matches = tree.frames.map((frame) => isLine(frame, place));
  const count = tree.frame.length;
  const inside = new Uint8Array(count);
  const kept = new Uint8Array(count);
  for (let node = 1; node < count; node++) {
    if (matches[tree.frame[node] ?? 0] || inside[tree.parent[node] ?? 0]) inside[node] = 1;
  }
  kept[0] = 1;
  for (let node = count - 1; node > 0; node--) {
    if (inside[node] || kept[node]) kept[node] = kept[tree.parent[node] ?? 0] = 1;
  }
  const builder = createRebuilder(tree);
  const { numbers } = builder;
  const nodes = new Uint32Array(count);
  for (let node = 1; node < count; node++) {
    if (kept[node] === 0) continue;
    const frame = tree.frame[node] ?? 0;
    const made = builder.child(nodes[tree.parent[node] ?? 0] ?? 0, numbers[frame] ?? 0);
    nodes[node] = made;
    countPlaces(builder, made, tree.frames[frame]);
  }
  const within = (values: Float64Array) => values.map((value, node) => (inside[node] ? value : 0));
  return rebuilt(builder, nodes, { self: within(tree.self), ...withVariance(tree.sampled, within) });
}

/** Whether a frame is the line itself, not only a function that holds it. */
export function isLine(frame: Frame, { path, line }: LinePlace): boolean {
  return frame.kind === "python" && frame.exact && frame.line === line && frame.path === path;
}
