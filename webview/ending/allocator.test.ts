import { describe, expect, it } from "vitest";
import type { CudaOom } from "../../src/torch/oomMessage.ts";
import { allocatorPicture, allocatorRows } from "./allocator.ts";

const MIB = 1024 * 1024;
const OLD: CudaOom = {
  form: "up-to-2.0",
  device: 0,
  tried: 20 * MIB,
  total: 3_956 * MIB,
  free: 11 * MIB,
  allocated: 1_700 * MIB,
  reserved: 1_750 * MIB,
};
const NEW: CudaOom = {
  form: "from-2.1",
  tried: 64 * MIB,
  total: 7_600 * MIB,
  free: 30 * MIB,
  allocated: 3_000 * MIB,
  unallocated: 120 * MIB,
  inUse: 4_100 * MIB,
};

describe("the allocator's figures", () => {
  it("of an older message: what is reserved but not allocated is the difference", () => {
    expect(allocatorRows(OLD).map(({ text }) => text)).toEqual([
      "20.0 MiB",
      "1700.0 MiB",
      "50.0 MiB",
      "1750.0 MiB",
      "11.0 MiB",
      "3956.0 MiB",
    ]);
  });

  it("of a newer message: what the process has in use is a figure of its own", () => {
    expect(allocatorRows(NEW).map(({ label, text }) => `${label}: ${text}`)).toContain(
      "In use by this process, PyTorch or not: 4100.0 MiB",
    );
    expect(allocatorRows(NEW).some(({ label }) => label === "Reserved by PyTorch in all")).toBe(false);
  });

  it("says 'not told' for what the message does not say, never 0", () => {
    expect(allocatorRows({ form: "from-2.1", tried: MIB }).map(({ text }) => text)).toEqual([
      "1.0 MiB",
      "not told",
      "not told",
      "not told",
      "not told",
    ]);
  });

  it("make a picture whose parts add up to the total", () => {
    for (const oom of [OLD, NEW]) {
      const picture = allocatorPicture(oom);
      expect(picture?.parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(oom.total);
    }
    expect(allocatorPicture(OLD)?.parts.map(({ bytes }) => bytes / MIB)).toEqual([1_700, 50, 2_195, 11]);
  });

  it("make no picture where a part is not told or the figures do not fit together", () => {
    const { free: _, ...withoutFree } = OLD;
    expect(allocatorPicture(withoutFree)).toBeUndefined();
    expect(allocatorPicture({ ...OLD, total: 1_000 * MIB })).toBeUndefined();
  });
});
