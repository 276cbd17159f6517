import { describe, expect, it } from "vitest";
import { parseSize } from "./size.ts";

describe("parseSize", () => {
  it.each([
    ["500MiB", 500 * 2 ** 20],
    ["3.2GiB", 3_435_973_837],
    ["3.2 GB", 3_200_000_000],
    [" 64 KiB ", 65_536],
    ["64kB", 64_000],
    ["64KB", 64_000],
    [".5MiB", 524_288],
    ["1TiB", 2 ** 40],
    ["0MiB", 0],
    ["12B", 12],
  ])("reads %s", (text, bytes) => {
    expect(parseSize("--max-peak", text)).toBe(bytes);
  });

  it.each([
    ["500", "has no unit"],
    ["", "is not a size"],
    ["3,2GiB", "is not a size"],
    ["-3GiB", "is not a size"],
    ["1e3MiB", "is not a size"],
    ["three GiB", "is not a size"],
    ["NaN", "is not a size"],
    ["5G", '"G" is no unit'],
    ["5Mb", '"Mb" is no unit'],
    ["5mib", '"mib" is no unit'],
    ["5constructor", '"constructor" is no unit'],
    ["99999999TiB", "more than can be measured"],
  ])("refuses %j in words", (text, message) => {
    expect(() => parseSize("--max-peak", text)).toThrow(
      expect.objectContaining({
        code: "usage",
        message: expect.stringContaining(message),
        hint: expect.stringContaining("500MiB"),
      }),
    );
    expect(() => parseSize("--max-peak", text)).toThrow(/^--max-peak: /);
  });
});
