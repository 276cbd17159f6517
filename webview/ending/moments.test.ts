import { describe, expect, it } from "vitest";
import type { LastMoment } from "../../src/board/ending/model.ts";
import { beforeEnd, courseText, figure, readMetrics } from "./moments.ts";

const MIB = 1024 * 1024;
const MOMENTS: LastMoment[] = [
  { t: 8_000, memAvailable: 900 * MIB, swapFree: 0 },
  { t: 9_000, swapFree: 0 },
  { t: 10_000, memAvailable: 12 * MIB, swapFree: 0, runRss: 2_000 * MIB },
];

describe("the last moments", () => {
  it("are told by what was read, in one sentence for each figure", () => {
    expect(courseText(MOMENTS)).toBe(
      "Available RAM fell from 900.0 MiB to 12.0 MiB. Free swap stayed at 0 B. Script (RSS) was 2000.0 MiB.",
    );
    expect(readMetrics(MOMENTS).map(({ metric }) => metric)).toEqual(["memAvailable", "swapFree", "runRss"]);
  });

  it("are counted back from the last one", () => {
    expect(MOMENTS.map((moment) => beforeEnd(moment, MOMENTS))).toEqual([
      "2.0 s before",
      "1.0 s before",
      "the last one",
    ]);
  });

  it("say 'not read' where nothing was read, and 0 B only where that was read", () => {
    expect(figure(undefined)).toBe("not read");
    expect(figure(0)).toBe("0 B");
    expect(courseText([{ t: 0 }])).toBe("");
  });
});
