/** A stack as it is read: the project's frames stand out, neighboring frames of libraries are one fold. */
import type { StackFrame } from "../../src/board/ending/model.ts";

export type StackPart =
  | { readonly kind: "own"; readonly frame: StackFrame }
  | { readonly kind: "library"; readonly frames: readonly StackFrame[] };

export function stackParts(stack: readonly StackFrame[]): StackPart[] {
  const parts: ({ kind: "own"; frame: StackFrame } | { kind: "library"; frames: StackFrame[] })[] = [];
  for (const frame of stack) {
    const last = parts.at(-1);
    if (frame.own) parts.push({ kind: "own", frame });
    else if (last?.kind === "library") last.frames.push(frame);
    else parts.push({ kind: "library", frames: [frame] });
  }
  return parts;
}

/** The end of a library's path that tells which file is meant: `torch/nn/modules/conv.py`. */
export function libraryPath(path: string): string {
  return path.replace(/^.*\/(?:site|dist)-packages\//, "").replace(/^.*\/lib\/(?=python3)/, "");
}
