import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runJson } from "../../profile/testing.ts";
import { changeLabel } from "../keeping.ts";
import { newRunId } from "../runId.ts";
import { makeHistory, type TestHistory } from "../testing.ts";
import { deletedFolderOf, deleteRun, isBeingRecorded, listDeleted, removeForGood, restoreRun } from "./deleted.ts";
import { planPruning, prune } from "./pruneProject.ts";

let history: TestHistory;
beforeEach(() => {
  history = makeHistory();
});
afterEach(() => history.remove());

const DAY = 86_400_000;
const content = (folder: string) => fs.readdirSync(folder).sort();

describe("deleting a run", () => {
  it("moves its folder, and restoring it leaves no trace", async () => {
    const run = history.add("20260101-a", { "samples.jsonl": "", "label.json": { name: "kept" } });
    const before = content(run);
    const place = await deleteRun(run, Date.UTC(2026, 5, 1));
    expect(fs.existsSync(run)).toBe(false);
    expect(await listDeleted(history.project)).toEqual([{ folder: place, deletedAt: Date.UTC(2026, 5, 1) }]);
    expect(await restoreRun(place)).toBe(run);
    expect(content(run)).toEqual(before);
    expect(await listDeleted(history.project)).toEqual([]);
  });

  it("refuses a run that is being recorded, not one that was lost long ago", async () => {
    const running = { "run.json": runJson({ state: "running", exit: null }) };
    const live = history.add("20260101-live", running);
    fs.writeFileSync(path.join(live, "moments.jsonl"), "");
    const lost = history.add("20260101-lost", running);
    await expect(deleteRun(live)).rejects.toMatchObject({ code: "still-running" });
    expect(await isBeingRecorded(lost)).toBe(false);
    await deleteRun(lost);
    expect(fs.existsSync(lost)).toBe(false);
  });

  it("refuses a run that has just begun, of which the board has said nothing yet", async () => {
    const run = path.join(history.runs, "20260101-new");
    fs.mkdirSync(run);
    fs.writeFileSync(path.join(run, "origin.json"), "{}");
    await expect(deleteRun(run)).rejects.toMatchObject({ code: "still-running" });
  });

  it("refuses where one of that name was deleted before, or has come back", async () => {
    const place = await deleteRun(history.add("20260101-a"));
    const again = history.add("20260101-a");
    await expect(deleteRun(again)).rejects.toMatchObject({ code: "name-taken" });
    await expect(restoreRun(place)).rejects.toMatchObject({ code: "name-taken" });
    expect(content(again)).toEqual(["run.json"]);
  });

  it("tells of a folder that is gone or lies elsewhere", async () => {
    await expect(deleteRun(path.join(history.runs, "gone"))).rejects.toMatchObject({ code: "not-moved" });
    await expect(deleteRun(path.join(history.project, "elsewhere"))).rejects.toMatchObject({ code: "not-ours" });
    await expect(restoreRun(path.join(history.runs, "20260101-a"))).rejects.toMatchObject({ code: "not-ours" });
  });

  it("leaves the run as it was where it cannot be moved", async () => {
    const run = history.add("20260101-a");
    // A file where the folder for deleted runs would be: as good as a read-only disk, and root is stopped by it too.
    fs.writeFileSync(deletedFolderOf(history.project), "");
    await expect(deleteRun(run)).rejects.toMatchObject({ code: "not-moved" });
    expect(content(run)).toEqual(["run.json"]);
  });

  it("is for good in the end", async () => {
    const place = await deleteRun(history.add("20260101-a"));
    await removeForGood([place]);
    expect(fs.existsSync(place)).toBe(false);
  });

  it("does not look behind a link in place of the folder of deleted runs", async () => {
    const elsewhere = path.join(history.project, "mine");
    fs.mkdirSync(path.join(elsewhere, "photos"), { recursive: true });
    fs.symlinkSync(elsewhere, deletedFolderOf(history.project), "dir");
    expect(await listDeleted(history.project)).toEqual([]);
  });
});

describe("pruning a project", () => {
  const limits = { maxRuns: 2, maxBytes: 0, deletedFor: 7 * DAY };
  const never = () => false;

  it("moves the oldest runs away and keeps what is pinned, goes on, cannot be read or stands with a pinned one", async () => {
    const group = (index: number) => ({ "group.json": { kind: "repeat", id: "g", index, of: 2 } });
    const old = history.add("20260101-old");
    history.add("20260102-mate", group(1));
    await changeLabel(history.add("20260103-pinned", group(2)), (label) => ({ ...label, pinned: true }));
    history.add("20260104-running", { "run.json": runJson({ state: "running", exit: null }) });
    history.add("20260105-newer", { "run.json": { schema: 99 } });
    const shown = history.add("20260106-shown");
    const plain = history.add("20260107-plain");
    history.add("20260108-newest");
    const plan = await planPruning(history.project, { ...limits, maxRuns: 6 }, (folder) => folder === shown);
    expect(plan).toMatchObject({ runs: 8, remove: [old, plain], forget: [] });
    const { moved, failures } = await prune(plan);
    expect(failures).toEqual([]);
    expect(moved.map((place) => path.basename(place))).toEqual(["20260101-old", "20260107-plain"]);
    expect(content(history.runs)).toHaveLength(6);
  });

  it("counts the age of an imported run from its import, whenever it was measured", async () => {
    const newestAt = Date.UTC(2026, 5, 5);
    const imported = (name: string, daysAgo: number): string => {
      const run = runJson({ imported: { format: "mprof", file: "a.dat", measures: "rss" } });
      const folder = history.add(name, { "run.json": JSON.stringify(run) });
      const time = new Date(newestAt - daysAgo * DAY);
      fs.utimesSync(path.join(folder, "run.json"), time, time);
      return folder;
    };
    const own = (daysAgo: number): string => history.add(newRunId("train", new Date(newestAt - daysAgo * DAY)));
    const [old, newest] = [own(3), own(0)];
    const future = imported("29990101-000000-a-000000", 2);
    const past = imported("20200101-000000-a-000000", 1);
    const plan = async (maxRuns: number) => (await planPruning(history.project, { ...limits, maxRuns }, never)).remove;
    expect(await plan(1)).toEqual([old, future, past]);
    expect(await plan(1)).not.toContain(newest);
  });

  it("counts the bytes of all files below a run, but not behind links", async () => {
    const big = "x".repeat(50_000);
    const run = history.add("20260101-a", { "stdout.log": big });
    fs.symlinkSync(path.join(run, "stdout.log"), path.join(run, "again.log"));
    history.add("20260102-b", { "stdout.log": big });
    const plan = await planPruning(history.project, { ...limits, maxRuns: 0, maxBytes: 80_000 }, never);
    expect(plan.remove).toEqual([run]);
    expect(plan.bytes).toBeGreaterThan(100_000);
    expect(plan.bytes).toBeLessThan(110_000);
  });

  it("does what it can and tells what it could not", async () => {
    await deleteRun(history.add("20260101-a"));
    const taken = history.add("20260101-a");
    const free = history.add("20260102-b");
    history.add("20260103-c");
    const { moved, failures } = await prune(await planPruning(history.project, { ...limits, maxRuns: 1 }, never));
    expect(moved).toEqual([path.join(deletedFolderOf(history.project), path.basename(free))]);
    expect(failures).toMatchObject([{ code: "name-taken" }]);
    expect(fs.existsSync(taken)).toBe(true);
  });
});
