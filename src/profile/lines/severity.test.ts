import { describe, expect, it } from "vitest";
import { MIB } from "../testing.ts";
import { deltaLabel, severityOf } from "./severity.ts";

const KIB = 1024;

describe("severityOf", () => {
  const growth = 1000 * MIB;
  it.each([
    ["nothing", { net: 0, peak: 0 }, "none"],
    ["unknown", {}, "none"],
    ["below the floor", { net: 63 * KIB, peak: 63 * KIB }, "none"],
    ["at the floor", { net: 64 * KIB }, "low"],
    ["4.9 %", { net: 49 * MIB }, "low"],
    ["5 %", { net: 50 * MIB }, "medium"],
    ["25 %", { net: 250 * MIB }, "high"],
    ["a peak that was given back", { net: 0, peak: 512 * MIB }, "high"],
    ["given back", { net: -64 * KIB, peak: 0 }, "freed"],
    ["gave back more than it held", { net: -100 * MIB, peak: 60 * MIB }, "freed"],
    ["held more than it gave back", { net: -10 * MIB, peak: 300 * MIB }, "high"],
    ["in a line that never ended", { self: 300 * MIB }, "high"],
    ["a little given back", { net: -4 * KIB }, "none"],
  ] as const)("%s", (_, figures, severity) => {
    expect(severityOf(figures, growth)).toBe(severity);
  });

  it("does not cry wolf in a run that hardly grew", () => {
    expect(severityOf({ net: 500 * KIB }, 500 * KIB)).toBe("low");
    expect(severityOf({ net: 2 * MIB }, 2 * MIB)).toBe("medium");
  });
});

describe("deltaLabel", () => {
  it.each([
    [{ net: 1585.2 * MIB, peak: 1585.2 * MIB }, "+1585.2 MiB"],
    [{ net: 0, peak: 512 * MIB }, "peak +512.0 MiB"],
    [{ net: 4 * KIB, peak: 512 * MIB }, "peak +512.0 MiB"],
    [{ net: 4 * MIB, peak: 512 * MIB }, "+4.0 MiB, peak +512.0 MiB"],
    [{ net: 40 * MIB, peak: 60 * MIB }, "+40.0 MiB"],
    [{ net: -80 * MIB, peak: 0 }, "-80.0 MiB"],
    [{ net: 8 * KIB, peak: 8 * KIB }, "+8 KiB"],
    [{ net: 0, peak: 0 }, undefined],
    [{ self: 5 * MIB }, "+5.0 MiB"],
    [{}, undefined],
  ])("%o", (figures, label) => {
    expect(deltaLabel(figures, "rss")?.label).toBe(label);
  });

  it("has its two figures apart, each with what it measures", () => {
    expect(deltaLabel({ net: 4 * MIB, peak: 512 * MIB }, "cuda")).toEqual({
      label: "CUDA +4.0 MiB, peak +512.0 MiB",
      apart: { net: "CUDA +4.0 MiB", peak: "CUDA peak +512.0 MiB" },
    });
    expect(deltaLabel({ net: 40 * MIB, peak: 60 * MIB }, "rss")).toEqual({ label: "+40.0 MiB" });
  });
});
