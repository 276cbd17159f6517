import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requirement } from "../../support/requirement.ts";
import { filesBelow, runRecord } from "../../support/scene.ts";
import { times } from "../support/results.ts";
import { PATIENCE, recordBytes, underLoad } from "./support/program.ts";
import { type Stage, setStage } from "./support/stage.ts";

const MIB = 2 ** 20;
/** Bytes that the script prints, as fast as it can. */
const PRINTED = times(100, 1000) * 1e6;
const LOAD = `${PRINTED / 1e6} MB of output`;
const SCRIPT = `import sys
line = b"epoch 1 batch 123456 loss 0.123456789 accuracy 0.98765 memory 1234567890 bytes.\\n"
block = line * 1000
left = ${PRINTED}
out = sys.stdout.buffer
while left > 0:
    out.write(block[:left])
    left -= len(block)
out.flush()
`;
/** Of the terminal, src/editor/run/runTerminal.ts; a line end takes one character more there. */
const SHOWN_PER_SECOND = 1.02 * MIB;

describe.skipIf(!requirement("python3", "/usr/bin/python3"))(LOAD, PATIENCE, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage();
    stage.scene.write({ "prints.py": SCRIPT });
  });
  afterAll(() => stage.close());

  it("of which all comes home takes little memory there, holds nothing up, and does not flood the terminal", async () => {
    const { host } = stage;
    const { done: run, missed } = await underLoad(`${LOAD}, all mirrored`, host, () =>
      host.profile("prints.py", { outputLimit: 4 * 1024 * MIB, exact: false }),
    );
    expect(run).toMatchObject({ outcome: "finished", came: PRINTED });
    expect(runRecord(run.folder ?? "")).toMatchObject({ output: { stdout: { bytes: PRINTED, kept: PRINTED } } });
    expect(statSync(join(run.folder ?? "", "stdout.log")).size).toBe(PRINTED);
    expect(run.shown).toBeLessThan(SHOWN_PER_SECOND * (run.ms / 1000 + 2));
    expect(missed).toEqual([]);
  });

  it("while nobody reads: the script ends all the same, the board's disk keeps its limit, and that comes home", async () => {
    const { host, scene } = stage;
    const limit = 16 * MIB;
    const runs = join(scene.board, "runs");
    const earlier = new Set(readdirSync(runs));
    const running = host.profile("prints.py", { outputLimit: limit, exact: false });
    const folder = (): string => {
      const id = readdirSync(runs).find((name) => !earlier.has(name));
      return join(runs, id ?? "none");
    };
    await expect.poll(() => existsSync(join(folder(), "stdout.log")), { timeout: 60_000, interval: 5 }).toBe(true);
    host.freeze();
    try {
      const state = () => existsSync(join(folder(), "run.json")) && runRecord(folder())["state"];
      await expect.poll(state, { timeout: 300_000 }).toBe("finished");
      // What is kept for the last words is given up once they are there.
      await expect.poll(() => existsSync(join(folder(), "reserve"))).toBe(false);
      const kept = filesBelow(folder()).reduce((sum, name) => sum + statSync(join(folder(), name)).size, 0);
      recordBytes(`${LOAD}, ${limit / MIB} MiB of it kept, nobody reads`, "run folder on the board", kept, limit + MIB);
      expect(kept).toBeLessThan(limit + MIB);
    } finally {
      host.thaw();
    }
    const run = await running;
    expect(run.outcome).toBe("finished");
    expect(runRecord(run.folder ?? "")).toMatchObject({ output: { stdout: { bytes: PRINTED, kept: limit } } });
    // With the sentence that says that there was more.
    expect(run.came).toBeGreaterThan(limit);
    expect(run.came).toBeLessThan(limit + 200);
  });
});
