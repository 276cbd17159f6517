import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { startOf } from "../../../src/runs/list/startOf.ts";
import { makeScene, runRecord } from "../../support/scene.ts";
import { scriptOf, signal, startTruthRun, supervisorOf } from "../support/boardRun.ts";
import { conclude } from "../support/conclude.ts";
import { makeHelperFaults } from "../support/helperFaults.ts";
import { times } from "../support/results.ts";
import { judge, type Verdict } from "../support/truth.ts";

const STEPS = 20;
const HOUR = 3600;
const scene = makeScene();
const faults = makeHelperFaults(join(scene.project, "..", "faults"));
afterEach(() => faults.reset());
afterAll(() => scene.remove());

/** Seconds that the board's clock is off when the run begins and after it was set, and what is told of that. */
const JUMPS: readonly (readonly [string, number, number, string | undefined])[] = [
  ["that starts in 1970 and is set by the network", -Date.now() / 1000 + 30, 0, "days forward"],
  ["that is set back by five hours", 5 * HOUR, 0, "5.0 hours back"],
  ["that is set forward by two hours", -2 * HOUR, 0, "2.0 hours forward"],
  ["that is wrong and stays so", 9 * HOUR, 9 * HOUR, undefined],
];

function begin(offset: number, changes: { steps?: number; holdAfter?: number }): ReturnType<typeof startTruthRun> {
  faults.setClock(offset);
  const options = { steps: STEPS, pauseSeconds: 0.04, helperFolder: faults.helperFolder, ...changes };
  return startTruthRun(options, scene);
}

function expectSaneTimes(folder: string): void {
  const { started, ended, elapsed_ms: elapsed } = runRecord(folder);
  const told = Date.parse(String(ended)) - Date.parse(String(started));
  expect(Math.abs(told - Number(elapsed))).toBeLessThanOrEqual(2);
  for (const name of ["samples.jsonl", "moments.jsonl"]) {
    const lines = readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1);
    const records: readonly { readonly t?: number }[] = lines.map((line) => JSON.parse(line));
    const ts = records.flatMap(({ t }) => (t === undefined ? [] : [t]));
    expect(ts.length).toBeGreaterThan(1);
    expect(ts).toEqual([...ts].sort((a, b) => a - b));
    expect(Math.max(...ts)).toBeLessThan(120_000);
  }
}

describe("a board with a clock", () => {
  it.each(JUMPS)("%s: times stay in order, and nothing is lost", async (what, before, after, told) => {
    const verdicts: Verdict[] = [];
    for (let trial = 0; trial < times(1, 15); trial++) {
      const earlier = Date.now();
      const run = begin(before, { holdAfter: 3 + trial });
      await run.steps(3 + trial);
      faults.setClock(after);
      run.goOn();
      const { folder = "" } = await run.handle.done;
      verdicts.push(await judge(folder, { exactly: STEPS }));
      expectSaneTimes(folder);
      const warnings = runRecord(folder)["warnings"] as { code: string; message: string }[];
      const found = warnings.filter(({ code }) => code === "clock-set").map(({ message }) => message);
      if (told === undefined) expect(found).toEqual([]);
      else expect(found.join()).toContain(told);
      // Lists show a time that the run cannot be far from.
      const later = new Date();
      const shown = startOf({ folder, started: String(runRecord(folder)["started"]) }, later)?.getTime() ?? 0;
      expect(shown).toBeGreaterThan(earlier - 5 * 60_000);
      expect(shown).toBeLessThan(later.getTime() + 5 * 60_000);
    }
    conclude("board", `a clock ${what}`, verdicts);
  });

  it("that was set back before its helper was killed: the run does not end before it began", async () => {
    // More steps than it lives to see.
    const run = begin(0, { steps: 400 });
    const board = await run.boardFolder();
    await run.steps(5);
    faults.setClock(-5 * HOUR);
    await run.steps(12);
    for (const pid of [supervisorOf(board), scriptOf(board)]) signal(pid, "SIGKILL");
    const { folder = "" } = await run.handle.done;
    expect(runRecord(folder)).toMatchObject({ exit: { kind: "lost" } });
    expectSaneTimes(folder);
    expect((await judge(folder, { atLeast: 12 })).why).toEqual([]);
  });
});
