/** Which frame of a stack is meant by "the line that allocated". */
import type { MemoryFrame } from "./frames.ts";
import type { Snapshot } from "./model.ts";

/** C++ frames are named by `.cpp` and `.h` files, `??` or nothing; code without a file is `<string>` or the like. */
export function isPython({ file, line }: MemoryFrame): boolean {
  return line > 0 && (/\.pyw?$/i.test(file) || /^<.+>$/.test(file));
}

/** Python that has a file to open. */
export function isPythonFile(frame: MemoryFrame): boolean {
  return isPython(frame) && !frame.file.startsWith("<");
}

/** Frames of a stack, innermost first; none for -1. */
export function framesOf({ stacks, frames }: Pick<Snapshot, "stacks" | "frames">, stack: number): MemoryFrame[] {
  return (stacks[stack] ?? []).flatMap((place) => frames[place] ?? []);
}

/** An environment may lie in the project's folder. */
const LIBRARY = /[/\\](?:site|dist)-packages[/\\]|[/\\]lib(?:64)?[/\\]python\d[^/\\]*[/\\]/i;

/** The innermost Python frame in the project, else the innermost one that is of no installed library. */
export function frameOf(
  stack: readonly MemoryFrame[],
  isInProject: (file: string) => boolean,
): MemoryFrame | undefined {
  const own = stack.filter((frame) => isPythonFile(frame) && !LIBRARY.test(frame.file));
  return own.find(({ file }) => isInProject(file)) ?? own[0];
}

const BACKWARD = /^torch::autograd::generated::(\w+)::/;
/** Frames that record the stack or serve any allocation: they say nothing of what it was for. */
const SERVING =
  /^(?:torch::(?:unwind|CapturedTraceback|cuda)::|torch::CapturedTraceback|c10::|at::detail::|at::TensorBase at::detail)/;

/**
 * What a stack without a line of the project was doing, for people: the backward of an operation (`MmBackward0`), which
 * the autograd engine runs in threads without Python frames, else the innermost frame that is not about allocating.
 */
export function operationOf(stack: readonly MemoryFrame[]): string | undefined {
  for (const { name } of stack) {
    const backward = BACKWARD.exec(name)?.[1];
    if (backward !== undefined) return backward;
  }
  return (stack.find(({ name }) => name !== "" && !SERVING.test(name)) ?? stack[0])?.name;
}
