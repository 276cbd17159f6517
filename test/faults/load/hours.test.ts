import { execFile } from "node:child_process";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRunFolder } from "../../../src/profile/run/runFolder.ts";
import { inFull } from "../../support/inFull.ts";
import { requirement } from "../../support/requirement.ts";
import { HELPER } from "../../support/scene.ts";
import { times } from "../support/results.ts";
import { PATIENCE, recordBytes, underLoad } from "./support/program.ts";
import { type Stage, setStage } from "./support/stage.ts";

const MIB = 2 ** 20;
/** Writing 8 hours takes the helper's own code half a minute; two are as long as its files grow at their fastest. */
const HOURS = times(2, 8);
const LOAD = `${HOURS} hours, simulated`;
const ID = "20260101-000000-part0-0001";
const RECORDER = fileURLToPath(new URL("support/hours.py", import.meta.url));

describe.runIf(inFull && requirement("python3", "/usr/bin/python3"))(LOAD, PATIENCE, () => {
  let stage: Stage;
  let onBoard: string;
  beforeAll(async () => {
    stage = await setStage();
    onBoard = join(stage.scene.board, "runs", ID);
    mkdirSync(stage.scene.board, { recursive: true, mode: 0o700 });
  });
  afterAll(() => stage.close());

  it("are recorded in files of bounded size, with memory that does not grow", async () => {
    const system = join(stage.scene.board, "system");
    const { stdout } = await promisify(execFile)("/usr/bin/python3", [RECORDER, HELPER, system, onBoard, `${HOURS}`]);
    const rss: { before: number; early: number; end: number } = JSON.parse(stdout);
    recordBytes(LOAD, "helper on the board: growth of its RSS after the first tenth", rss.end - rss.early, MIB);
    const size = (name: string): number => statSync(join(onBoard, name)).size;
    recordBytes(LOAD, "lines.jsonl, 300 lines that never rest", size("lines.jsonl"), 96 * MIB);
    recordBytes(LOAD, "samples.jsonl", size("samples.jsonl"), 16 * MIB);
    recordBytes(LOAD, "moments.jsonl", size("moments.jsonl"), 32 * MIB);
    expect(rss.end - rss.early).toBeLessThan(MIB);
    expect(size("lines.jsonl")).toBeLessThan(96 * MIB);
    expect(size("samples.jsonl")).toBeLessThan(16 * MIB);
    expect(size("moments.jsonl")).toBeLessThan(32 * MIB);
  });

  it("come home, and are read and shown, in bounded memory and short turns", async () => {
    const { host, scene, target } = stage;
    const home = join(scene.runs, ID);
    const origin = { schema: 1, target, board_folder: onBoard, simulated: false };
    const comesHome = underLoad(`${LOAD}, come home at once`, host, async () => {
      rmSync(home, { recursive: true, force: true });
      mkdirSync(home, { recursive: true });
      writeFileSync(join(home, "origin.json"), `${JSON.stringify(origin)}\n`);
      return await host.resume(home);
    });
    const { done: run, missed: mirrored } = await comesHome;
    expect(run.outcome).toBe("finished");
    for (const name of ["run.json", "lines.jsonl", "samples.jsonl", "moments.jsonl"]) {
      expect(statSync(join(home, name)).size).toBe(statSync(join(onBoard, name)).size);
    }

    await host.server();
    const { missed: shown } = await underLoad(`${LOAD}, shown`, host, async () => {
      await host.ask("jetsonMemprof/showRun", { folder: home, metric: "rss" });
      const { count } = await host.ask("jetsonMemprof/timeline", { folder: home, maxPoints: 2_000 });
      expect(count).toBeLessThanOrEqual(2_000);
      await host.ask("jetsonMemprof/runTree", { folder: home });
      await host.ask("jetsonMemprof/ending", { folder: home });
    });
    expect((await readRunFolder(home)).files.flatMap(({ lines }) => lines)).toHaveLength(300);
    expect([mirrored, shown].flat()).toEqual([]);
  });
});
