import { expect, it } from "vitest";
import type { FileProfile, FunctionRow, LineRow } from "../model.ts";
import { since } from "./since.ts";

const file = (lines: readonly LineRow[], functions: readonly FunctionRow[] = []): readonly FileProfile[] => [
  { path: "serve.py", sha256: "", lines, functions },
];
const row = (line: number, rest: Partial<LineRow>): LineRow => ({ line, hits: 1, net: 0, self: 0, ...rest });
const linesSince = (now: readonly LineRow[], then: readonly LineRow[]) => since(file(now), file(then))[0]?.lines;

it("subtracts what adds up", () => {
  const then = [row(3, { hits: 10, net: 50, self: 40, uncertain: 5 })];
  const now = [row(3, { hits: 14, net: 80, self: 30, uncertain: 6 })];
  expect(linesSince(now, then)).toEqual([{ line: 3, hits: 4, net: 30, self: -10, uncertain: 1 }]);
});

it("knows of what is the highest only what was exceeded", () => {
  const then = [row(3, { peak: 50, maxIncrement: 20, usage: 500, peakUncertain: 4 })];
  expect(linesSince([row(3, { hits: 2, peak: 60, maxIncrement: 20, usage: 500, peakUncertain: 2 })], then)).toEqual([
    { line: 3, hits: 1, net: 0, self: 0, peak: 60, peakUncertain: 2 },
  ]);
  expect(linesSince([row(3, { hits: 2, peak: 50, maxIncrement: 25, usage: 510, peakUncertain: 4 })], then)).toEqual([
    { line: 3, hits: 1, net: 0, self: 0, maxIncrement: 25, usage: 510 },
  ]);
});

it("has lines that ran since alone, and all of those that had not run", () => {
  expect(linesSince([row(3, { net: 5 }), row(4, { net: 7, peak: 9 })], [row(3, { net: 5 })])).toEqual([
    row(4, { net: 7, peak: 9 }),
  ]);
  // One that goes on may have taken something without another hit.
  expect(linesSince([row(3, { self: 9 })], [row(3, { self: 4 })])).toEqual([{ line: 3, hits: 0, net: 0, self: 5 }]);
});

it("does not say of a first hit that was open then what it took in all, as that may have been before", () => {
  const open = { line: 3, hits: 1, self: 30 };
  const ended = row(3, { hits: 1, net: 100, self: 60, peak: 200, maxIncrement: 100, usage: 500 });
  expect(linesSince([ended], [open])).toEqual([{ line: 3, hits: 0, self: 30 }]);
  expect(linesSince([{ line: 3, hits: 1, self: 50 }], [open])).toEqual([{ line: 3, hits: 0, self: 20 }]);
});

it("does the same with CUDA's and the board's memory", () => {
  const cuda = {
    net: 10,
    self: 10,
    maxIncrement: 10,
    peak: 10,
    peakMost: 12,
    reservedNet: 20,
    reservedSelf: 20,
    reservedPeak: 20,
    uncertain: 0,
  };
  const then = [row(3, { cuda, system: { net: 5, self: 5, uncertain: 1 } })];
  const now = [
    row(3, { hits: 2, cuda: { ...cuda, net: 25, peak: 15, peakMost: 15 }, system: { net: 9, self: 5, uncertain: 2 } }),
  ];
  expect(linesSince(now, then)).toEqual([
    {
      line: 3,
      hits: 1,
      net: 0,
      self: 0,
      cuda: { net: 15, self: 0, peak: 15, peakMost: 15, reservedNet: 0, reservedSelf: 0, uncertain: 0 },
      system: { net: 4, self: 0, uncertain: 1 },
    },
  ]);
});

it("does not say 0 of the board's memory, which may not have been read since", () => {
  const system = { net: 5, self: 5, uncertain: 1 };
  expect(linesSince([row(3, { hits: 2, net: 9, system })], [row(3, { net: 1, system })])).toEqual([
    row(3, { hits: 1, net: 8 }),
  ]);
});

it("has the calls of functions since", () => {
  const called = { name: "handle", key: 7, defLine: 7, lastLine: 9, calls: 3, timeNs: 300, net: 30, peak: 40 };
  const idle = { name: "load", key: 1, defLine: 1, lastLine: 5, calls: 1, timeNs: 9, net: 9, peak: 9 };
  const now = file([], [{ ...called, calls: 5, timeNs: 500, net: 70 }, idle]);
  expect(since(now, file([], [called, idle]))[0]?.functions).toEqual([
    { name: "handle", key: 7, defLine: 7, lastLine: 9, calls: 2, timeNs: 200, net: 40 },
  ]);
  expect(since(file([], [called]), [])[0]?.functions).toEqual([called]);
  // One that has begun since and not ended took it is not known what.
  const begun = { name: "handle", key: 7, defLine: 7, lastLine: 9, calls: 1 };
  expect(since(file([], [{ ...called, calls: 4 }]), file([], [called]))[0]?.functions).toEqual([begun]);
  expect(since(file([], [{ ...called, calls: 4 }]), file([], [{ ...begun, calls: 3 }]))[0]?.functions).toEqual([begun]);
});
