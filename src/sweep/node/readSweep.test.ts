import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeProject, runFiles, runJson, writeFiles } from "../../profile/testing.ts";
import { makeRuns } from "../makeRuns.ts";
import type { SweepRun } from "../model.ts";
import { plannedSweep, runAt } from "../testing.ts";
import { findSweep } from "./findSweep.ts";
import { listPlans, readPlan, writePlan } from "./planFile.ts";
import { readSweep } from "./readSweep.ts";

const ID = "20261121-094500-train-1a2b";
const PLAN = plannedSweep(ID);

describe("a sweep in a runs folder", () => {
  let project: ReturnType<typeof makeProject>;
  let runsFolder = "";
  beforeEach(() => {
    project = makeProject();
    runsFolder = path.dirname(project.run);
  });
  afterEach(() => project.remove());

  const member = (run: string, batch: string, index: number): void =>
    fs.writeFileSync(
      path.join(run, "group.json"),
      JSON.stringify({ schema: 1, kind: "sweep", id: ID, index, of: 2, values: { batch } }),
    );
  const another = (name: string): string => {
    const folder = path.join(runsFolder, name);
    writeFiles(folder, runFiles());
    return folder;
  };

  it("keeps its plan beside the runs, and reads it back as it was", async () => {
    await writePlan(runsFolder, PLAN);
    expect(await readPlan(runsFolder, ID)).toEqual(PLAN);
    expect(await listPlans(runsFolder)).toEqual([ID]);
    await expect(writePlan(runsFolder, PLAN)).rejects.toThrow("cannot be written");
  });

  it.each([
    ["a script outside the project", { command: { ...PLAN.command, entry: { kind: "script", path: "../x.py" } } }],
    ["more runs than a sweep may have", { repeat: 150 }],
    ["an engine that is none", { command: { ...PLAN.command, engine: "rm" } }],
  ])("refuses a plan with %s", async (_what, changes) => {
    fs.writeFileSync(path.join(runsFolder, `${ID}.sweep.json`), JSON.stringify({ schema: 1, ...PLAN, ...changes }));
    await expect(readPlan(runsFolder, ID)).rejects.toMatchObject({ code: "run-damaged" });
  });

  it("refuses a plan of a newer version in words, and looks for none by a name that leads elsewhere", async () => {
    fs.writeFileSync(path.join(runsFolder, `${ID}.sweep.json`), JSON.stringify({ ...PLAN, schema: 9 }));
    await expect(readPlan(runsFolder, ID)).rejects.toMatchObject({ code: "schema-too-new" });
    expect(await readPlan(runsFolder, "../../secret")).toBeUndefined();
  });

  it("is its plan with the runs of its group; others are none of it", async () => {
    await writePlan(runsFolder, PLAN);
    member(project.run, "8", 1);
    another("20261121-100000-train-ffff");
    const { sweep, runs, plan } = await readSweep([path.join(project.project, "elsewhere"), runsFolder], ID);
    expect(plan).toEqual(PLAN);
    expect(runs.map(({ folder }) => folder)).toEqual([project.run]);
    expect(sweep.title).toBe("train.py --epochs 2");
    expect(sweep.points.map(({ values, state }) => [values["batch"], state])).toEqual([
      ["8", "fits"],
      ["16", "missing"],
    ]);
  });

  /** What a connection that is lost right at the start leaves. */
  const begun = (name: string, batch: string): string => {
    const folder = path.join(runsFolder, name);
    writeFiles(folder, {
      "origin.json": JSON.stringify({
        schema: 1,
        target: "local",
        board_folder: `/home/nano/.jetson-memprof/runs/${name}`,
      }),
    });
    member(folder, batch, 1);
    return folder;
  };
  const madeAfter = async (runs: readonly SweepRun[]): Promise<(string | undefined)[]> => {
    const made: (string | undefined)[] = [];
    await makeRuns(
      PLAN,
      runs,
      async ({ values }) => {
        made.push(values["batch"]);
        return { kind: "made", run: runAt(values) };
      },
      () => undefined,
    );
    return made;
  };

  it("has a run that was begun and of which nothing came home yet: it is not begun again, the others are", async () => {
    await writePlan(runsFolder, PLAN);
    const folder = begun("20261121-100000-train-ffff", "8");
    const { runs, sweep } = await readSweep([runsFolder], ID);
    expect(runs).toEqual([{ folder, values: { batch: "8" }, outcome: "running", peaks: {}, simulated: false }]);
    expect(sweep.points.map(({ state }) => state)).toEqual(["running", "missing"]);
    expect(await madeAfter(runs)).toEqual(["16"]);
    expect(await findSweep(runsFolder, path.basename(folder))).toBe(ID);
  });

  it("does not double a run that is seen to go on", async () => {
    await writePlan(runsFolder, PLAN);
    const folder = path.join(runsFolder, "20261121-100000-train-ffff");
    writeFiles(
      folder,
      runFiles({ "run.json": JSON.stringify(runJson({ state: "running", exit: null, ended: null })) }),
    );
    member(folder, "16", 2);
    const { runs } = await readSweep([runsFolder], ID);
    expect(runs.map(({ outcome }) => outcome)).toEqual(["running"]);
    expect(await madeAfter(runs)).toEqual(["8"]);
  });

  it("does not take figures without the run's record for the run's end", async () => {
    await writePlan(runsFolder, PLAN);
    member(project.run, "8", 1);
    fs.rmSync(path.join(project.run, "run.json"));
    const { runs } = await readSweep([runsFolder], ID);
    expect(runs.map(({ outcome }) => outcome)).toEqual(["running"]);
  });

  it("leaves out a run whose record is damaged", async () => {
    await writePlan(runsFolder, PLAN);
    const folder = begun("20261121-100000-train-ffff", "8");
    fs.writeFileSync(path.join(folder, "run.json"), "{");
    expect((await readSweep([runsFolder], ID)).runs).toEqual([]);
  });

  it("is what its runs span where the plan is gone, and an error in words where they are gone too", async () => {
    member(project.run, "8", 1);
    const { sweep } = await readSweep([runsFolder], ID);
    expect(sweep.points).toHaveLength(1);
    await expect(readSweep([runsFolder], "20260101-000000-x-0000")).rejects.toMatchObject({ code: "no-such-sweep" });
  });

  it.each([["last"], [ID], [ID.slice(0, 12)], ["20261121-094501-train-3fa9"]])("is found by %s", async (text) => {
    member(project.run, "8", 1);
    expect(await findSweep(runsFolder, text)).toBe(ID);
  });

  it("is not guessed where the beginning is that of several", async () => {
    await writePlan(runsFolder, PLAN);
    await writePlan(runsFolder, { ...PLAN, id: `${ID.slice(0, -1)}c` });
    await expect(findSweep(runsFolder, "2026")).rejects.toThrow("is the beginning of 2 sweeps");
  });
});
