/** Which library a frame's code is in, as people call it. */
import { fileName } from "../../../src/massif/frameNames.ts";
import { isInterpreter } from "../../../src/massif/interpreterFrames.ts";
import type { Frame, FrameTree } from "../../../src/massif/model.ts";
import { frameTotals, libraryName } from "../../../src/massif/summary.ts";

/** Undefined where it is not known. */
export function libraryOf(frame: Frame): string | undefined {
  if (frame.kind !== "native" || frame.library === undefined) return undefined;
  if (isInterpreter(frame.library)) return libraryName({ kind: "python" });
  return libraryName({ kind: "library", name: fileName(frame.library), paths: [frame.library] });
}

/** All of a tree's libraries, those with the heaviest stacks first; `weights` are not negative. */
export function librariesOf(tree: FrameTree, weights: Float64Array): string[] {
  const numbers = new Map<string, number>();
  const groups = tree.frames.map((frame) => {
    const name = libraryOf(frame);
    if (name === undefined) return -1;
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    return number;
  });
  const totals = frameTotals({ ...tree, total: weights }, (frame) => groups[frame] ?? -1, numbers.size);
  return [...numbers].sort(([, a], [, b]) => (totals[b] ?? 0) - (totals[a] ?? 0)).map(([name]) => name);
}
