import { describe, expect, it } from "vitest";
import { formatBytes, formatChange, formatCount, formatDuration, formatShare } from "./format.ts";

describe("formatChange", () => {
  it.each([
    [24105.6 * 1048576, "+23.5 GiB"],
    [-10240 * 1048576, "-10.0 GiB"],
    [10239.96 * 1048576, "+10.0 GiB"],
    [10239.9 * 1048576, "+10239.9 MiB"],
    [1585.2 * 1048576, "+1585.2 MiB"],
    [-4 * 1048576, "-4.0 MiB"],
    [1048576, "+1.0 MiB"],
    [1048575, "+1.0 MiB"],
    [1047000, "+1022 KiB"],
    [4096, "+4 KiB"],
    [-4096, "-4 KiB"],
    [1023.7, "+1 KiB"],
    [100, "+100 B"],
    [0, "0 B"],
    [0.2, "0 B"],
    [-0, "0 B"],
  ])("%d bytes is %s", (bytes, text) => {
    expect(formatChange(bytes)).toBe(text);
  });

  it("never rounds a change to nothing", () => {
    for (let bytes = 1; bytes < 4 * 1048576; bytes = Math.ceil(bytes * 1.37)) {
      expect(formatChange(bytes)).not.toMatch(/^\+0/);
      expect(formatChange(-bytes)).not.toMatch(/^-0/);
    }
  });
});

it("formats sizes without a sign for what is there", () => {
  expect(formatBytes(2081.6 * 1048576)).toBe("2081.6 MiB");
});

it.each([
  [0, "0"],
  [999, "999"],
  [1000, "1,000"],
  [1234567, "1,234,567"],
])("counts %d as %s", (count, text) => {
  expect(formatCount(count)).toBe(text);
});

it.each([
  [0, "0.0 ms"],
  [0.04, "< 0.1 ms"],
  [9.94, "9.9 ms"],
  [12.4, "12 ms"],
  [999.7, "1.0 s"],
  [1234, "1.2 s"],
  [59_960, "1 min"],
  [125_000, "2 min 5 s"],
  [3_600_000, "1 h"],
  [10_920_000, "3 h 2 min"],
])("%d ms is %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

it.each([
  [0, "0.0 %"],
  [0.00049, "< 0.1 %"],
  [0.0005, "0.1 %"],
  [0.123, "12.3 %"],
  [1, "100.0 %"],
])("a part of %d is %s", (part, text) => {
  expect(formatShare(part)).toBe(text);
});
