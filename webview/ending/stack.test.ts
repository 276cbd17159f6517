import { expect, it } from "vitest";
import type { StackFrame } from "../../src/board/ending/model.ts";
import { libraryPath, stackParts } from "./stack.ts";

const own = (line: number): StackFrame => ({ path: "train.py", line, own: true });
const library = (line: number): StackFrame => ({ path: "/usr/lib/python3/dist-packages/torch/a.py", line, own: false });

it("neighboring frames of libraries are one part, in the order of the stack", () => {
  const parts = stackParts([library(1), own(2), library(3), library(4), own(5), own(6)]);
  expect(parts.map((part) => (part.kind === "own" ? part.frame.line : part.frames.map(({ line }) => line)))).toEqual([
    [1],
    2,
    [3, 4],
    5,
    6,
  ]);
  expect(stackParts([])).toEqual([]);
});

it("a library's path begins with its package", () => {
  expect(libraryPath("/usr/local/lib/python3.6/dist-packages/torch/nn/modules/conv.py")).toBe(
    "torch/nn/modules/conv.py",
  );
  expect(libraryPath("/home/nano/venv/lib/python3.8/site-packages/numpy/core/a.py")).toBe("numpy/core/a.py");
  expect(libraryPath("/usr/lib/python3.6/multiprocessing/pool.py")).toBe("python3.6/multiprocessing/pool.py");
  expect(libraryPath("<frozen importlib._bootstrap>")).toBe("<frozen importlib._bootstrap>");
});
