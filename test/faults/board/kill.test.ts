import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import type { RunOutcome } from "../../../src/protocol/run/run.ts";
import { makeScene, runRecord } from "../../support/scene.ts";
import {
  attachOf,
  scriptOf,
  signal,
  startingSupervisorOf,
  startTruthRun,
  supervisorOf,
  type TruthRun,
} from "../support/boardRun.ts";
import { conclude } from "../support/conclude.ts";
import { seeded } from "../support/random.ts";
import { times } from "../support/results.ts";
import { judge, type Verdict } from "../support/truth.ts";
import { until } from "../support/until.ts";

const STEPS = 24;
/** Of a run that is killed: it cannot end by itself before, however late that comes. */
const ENDLESS = 400;
const PAUSE = 0.03;
const scene = makeScene();
afterAll(() => scene.remove());

function folderOf(outcome: RunOutcome): string {
  if (outcome.folder === undefined) throw new Error(`no folder came of it: ${JSON.stringify(outcome)}`);
  return outcome.folder;
}

/** Who is killed or held up, at the moment when the run has got so far. */
type Victims = (run: TruthRun, boardFolder: string) => readonly (number | undefined)[];

const SCRIPT: Victims = (_, folder) => [scriptOf(folder)];
const SUPERVISOR: Victims = (_, folder) => [supervisorOf(folder)];
const ATTACH: Victims = (run) => [attachOf(run.scene.board)];
const BOTH: Victims = (_, folder) => [supervisorOf(folder), scriptOf(folder)];

/** Runs until a random moment, does what is to be done there, and judges what came home. */
async function trial(
  seed: number,
  disturb: (run: TruthRun, boardFolder: string) => Promise<void>,
  steps = STEPS,
): Promise<{ readonly folder: string; readonly printed: number }> {
  const random = seeded(seed);
  const run = startTruthRun({ steps, pauseSeconds: PAUSE, changes: { accelerator: random.below(2) === 1 } }, scene);
  const folder = await run.boardFolder();
  await run.steps(random.below(STEPS - 3));
  await delay(random.below(40));
  const printed = run.stepsSoFar();
  await disturb(run, folder);
  return { folder: folderOf(await run.handle.done), printed };
}

async function killed(count: number, firstSeed: number, victims: Victims, kind: string): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const kill = async (run: TruthRun, boardFolder: string): Promise<void> => {
      for (const pid of victims(run, boardFolder)) signal(pid, "SIGKILL");
    };
    const { folder, printed } = await trial(seed, kill, ENDLESS);
    // Whatever was printed had been counted before.
    const told = readFileSync(join(folder, "stdout.log"), { encoding: "utf8", flag: "a+" }).split("\n").length - 1;
    const verdict = await judge(folder, { atLeast: Math.max(printed, told) });
    if (runRecord(folder)["exit"] === undefined || !JSON.stringify(runRecord(folder)["exit"]).includes(kind))
      throw new Error(`seed ${seed}: ${JSON.stringify(runRecord(folder)["exit"])} where ${kind} was expected`);
    verdicts.push(verdict);
  }
  return verdicts;
}

function expectSound(fault: string, verdicts: readonly Verdict[]): void {
  conclude("board", fault, verdicts);
}

describe("a process of a run that is killed", () => {
  it("the script: what it had taken comes home, and its end is told as what it was", async () => {
    expectSound("script killed (SIGKILL)", await killed(times(2, 60), 100, SCRIPT, '"signalled","signal":"SIGKILL"'));
  });

  it("the helper's supervisor: what it had and what the counters hold come home as a lost run", async () => {
    expectSound("helper's supervisor killed (SIGKILL)", await killed(times(2, 60), 200, SUPERVISOR, '"lost"'));
  });

  it("script and supervisor at once: nothing that the counters held is lost", async () => {
    expectSound("script and supervisor killed at once (SIGKILL)", await killed(times(2, 60), 300, BOTH, '"lost"'));
  });

  it("the process that mirrors the run home: the run goes on and is whole afterwards", async () => {
    const verdicts: Verdict[] = [];
    for (let seed = 400; seed < 400 + times(2, 40); seed++) {
      const { folder } = await trial(seed, async (run) => {
        for (const pid of ATTACH(run, "")) signal(pid, "SIGKILL");
      });
      verdicts.push(await judge(folder, { exactly: STEPS }));
    }
    expectSound("the process that mirrors a run home killed (SIGKILL)", verdicts);
  });

  it("the supervisor at any moment of the start: what was measured comes home, or nothing was and it is said", async () => {
    const verdicts: Verdict[] = [];
    const ends = new Set<string>();
    for (let seed = 500; seed < 500 + times(4, 60); seed++) {
      const random = seeded(seed);
      // What parses for a supervisor that was killed goes on for a second, and looks like it.
      await until(() => startingSupervisorOf(scene.board) === undefined);
      const run = startTruthRun({ steps: ENDLESS, pauseSeconds: PAUSE }, scene);
      await scene.waitFor((event) => event.kind === "phase" && event.phase === "start");
      let supervisor = startingSupervisorOf(scene.board);
      await until(() => {
        supervisor ??= startingSupervisorOf(scene.board);
        return supervisor !== undefined;
      });
      await delay(random.below(120));
      signal(supervisor, "SIGKILL");
      const outcome = await run.handle.done;
      if (outcome.folder === undefined) {
        ends.add(outcome.kind === "failed" ? outcome.error.code : outcome.kind);
        continue;
      }
      expect(runRecord(outcome.folder)).toMatchObject({ state: "finished" });
      expect(JSON.stringify(runRecord(outcome.folder)["exit"])).toMatch(/"(lost|not-started)"/);
      const log = join(outcome.folder, "stdout.log");
      const printed = readFileSync(log, { encoding: "utf8", flag: "a+" }).split("\n").length - 1;
      verdicts.push(await judge(outcome.folder, { atLeast: printed }));
    }
    expectSound("helper's supervisor killed while the run starts", verdicts);
    expect([...ends].filter((end) => end !== "helper-died")).toEqual([]);
    const left = readdirSync(join(scene.board, "runs")).map((name) => runRecord(join(scene.board, "runs", name)));
    expect(left.filter(({ state }) => state !== "finished")).toEqual([]);
  });
});

describe("a process of a run that is stopped for a while and goes on (SIGSTOP, SIGCONT)", () => {
  it.each([
    ["the script", SCRIPT],
    ["the supervisor", SUPERVISOR],
    ["the process that mirrors the run home", ATTACH],
  ] as const)("%s: the run is whole afterwards", async (who, victims) => {
    const verdicts: Verdict[] = [];
    for (let seed = 600; seed < 600 + times(1, 20); seed++) {
      const { folder } = await trial(seed, async (run, boardFolder) => {
        const pids = victims(run, boardFolder);
        for (const pid of pids) signal(pid, "SIGSTOP");
        await delay(800);
        for (const pid of pids) signal(pid, "SIGCONT");
      });
      expect(runRecord(folder)).toMatchObject({ state: "finished", exit: { kind: "exited", code: 0 } });
      verdicts.push(await judge(folder, { exactly: STEPS }));
    }
    expectSound(`${who} stopped for a while (SIGSTOP)`, verdicts);
  });
});
