import { describe, expect, it } from "vitest";
import { aligned, displayWidth } from "./table.ts";

describe("aligned", () => {
  it("puts figures to the right and words to the left, with nothing after the last", () => {
    expect(
      aligned(
        [
          ["9 MiB", "a", "x"],
          ["10 MiB", "long", ""],
        ],
        1,
      ),
    ).toEqual([" 9 MiB  a     x", "10 MiB  long"]);
  });

  it("counts a Chinese character as the two columns that it takes", () => {
    expect(displayWidth("峰值 (RSS)，")).toBe(4 + 6 + 2);
    expect(
      aligned(
        [
          ["峰值", "a"],
          ["net", "b"],
        ],
        0,
      ),
    ).toEqual(["峰值  a", "net   b"]);
  });
});
