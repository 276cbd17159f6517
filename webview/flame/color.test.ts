import { describe, expect, test } from "vitest";
import { contrast, mix, parseColor, readableOn } from "./color.ts";

describe("colors", () => {
  test("are read in the forms that themes use", () => {
    expect(parseColor("#1f1f1f", [0, 0, 0])).toEqual([31, 31, 31]);
    expect(parseColor(" #fff ", [0, 0, 0])).toEqual([255, 255, 255]);
    expect(parseColor("rgb(1, 2, 3)", [0, 0, 0])).toEqual([1, 2, 3]);
    expect(parseColor("#ff000080", [0, 0, 255])).toEqual([128, 0, 127]);
    expect(parseColor("rgba(255, 0, 0, 0.5)", [0, 0, 0])).toEqual([128, 0, 0]);
    expect(["", "red", "#12", "url(x)"].map((text) => parseColor(text, [0, 0, 0]))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("letters can be read on any fill", () => {
    expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21);
    for (let grey = 0; grey < 256; grey += 15) {
      const fill = mix([grey, 128, 255 - grey], [grey, grey, grey], 0.4);
      expect(contrast(fill, readableOn(fill, [128, 128, 128]))).toBeGreaterThanOrEqual(4.5);
    }
  });
});
