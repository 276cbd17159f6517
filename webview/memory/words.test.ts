import { describe, expect, test } from "vitest";
import { ageNotes, changeText, momentText, percentText, shareText, sizeText } from "./words.ts";

const MIB = 1024 * 1024;

describe("figures in words", () => {
  test("what was not read is said to be so, and nothing is a figure of its own", () => {
    expect([sizeText(undefined), sizeText(0), sizeText(12.5 * MIB)]).toEqual(["not read", "0 B", "12.5 MiB"]);
    expect([percentText(undefined), percentText(0), percentText(0.456)]).toEqual(["not read", "0 %", "46 %"]);
    expect([changeText(undefined), changeText(0), changeText(-MIB)]).toEqual(["unknown", "0 B", "-1.0 MiB"]);
  });

  test("a share too small for its digits is not shown as nothing", () => {
    expect([shareText(0, 100), shareText(1, 100_000), shareText(25, 100)]).toEqual(["0.0 %", "< 0.1 %", "25.0 %"]);
    expect(shareText(5, 0)).toBe("");
  });

  test("a reading of other programs that is a while old is said to be so", () => {
    expect(ageNotes({ processesAgeMs: 400 })).toEqual([]);
    expect(ageNotes({ processesAgeMs: 12_000 })).toEqual([expect.stringContaining("12.0 s before this moment")]);
  });

  test("the baseline is before the start", () => {
    expect([momentText(-14), momentText(0), momentText(12_000)]).toEqual(["before the start", "0 s", "12.0 s"]);
  });
});
