import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { readRunFolder } from "../../../src/profile/run/runFolder.ts";
import type { RunOutcome } from "../../../src/protocol/run/run.ts";
import { resumeRun } from "../../../src/remote/run/resumeRun.ts";
import { HELPER, makeScene, runRecord } from "../../support/scene.ts";
import { startTruthRun } from "../support/boardRun.ts";
import { conclude } from "../support/conclude.ts";
import { makeHelperFaults } from "../support/helperFaults.ts";
import { type Random, seeded } from "../support/random.ts";
import { record, times } from "../support/results.ts";
import { counted, judge, type Verdict } from "../support/truth.ts";
import { until } from "../support/until.ts";

const STEPS = 16;
/** Bytes that every process's counters begin with. */
const COUNTERS_HEAD = Number(
  execFileSync("python3", ["-c", "from jetson_memprof.engine.layout import HEADER_BYTES as n; print(n)"], {
    cwd: HELPER,
    encoding: "utf8",
  }),
);
const scene = makeScene();
const faults = makeHelperFaults(join(scene.project, "..", "faults"));
afterEach(() => faults.reset());
afterAll(() => scene.remove());

interface Told {
  readonly outcome: RunOutcome;
  /** Base names of the files that a write was refused to. */
  readonly refused: ReadonlySet<string>;
}

/** A run on a board whose disk is full from some byte on, until `roomAfter` ms after it first took no more. */
async function runOnFullDisk(files: RegExp, after: number, roomAfter: number): Promise<Told> {
  faults.reset();
  faults.fill(files, after);
  const { handle } = startTruthRun({ steps: STEPS, pauseSeconds: 0.04, helperFolder: faults.helperFolder }, scene);
  const over = new AbortController();
  const room = scene
    .waitFor((event) => event.kind === "started")
    .then(async () => {
      await until(() => faults.refused().length > 0, over.signal);
      await delay(roomAfter, undefined, { signal: over.signal });
    })
    .then(faults.makeRoom, () => {});
  const outcome = await handle.done;
  over.abort();
  if (outcome.kind === "finished") await room;
  return { outcome, refused: new Set(faults.refused().map((path) => basename(path))) };
}

function codesOf(folder: string): readonly string[] {
  return (runRecord(folder)["warnings"] as readonly { readonly code: string }[]).map(({ code }) => code);
}

/** A run that went on: its lines are whole, its output has gaps at most where it says so, no record is cut. */
async function judgeGone(folder: string, measured: boolean): Promise<Verdict> {
  const why: string[] = [];
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".jsonl"))) {
    for (const line of readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1)) JSON.parse(line);
  }
  const log = existsSync(join(folder, "stdout.log")) ? readFileSync(join(folder, "stdout.log"), "utf8") : "";
  const numbers = [...log.matchAll(/^step (\d+)$/gm)].map(([, number]) => Number(number));
  const duplicatedOutput = numbers.some((number, index) => index > 0 && number <= (numbers[index - 1] ?? 0));
  const lostOutput = numbers.length < STEPS && !log.includes("bytes of output are missing here");
  if (duplicatedOutput || lostOutput) why.push(`the output is ${JSON.stringify(log)}`);
  const lines = (await readRunFolder(folder)).files.flatMap((file) => file.lines);
  const hits = lines.find(({ line }) => line === 7)?.hits ?? 0;
  const lostLines = measured && hits !== STEPS;
  if (lostLines) why.push(`line 7 has ${hits} hits`);
  const { wrongLine, why: wrong } = await judge(folder, { atLeast: 0 });
  if (wrongLine) why.push(...wrong);
  return { lostProfile: lostOutput || lostLines, duplicatedOutput, wrongLine, why };
}

/** Where the disk was full while the run was being started, nothing was started and that is said. */
function wasRefused(outcome: RunOutcome): boolean {
  if (outcome.kind !== "failed") return false;
  expect(outcome.error.code).toBe("no-space");
  expect(outcome.error.message).toMatch(/No space left/);
  return true;
}

