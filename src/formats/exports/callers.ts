import type { FrameTree } from "../../massif/model.ts";
import { viewOf } from "../../massif/tree/frameTree.ts";

/** Stacks as people read them: callers first, without the interpreter's own frames. */
export function callers(stacks: FrameTree): FrameTree {
  return viewOf(stacks, { direction: "callers-first", allFrames: false });
}
