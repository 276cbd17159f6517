import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRuns } from "../../../bench/history/makeRuns.mjs";
import { times } from "../support/results.ts";
import { PATIENCE, underLoad } from "./support/program.ts";
import { type Stage, setStage } from "./support/stage.ts";

const RUNS = times(200, 1_000);
const LOAD = `${RUNS.toLocaleString("en")} runs in history`;

describe(LOAD, PATIENCE, () => {
  let stage: Stage;
  let top: string;
  let runs: string;
  beforeAll(async () => {
    stage = await setStage();
    top = mkdtempSync(join(tmpdir(), "jmp-runs-"));
    runs = makeRuns(top, RUNS);
  });
  afterAll(async () => {
    await stage.close();
    rmSync(top, { recursive: true, force: true });
  });

  const useRuns = async (): Promise<void> => {
    const { host } = stage;
    const folders = [runs];
    expect((await host.ask("jetsonMemprof/runs", { folders })).count).toBe(RUNS);
    expect((await host.ask("jetsonMemprof/runs", { folders })).count).toBe(RUNS);
    for (const folder of readdirSync(runs).map((name) => join(runs, name))) {
      await host.ask("jetsonMemprof/showRun", { folder, metric: "rss" });
      await host.ask("jetsonMemprof/runTree", { folder });
      await host.ask("jetsonMemprof/timeline", { folder, maxPoints: 2_000 });
    }
  };

  it("are listed, and one after the other opened, in bounded memory and short turns", async () => {
    const { host } = stage;
    await host.server();
    const { missed } = await underLoad(LOAD, host, useRuns);
    expect(missed).toEqual([]);
  });
});
