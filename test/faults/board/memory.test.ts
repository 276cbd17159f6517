import { writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { makeScene, runRecord } from "../../support/scene.ts";
import { startTruthRun, supervisorOf } from "../support/boardRun.ts";
import { conclude } from "../support/conclude.ts";
import { makeMemoryGroup } from "../support/memoryGroup.ts";
import { times } from "../support/results.ts";
import { judge, type Verdict } from "../support/truth.ts";

const LIMIT = 192 * 2 ** 20;
/** More than fit. */
const STEPS = 100;
const scene = makeScene();
const group = makeMemoryGroup(scene.project, LIMIT);
afterAll(async () => {
  await group?.remove();
  await scene.remove();
});

async function untilMemoryRunsOut(
  pauseSeconds: number,
  prepare: (boardFolder: string) => void,
): Promise<{ readonly folder: string; readonly seen: number }> {
  const changes = group === undefined ? {} : { python: group.python };
  const run = startTruthRun({ steps: STEPS, pauseSeconds, holdAfter: 1, changes }, scene);
  await run.steps(1);
  prepare(await run.boardFolder());
  run.goOn();
  const { folder = "" } = await run.handle.done;
  return { folder, seen: run.stepsSoFar() };
}

describe.skipIf(group === undefined)("memory that runs out on the board", () => {
  it("for the script: the kernel's kill is told as one, with the line that took the memory", async () => {
    const verdicts: Verdict[] = [];
    for (let trial = 0; trial < times(1, 20); trial++) {
      const { folder, seen } = await untilMemoryRunsOut(0, () => {});
      expect(runRecord(folder)).toMatchObject({
        state: "finished",
        exit: { kind: "out-of-memory", signal: "SIGKILL" },
        last_lines: [{ path: "truth.py", line: 7 }],
      });
      expect(seen).toBeGreaterThan(10);
      verdicts.push(await judge(folder, { atLeast: seen }));
    }
    conclude("board", "out of memory: the kernel ends the script", verdicts);
  });

  it("for the helper: what it had and what the counters hold come home", async () => {
    const verdicts: Verdict[] = [];
    for (let trial = 0; trial < times(1, 20); trial++) {
      const { folder, seen } = await untilMemoryRunsOut(0.02, (board) =>
        writeFileSync(`/proc/${supervisorOf(board)}/oom_score_adj`, "1000"),
      );
      expect(runRecord(folder)).toMatchObject({ state: "finished", exit: { kind: "lost" } });
      verdicts.push(await judge(folder, { atLeast: seen }));
    }
    conclude("board", "out of memory: the kernel ends the helper", verdicts);
  });
});
