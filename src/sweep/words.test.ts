import { describe, expect, it } from "vitest";
import type { SweepRun } from "./model.ts";
import { sweepOf } from "./sweepOf.ts";
import { lineRuns, MIB, runAt } from "./testing.ts";
import { firstFigure, isRepeated, limitText, measuredFigures, pointLine } from "./words.ts";

const sweep = (...runs: readonly SweepRun[]) => sweepOf({ id: "g", title: "train.py", runs });
const fits = (...runs: readonly SweepRun[]): string[] => sweep(...runs).limits.flatMap(limitText);
const line = (run: SweepRun): string => sweep(run).points.map(pointLine).join();
const ROOM = { available: 1_000 * MIB };

describe("what is said of a sweep", () => {
  it("a point: its values, its state with the reason, its peaks and its time", () => {
    const peaks = { rss: 480 * MIB, board: 500 * MIB };
    expect(line(runAt({ batch: "16", device: "cpu" }, { peaks, elapsedMs: 2_100 }))).toBe(
      "batch 16, device cpu: fits · RSS peak 480.0 MiB · Board's memory 500.0 MiB · 2.1 s",
    );
    expect(line(runAt({ batch: "16" }, { outcome: "out-of-memory", reason: "Killed.", peaks: { rss: MIB } }))).toBe(
      "batch 16: out of memory (Killed.) · RSS peak ≥ 1.0 MiB",
    );
    expect(line(runAt({ batch: "16" }, { outcome: "failed", exit: { kind: "exited", code: 2 } }))).toBe(
      "batch 16: failed (exit status 2, which does not mean that memory ran out)",
    );
    expect(line(runAt({ batch: "16" }, { outcome: "failed", exit: { kind: "lost" }, peaks: { rss: MIB } }))).toBe(
      "batch 16: failed (the recording broke off) · RSS peak ≥ 1.0 MiB",
    );
  });

  it("what fits: what was seen, then the estimate with its line", () => {
    const failed = runAt({ batch: "256" }, { outcome: "out-of-memory" });
    expect(fits(...lineRuns(400, 5, [16, 32, 64], ROOM), failed)).toEqual([
      "batch: 64 is the largest that ran, 256 ran out of memory.",
      "Estimate: up to 120 fits, by RSS peak. 3 peaks lie on a straight line, 400.0 MiB and 5.0 MiB more for each 1 of batch, off by at most 0 B. That is 1.9 times the largest that ran, so run it to be sure.",
    ]);
  });

  it("what fits: why there is no estimate", () => {
    const [seen, why] = fits(...lineRuns(400, 5, [16, 32], ROOM));
    expect(seen).toBe("batch: 32 is the largest that ran to its end, and none ran out of memory.");
    expect(why).toBe("No estimate by RSS peak: Fewer than 3 values ran to their end, which is too few for a line.");
    expect(
      fits(runAt({ batch: "8" }, { outcome: "out-of-memory" }), runAt({ batch: "4" }, { outcome: "failed" })),
    ).toEqual(["batch: not even 8 fits, it ran out of memory."]);
  });

  it("points are repeated as soon as they are to be, though one run each is made", () => {
    const plan = { parameters: [{ name: "batch", values: ["8", "16"] }], larger: "skip" } as const;
    const found = (repeat: number) =>
      sweepOf({ id: "g", title: "train.py", plan: { ...plan, repeat }, runs: lineRuns(400, 5, [8]) });
    expect([found(5), found(1)].map(isRepeated)).toEqual([true, false]);
  });

  it("the figure to look at first is that of the estimate, else the GPU's where it was used", () => {
    expect(firstFigure(sweep(...lineRuns(400, 5, [16, 32, 64], ROOM)))).toBe("rss");
    const used = sweep(runAt({ batch: "8" }, { peaks: { rss: MIB, board: MIB, cuda: MIB } }));
    expect(firstFigure(used)).toBe("cuda");
    expect(measuredFigures(used)).toEqual(["rss", "board", "cuda"]);
  });
});
