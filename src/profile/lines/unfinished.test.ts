import { expect, it } from "vitest";
import type { FileProfile, FunctionRow, LinePlaceOfThread } from "../model.ts";
import { MIB, PLAIN_RUN } from "../testing.ts";
import { unfinishedCalls, withoutNetOfOpen } from "./unfinished.ts";

const fn = (name: string, defLine: number, calls: number, timeNs?: number): FunctionRow => ({
  name,
  key: defLine,
  defLine,
  lastLine: defLine + 8,
  calls,
  ...(timeNs === undefined ? {} : { timeNs, net: MIB, peak: MIB }),
});
const thread = (...stack: readonly (readonly [path: string, line: number])[]): LinePlaceOfThread => {
  const places = stack.map(([path, line]) => ({ path, line }));
  return { pid: 1, thread: "MainThread", ...(places.at(-1) ?? { path: "", line: 1 }), stack: places };
};
const found = (files: readonly FileProfile[], ...lastLines: LinePlaceOfThread[]) =>
  Object.fromEntries(
    [...unfinishedCalls(files, { run: { ...PLAIN_RUN, lastLines } })].map(([key, row]) => [
      typeof key === "string" ? key : key.name,
      row,
    ]),
  );

const train: FileProfile = {
  path: "train.py",
  sha256: "",
  lines: [
    { line: 12, hits: 1, net: 10 * MIB, self: 10 * MIB },
    { line: 13, hits: 1, self: 2 * MIB },
    { line: 22, hits: 5, net: 4 * MIB, self: 4 * MIB },
    { line: 40, hits: 1, self: 0 },
  ],
  functions: [fn("main", 11, 1), fn("step", 21, 5, 9e6)],
};
const model: FileProfile = {
  path: "model.py",
  sha256: "",
  lines: [{ line: 2, hits: 1, self: 96 * MIB }],
  functions: [fn("build", 1, 1)],
};

it("holds at least what its lines took, with those of the calls that were open on them", () => {
  expect(found([train, model], thread(["train.py", 40], ["train.py", 13], ["model.py", 2]))).toEqual({
    build: { calls: 1, atLeast: 96 * MIB },
    main: { calls: 1, atLeast: 108 * MIB },
    // The module level too, which says no less than what it has called.
    "train.py": { calls: 1, atLeast: 108 * MIB },
  });
});

it("counts the open calls of a function that had ended before, of which no more is known", () => {
  expect(found([train, model], thread(["train.py", 13], ["train.py", 22], ["train.py", 22]))).toEqual({
    build: { calls: 1 },
    main: { calls: 1, atLeast: 12 * MIB },
    step: { calls: 2 },
  });
});

it("believes that a call ended where its time is known, whatever the stack says", () => {
  expect(found([{ ...train, functions: [fn("main", 11, 1, 5)] }], thread(["train.py", 13]))).toEqual({});
});

it("takes the lines of a recursion once", () => {
  const files = [{ ...train, functions: [fn("main", 11, 3)] }];
  expect(found(files, thread(["train.py", 13], ["train.py", 13], ["train.py", 13]))).toEqual({
    main: { calls: 3, atLeast: 12 * MIB },
  });
});

it("knows what no call of ended also where the place is not known, and nothing where all ended", () => {
  expect(found([train, model])).toEqual({ main: { calls: 1 }, build: { calls: 1 } });
  expect(found([{ ...train, functions: [fn("main", 11, 1, 5)] }])).toEqual({});
});

it("says nothing below 0 of a call that gave back more than it took", () => {
  const files = [{ ...model, lines: [{ line: 2, hits: 1, self: -96 * MIB }] }];
  expect(found(files, thread(["model.py", 2]))).toEqual({ build: { calls: 1, atLeast: 0 } });
});

it("a line whose last hit had not ended has no net where that hit took more than the others", () => {
  const [, killed, other] = [2, 24, 24].map((net, i) => ({ line: i + 1, hits: 3, net: net * MIB, self: 36 * MIB }));
  const freed = { line: 4, hits: 3, net: 50 * MIB, self: 36 * MIB };
  const lines = [killed, other, freed].flatMap((row) => row ?? []);
  const files = [{ ...train, lines }, model];
  const [first, second] = withoutNetOfOpen(files, [thread(["train.py", 2]), thread(["train.py", 4])]);
  expect(first?.lines).toEqual([{ line: 2, hits: 3, self: 36 * MIB }, other, freed]);
  expect(second).toBe(model);
  expect(withoutNetOfOpen(files, [])).toBe(files);
});
