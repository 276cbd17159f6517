import { describe, expect, it } from "vitest";
import { heapLabel } from "./heapText.ts";

const MIB = 1024 * 1024;
const peak = { bytes: 100 * MIB, pages: false, substitute: false, withoutLine: 5 * MIB };

describe("a line's heap in words", () => {
  it("is what it held at the peak", () => {
    expect(heapLabel({ total: 12 * MIB, own: MIB }, peak)).toBe("12.0 MiB of heap at peak");
    expect(heapLabel({ total: 12 * MIB, own: MIB }, { ...peak, pages: true })).toBe("12.0 MiB of pages at peak");
  });

  it("is at least that where more than that is on no line", () => {
    expect(heapLabel({ total: 2 * MIB, own: MIB }, peak)).toBe("at least 2.0 MiB of heap at peak");
  });

  it("is the change that was measured where the stacks lost sight of it", () => {
    const measured = { net: 9.5 * MIB, measured: 1, hits: 1 };
    expect(heapLabel({ total: 2 * MIB, own: MIB, measured }, peak)).toBe("+9.5 MiB of heap in 1 hit");
    expect(heapLabel({ total: 12 * MIB, own: MIB, measured }, peak)).toBe("12.0 MiB of heap at peak");
    expect(heapLabel({ total: 0, own: 0, measured: { net: -MIB, measured: 3, hits: 150 } }, peak)).toBe(
      "-1.0 MiB of heap in 3 of 150 hits",
    );
    expect(heapLabel({ total: 0, own: 0 }, peak)).toBe("");
  });
});
