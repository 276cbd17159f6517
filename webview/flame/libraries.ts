/** Which library a frame's code is in, as people call it. */

import type { Frame, FrameTree } from "../../src/massif/model.ts";
import { frameTotals, type LibraryGroup, libraryName } from "../../src/massif/summary.ts";
import { fileName } from "../../src/massif/tree/frameNames.ts";
import { isInterpreter } from "../../src/massif/tree/interpreterFrames.ts";

/** The name of a frame's library; undefined where it is not known. */
export type LibraryOf = (frame: Frame) => string | undefined;

function nameOf(path: string): string {
  if (isInterpreter(path)) return libraryName({ kind: "python" });
  return libraryName({ kind: "library", name: fileName(path), paths: [path] });
}

/** For the frames of one tree: many frames are in few libraries, so each path is looked at once. */
export function libraryNames(): LibraryOf {
  const names = new Map<string, string>();
  return (frame) => {
    if (frame.kind !== "native" || frame.library === undefined) return undefined;
    const known = names.get(frame.library);
    if (known !== undefined) return known;
    const name = nameOf(frame.library);
    names.set(frame.library, name);
    return name;
  };
}

/** Whether a frame is what a row of the table by library stands for. */
export function framesOf(library: LibraryGroup): (frame: Frame) => boolean {
  const libraryOf = libraryNames();
  const name = libraryName(library);
  switch (library.kind) {
    case "library":
      return (frame) => libraryOf(frame) === name;
    case "python":
      return (frame) => frame.kind === "python" || libraryOf(frame) === name;
    case "unknown":
      return (frame) => frame.kind === "native" && frame.library === undefined;
    case "below-threshold":
      return (frame) => frame.kind === "below-threshold";
  }
}

/** All of a tree's libraries, those with the heaviest stacks first; `weights` are not negative. */
export function librariesOf(tree: FrameTree, weights: Float64Array): string[] {
  const libraryOf = libraryNames();
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