describe("a board whose disk is full", () => {
  it.each([
    ["the line table", /\/lines\.jsonl$/, 1_200, "no-space"],
    ["the timeline", /\/samples\.jsonl$/, 600, "no-space"],
    ["the board's memory", /\/moments\.jsonl$/, 1_200, "no-space"],
    ["the output", /\/stdout\.log$/, 80, "no-space"],
    // The folder's first one is written under another name.
    ["the run's description", /\/runs\/\d[^/]*\/\.run\.json\.\d+\.tmp$/, 1_000, "no-space"],
    ["the helper's note of pids", /\/\.supervisor\.json\.\d+\.tmp$/, 120, "no-space"],
    ["the sources", /\/sources\/\.truth\.py/, 60, "source-not-kept"],
    ["the counters' index", /\.idx$/, 60, "index-lost"],
  ] as const)("for %s: the script and the measurement go on, and it is said", async (what, files, bytes, code) => {
    const verdicts: Verdict[] = [];
    let tried = 0;
    for (let seed = 1; seed <= times(1, 12); seed++) {
      const random = seeded(seed);
      const after = 1 + random.below(bytes);
      const { outcome, refused } = await runOnFullDisk(files, after, 300 + random.below(600));
      if (wasRefused(outcome) || outcome.folder === undefined) continue;
      tried += refused.size > 0 ? 1 : 0;
      expect(runRecord(outcome.folder), `seed ${seed}`).toMatchObject({
        state: "finished",
        exit: { kind: "exited", code: 0 },
      });
      if (refused.size > 0) expect(codesOf(outcome.folder), `seed ${seed}`).toContain(code);
      const verdict = await judgeGone(outcome.folder, code !== "index-lost");
      verdicts.push({ ...verdict, why: verdict.why.map((why) => `seed ${seed}: ${why}`) });
    }
    conclude("board", `disk full for ${what}`, verdicts);
    expect(tried).toBeGreaterThan(0);
  });

  it("for everything, from any byte on: it goes on, or nothing was started, and it is said", async () => {
    const verdicts: Verdict[] = [];
    let tried = 0;
    for (let seed = 1; seed <= times(3, 40); seed++) {
      const { outcome, refused } = await runOnFullDisk(/\/runs\//, bytesLeft(seeded(seed)), 600);
      // A run that was quick wrote less.
      if (refused.size === 0) continue;
      tried++;
      if (wasRefused(outcome) || outcome.folder === undefined) continue;
      expect(codesOf(outcome.folder).length, `seed ${seed}`).toBeGreaterThan(0);
      const verdict = await judgeGone(outcome.folder, true);
      verdicts.push({ ...verdict, why: verdict.why.map((why) => `seed ${seed}: ${why}`) });
    }
    conclude("board", "disk full from any byte on", verdicts);
    expect(tried).toBeGreaterThan(0);
  });

  it("in shared memory: the counters are kept elsewhere", async () => {
    const { outcome } = await runOnFullDisk(/^\/dev\/shm\//, 0, 60_000);
    expect(outcome.kind).toBe("finished");
    expect(faults.refused().length).toBeGreaterThan(0);
    const verdict = await judge(outcome.folder ?? "", { exactly: STEPS });
    record({ kind: "fault", group: "board", fault: "shared memory full at the start", ...counted([verdict]) });
    expect(verdict.why).toEqual([]);
  });

  it("for the project's files: the project there stays as it was, and the next try sends it", async () => {
    const options = { steps: 3, pauseSeconds: 0.01, helperFolder: faults.helperFolder };
    const verdicts: Verdict[] = [];
    for (let seed = 1; seed <= times(1, 20); seed++) {
      faults.reset();
      faults.fill(/\/(staging|projects)\//, seeded(seed).below(70_000));
      // Others each time: what the board has is not sent again.
      const letter = String.fromCharCode("a".charCodeAt(0) + seed);
      scene.write({ "data/a.txt": letter.repeat(5_000), "data/b.txt": letter.repeat(70_000) });
      const refused = await startTruthRun(options, scene, "loopback").handle.done;
      expect(wasRefused(refused), `seed ${seed}`).toBe(true);
      faults.reset();
      const { folder = "" } = await startTruthRun(options, scene, "loopback").handle.done;
      verdicts.push(await judge(folder, { exactly: 3 }));
    }
    conclude("board", "disk full while files are sent", verdicts);
  });

  it("or has become read-only: nobody waits for it, what came home stays, and the rest comes where it can", async () => {
    faults.reset();
    faults.fill(/\/runs\//, 134_500, constants.errno.EROFS);
    const run = startTruthRun({ steps: STEPS, pauseSeconds: 0.04, helperFolder: faults.helperFolder }, scene);
    const outcome = await run.handle.done;
    expect(outcome).toMatchObject({ kind: "failed", error: { code: "read-only" } });
    const folder = outcome.folder ?? "";
    expect((await readRunFolder(folder)).run.state).toBe("running");
    faults.reset();
    const resumed = await resumeRun(folder, { boardFolder: scene.board }, scene.deps(undefined, faults.helperFolder))
      .done;
    expect(resumed).toEqual({ kind: "finished", folder });
    expect(runRecord(folder)).toMatchObject({ exit: { kind: "exited", code: 0 }, output: { stdout: { kept: 0 } } });
    expect(codesOf(folder)).toContain("not-recorded");
    const verdict = await judgeGone(folder, true);
    const output = { lostProfile: !verdict.why.every((why) => why.startsWith("the output")) };
    record({ kind: "fault", group: "board", fault: "disk becomes read-only", ...counted([{ ...verdict, ...output }]) });
    expect(output.lostProfile || verdict.wrongLine).toBe(false);
  });

  it.each([
    ["from the start", 0, "engine-not-started"],
    ["before the first file", COUNTERS_HEAD, "file-not-measured"],
  ] as const)(
    "for the counters themselves, %s: the script goes on, and what was not measured is said",
    async (...given) => {
      const [, after, code] = given;
      const { outcome } = await runOnFullDisk(/\.cnt$/, after, 60_000);
      expect(outcome.kind).toBe("finished");
      expect(codesOf(outcome.folder ?? "")).toContain(code);
      expect(scene.output()).toContain(`step ${STEPS - 1}\n`);
    },
  );
});

/** Some trials in the start's own bytes, most in the run's, where the reserve is what is left in the end. */
function bytesLeft(random: Random): number {
  return random.below(4) === 0 ? random.below(3_000) : 135_000 + random.below(12_000);
}
