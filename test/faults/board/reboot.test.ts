import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { readRunFolder } from "../../../src/profile/run/runFolder.ts";
import { UserError } from "../../../src/profile/userError.ts";
import { resumeRun } from "../../../src/remote/run/resumeRun.ts";
import { type OpenTarget, openTarget } from "../../../src/remote/transport/openTarget.ts";
import { processesNaming } from "../../support/processes.ts";
import { makeScene, runRecord } from "../../support/scene.ts";
import { attachOf, scriptOf, signal, startTime, startTruthRun, supervisorOf } from "../support/boardRun.ts";
import { conclude } from "../support/conclude.ts";
import { type Random, seeded } from "../support/random.ts";
import { times } from "../support/results.ts";
import { judge, type Verdict } from "../support/truth.ts";
import { until } from "../support/until.ts";

const STEPS = 400;
const GROWING = ["lines.jsonl", "samples.jsonl", "moments.jsonl", "stdout.log", "stderr.log"];
/** Restarts that are tried on what one run left. */
const ENDS_OF_ONE = 5;
const ANOTHER_BOOT = "00000000-1111-2222-3333-444444444444";
const scene = makeScene();
afterAll(() => scene.remove());

/** Both run folders of a run that was cut off, which can be put back to how they were then. */
interface CutOff {
  readonly board: string;
  readonly home: string;
  restore(): void;
}

/** A run in whose middle everything ends at once, the connection too. */
async function cutOff(random: Random): Promise<CutOff> {
  let reachable = true;
  const open: OpenTarget = (target, options) => {
    if (reachable) return openTarget(target, options);
    throw new UserError("auth-failed", "The board is starting.", "Wait.");
  };
  const run = startTruthRun({ steps: STEPS, pauseSeconds: 0.03, open }, scene);
  const board = await run.boardFolder();
  await run.steps(1 + random.below(12));
  await delay(random.below(250));
  reachable = false;
  const pids = [attachOf(scene.board), supervisorOf(board), scriptOf(board)];
  for (const pid of pids) signal(pid, "SIGKILL");
  const outcome = await run.handle.done;
  expect(outcome.kind).toBe("failed");
  await until(() => processesNaming(scene.board).length === 0);
  const folders = [board, outcome.folder ?? ""] as const;
  const kept = mkdtempSync(join(scene.project, "kept-"));
  for (const folder of folders) cpSync(folder, join(kept, String(folders.indexOf(folder))), { recursive: true });
  return {
    board,
    home: folders[1],
    restore() {
      for (const folder of folders) {
        rmSync(folder, { recursive: true });
        cpSync(join(kept, String(folders.indexOf(folder))), folder, { recursive: true });
      }
    },
  };
}

function removeCounters(board: string): void {
  const noted: { shared: string } = JSON.parse(readFileSync(join(board, "supervisor.json"), "utf8"));
  rmSync(noted.shared, { recursive: true, force: true });
}

/** What a restart leaves: no counters, another boot, and of each file what the disk had taken. */
function restart(board: string, random: Random): void {
  removeCounters(board);
  const noted = JSON.parse(readFileSync(join(board, "supervisor.json"), "utf8"));
  writeFileSync(join(board, "lock"), ANOTHER_BOOT);
  writeFileSync(join(board, ".run.json.77.tmp"), '{"schema"');
  const reused = { pid: process.pid, start_time: startTime(process.pid), script_pid: process.pid };
  const own = { ...noted, ...reused, boot_id: ANOTHER_BOOT, processes: [[process.pid, startTime(process.pid)]] };
  // Replaced without waiting for the disk: whole, or nothing of it.
  writeFileSync(join(board, "supervisor.json"), random.below(3) === 0 ? "\0".repeat(300) : JSON.stringify(own));
  for (const name of GROWING) damageEnd(join(board, name), random);
}

function damageEnd(file: string, random: Random): void {
  if (!existsSync(file)) return;
  const whole = readFileSync(file);
  const kept = random.below(whole.length + 1);
  const ways = [
    () => writeFileSync(file, whole.subarray(0, kept)),
    () => writeFileSync(file, Buffer.concat([whole.subarray(0, kept), Buffer.alloc(whole.length - kept)])),
    () => {},
  ] as const;
  random.pick(ways)();
}

/** Steps whose figures and whose output a run folder has: at home none until the run's record came. */
async function stepsIn(folder: string): Promise<number> {
  if (!existsSync(join(folder, "run.json"))) return 0;
  const log = join(folder, "stdout.log");
  const printed = existsSync(log) ? readFileSync(log, "latin1").replaceAll("\0", "").split("\n").length - 1 : 0;
  const lines = (await readRunFolder(folder)).files.flatMap((file) => file.lines);
  return Math.min(printed, lines.find(({ line }) => line === 7)?.hits ?? 0);
}

describe("a board that restarts in the middle of a run", () => {
  it("has its run found later, collected and marked as incomplete, with nothing of what was home taken away", async () => {
    const verdicts: Verdict[] = [];
    let cut = await cutOff(seeded(0));
    for (let seed = 1; seed <= times(8, 120); seed++) {
      const random = seeded(seed);
      if (seed % ENDS_OF_ONE === 0) cut = await cutOff(random);
      const { board, home } = cut;
      cut.restore();
      restart(board, random);
      // The connection may have gone long before.
      if (random.below(2) === 0) {
        for (const name of GROWING.filter((one) => existsSync(join(home, one)))) {
          truncateSync(join(home, name), random.below(statSync(join(home, name)).size + 1));
        }
        if (random.below(4) === 0) rmSync(join(home, "run.json"), { force: true });
      }
      const atLeast = Math.max(await stepsIn(home), await stepsIn(board));
      const resumed = await resumeRun(home, { boardFolder: scene.board }, scene.deps()).done;
      expect(resumed, `seed ${seed}`).toEqual({ kind: "finished", folder: home });
      const told = runRecord(home);
      expect(told).toMatchObject({ state: "finished", exit: { kind: "lost", restarted: true } });
      expect(Date.parse(String(told["ended"]))).toBeGreaterThanOrEqual(Date.parse(String(told["started"])));
      expect(readFileSync(join(home, "lines.jsonl"), "utf8")).not.toContain('"end"');
      const verdict = await judge(home, { atLeast });
      verdicts.push({ ...verdict, why: verdict.why.map((why) => `seed ${seed}: ${why}`) });
    }
    conclude("board", "board restarts (power cut) during a run", verdicts);
  });

  it("sends the figures of a run whose description is damaged, and says what is wrong with it", async () => {
    const { board, home } = await cutOff(seeded(1000));
    const atLeast = await stepsIn(board);
    writeFileSync(join(board, "run.json"), "\0".repeat(100));
    writeFileSync(join(home, "lines.jsonl"), "");
    const resumed = await resumeRun(home, { boardFolder: scene.board }, scene.deps()).done;
    expect(resumed).toMatchObject({ kind: "failed", error: { code: "damaged-run" } });
    expect((await judge(home, { atLeast })).why).toEqual([]);
    expect(readdirSync(home)).toContain("run.json");
    removeCounters(board);
  });
});
