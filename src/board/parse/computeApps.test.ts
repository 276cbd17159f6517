import { expect, it } from "vitest";
import { hasNoGpuMemory, parseComputeApps } from "./computeApps.ts";

const MIB = 1024 * 1024;

it("has a process and its bytes in each row; a size that is not told is absent", () => {
  expect(parseComputeApps("4242, 650\n31,0\r\n7, [N/A]\n")).toEqual([
    { pid: 4242, bytes: 650 * MIB },
    { pid: 31, bytes: 0 },
    { pid: 7 },
  ]);
  expect(parseComputeApps("")).toEqual([]);
});

it("is not taken for a list where it is none", () => {
  for (const text of ["No devices were found\n", "4242\n", "4242, 650 MiB\n", "4242, 650\nFailed\n", "-1, 2\n"]) {
    expect(parseComputeApps(text), text).toBeUndefined();
  }
  expect(parseComputeApps("1, 2\n".repeat(1_001))).toBeUndefined();
});

it("knows that the GPUs have no memory of their own where none has a size", () => {
  const texts = ["[N/A]\n", "[Not Supported]\r\n[N/A]\n", "8192\n", "[N/A]\n8192\n", "[Unknown Error]\n", "", "[N/A]x"];
  expect(texts.filter(hasNoGpuMemory)).toEqual(texts.slice(0, 2));
});
