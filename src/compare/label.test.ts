import { describe, expect, it } from "vitest";
import { changeLabel, lineLabel, mainChange, noiseText, told } from "./label.ts";
import type { Difference, Verdict } from "./model.ts";

const MIB = 1024 * 1024;
const KIB = 1024;

function difference(verdict: Verdict, before?: number, after?: number): Difference {
  return {
    verdict,
    ...(before === undefined ? {} : { before: { median: before, runs: 1 } }),
    ...(after === undefined ? {} : { after: { median: after, runs: 1 } }),
    ...(before === undefined || after === undefined ? {} : { change: after - before }),
    noise: { amount: 64 * KIB, known: false },
  };
}

describe("changeLabel", () => {
  it.each([
    ["more", 10 * MIB, 12 * MIB, "10.0 → 12.0 MiB (+2.0)"],
    ["less", 1585.2 * MIB, 64 * KIB, "1585.2 → 0.1 MiB (-1585.1)"],
    ["more", 0, 300 * KIB, "0 → 300 KiB (+300)"],
    ["more", 12 * MIB, 12 * MIB + 30 * KIB, "12.0 → 12.0 MiB (+30 KiB)"],
    ["less", 100 * KIB, -20 * KIB, "100 → -20 KiB (-120)"],
    ["more", -2 * MIB, -1 * KIB, "-2.0 → 0.0 MiB (+2.0)"],
    ["only-after", undefined, 60 * KIB, "≈ 60 KiB"],
    ["same", 12 * MIB, 12.01 * MIB, "≈ 12.0 MiB"],
    ["same", 0, 0, ""],
    ["only-after", undefined, 12 * MIB, "new: +12.0 MiB"],
    ["only-after", undefined, 0, ""],
    ["only-before", 12 * MIB, undefined, "gone: +12.0 MiB before"],
    ["unknown", undefined, 12 * MIB, "unknown → 12.0 MiB"],
    ["unknown", undefined, undefined, ""],
  ] as const)("of %s from %s to %s is %s", (verdict, before, after, text) => {
    expect(changeLabel(difference(verdict, before, after))).toBe(text);
  });
});

describe("told", () => {
  const same = difference("same", MIB, MIB);
  const nothing = difference("same", 0, 0);
  const grown = difference("more", MIB, 4 * MIB);

  it("is the net where that changed, else the peak that did, else what is not 0", () => {
    const what = (line: Parameters<typeof told>[0]) => told(line).map((each) => each.what);
    expect(what({ net: grown, peak: grown })).toEqual(["net"]);
    expect(told({ net: same, peak: grown })).toEqual([{ what: "peak", difference: grown }]);
    expect(what({ net: nothing, peak: same })).toEqual(["peak"]);
    expect(what({ net: same, peak: same })).toEqual(["net"]);
    expect(what({ net: nothing, peak: nothing })).toEqual(["net"]);
  });

  it("is both where the peak went the other way, or much further", () => {
    const line = { net: difference("less", 20 * MIB, 10 * MIB), peak: difference("more", 20 * MIB, 30 * MIB) };
    expect(lineLabel(line)).toBe("20.0 → 10.0 MiB (-10.0), peak 20.0 → 30.0 MiB (+10.0)");
    expect(mainChange(line)).toBe(10 * MIB);
    const further = { net: difference("less", 20 * MIB, 19 * MIB), peak: difference("less", 20 * MIB, 10 * MIB) };
    expect(lineLabel(further)).toBe("20.0 → 19.0 MiB (-1.0), peak 20.0 → 10.0 MiB (-10.0)");
    expect(mainChange(further)).toBe(-10 * MIB);
    expect(lineLabel({ net: nothing, peak: nothing })).toBe("");
    expect(mainChange({ net: same, peak: nothing })).toBeUndefined();
  });
});

it("noise says whether repeats tell it", () => {
  expect(noiseText({ amount: 3.1 * MIB, known: true })).toBe("runs differ by up to 3.1 MiB on their own");
  expect(noiseText({ amount: 64 * KIB, known: false })).toBe(
    "one run each: at least 64 KiB of noise, and runs may differ by more",
  );
});
