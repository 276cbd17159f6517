import { describe, expect, it } from "vitest";
import { compareRuns } from "./compareRuns.ts";
import { changeLabel } from "./label.ts";
import type { LoadedSide } from "./side.ts";
import { sumOfNets } from "./sum.ts";
import { MIB, type Rows, train } from "./testing.ts";

const TEXT = Array.from({ length: 40 }, (_, at) => `value_${at} = f(${at})`).join("|");
const at = (...mib: readonly number[]): Rows => Object.fromEntries(mib.map((net, line) => [line + 1, net * MIB]));
const sumOf = (before: LoadedSide, after: LoadedSide) => {
  const comparison = compareRuns(before, after, "rss");
  return sumOfNets(comparison.files[0]?.lines ?? [], comparison);
};

describe("the sum of lines", () => {
  it("has no noise of lines that took nothing on both sides", () => {
    const rest = Array.from({ length: 39 }, () => 0);
    const sum = sumOf(train(TEXT, at(10, ...rest)), train(TEXT, at(19, ...rest)));
    expect(changeLabel(sum)).toBe("10.0 → 19.0 MiB (+9.0)");
    expect(sum.noise).toEqual({ amount: MIB / 4, known: false });
  });

  it("of single runs has the noise of each line that took something, and no more is called a change", () => {
    const row = (net: number) => ({ net: net * MIB, uncertain: 2 * MIB });
    const sum = sumOf(train(TEXT, { 1: row(10), 2: row(1) }), train(TEXT, { 1: row(12), 2: row(4) }));
    expect(sum).toMatchObject({ verdict: "same", change: 5 * MIB, noise: { amount: 8 * MIB, known: false } });
  });

  it("of repeats has for noise how far the sums lie apart, not the lines", () => {
    const before = train(TEXT, at(10, 20), at(20, 10), at(15, 15));
    expect(sumOf(before, train(TEXT, at(10, 23), at(23, 10), at(17, 17)))).toEqual({
      verdict: "more",
      before: { median: 30 * MIB, spread: 0, runs: 3 },
      after: { median: 33 * MIB, spread: MIB, runs: 3 },
      change: 3 * MIB,
      noise: { amount: MIB, known: true },
    });
    expect(sumOf(before, train(TEXT, at(10, 23))).noise).toEqual({ amount: 20 * MIB, known: false });
  });

  it("of repeats counts a line that is new or gone as nothing on the other side", () => {
    const before = train("a = f(1)|import os|c", at(5, 10), at(10, 5));
    const after = train("a = f(1)|print(x, y)|c", at(5, 30), at(10, 25));
    expect(sumOf(before, after)).toMatchObject({ verdict: "more", change: 20 * MIB, noise: { known: true } });
  });

  it("of repeats that do not all have each line has the lines' noise, and does not know it", () => {
    const lost = { ...at(15), 2: { self: 0 } };
    const sum = sumOf(train(TEXT, at(10, 20), at(20, 10), lost), train(TEXT, at(40, 20), at(40, 20), at(40, 20)));
    expect(sum).toMatchObject({ verdict: "more", change: 30 * MIB, noise: { amount: 20 * MIB, known: false } });
  });

  it("is unknown where a line is", () => {
    const sum = sumOf(train(TEXT, at(10, 20)), train(TEXT, { ...at(90), 2: { self: 0 } }));
    expect(sum.verdict).toBe("unknown");
    expect(changeLabel(sum)).toBe("");
  });
});
