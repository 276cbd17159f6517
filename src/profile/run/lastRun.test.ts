import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LINES, MIB, makeProject, runFiles, runJson, writeFiles } from "../testing.ts";
import { expectationOf, lastLineRun } from "./lastRun.ts";

let made: ReturnType<typeof makeProject>;
let runs: string;
beforeEach(() => {
  made = makeProject();
  runs = path.dirname(made.run);
});
afterEach(() => made.remove());

/** A run folder that is newer than the one of `makeProject`. */
function add(name: string, changes: object, files: Readonly<Record<string, string>> = {}): void {
  const record = runJson({ id: name, ...changes });
  writeFiles(path.join(runs, name), runFiles({ "run.json": JSON.stringify(record), ...files }));
}
const newest = async (): Promise<string | undefined> =>
  (await lastLineRun(runs, { script: "train.py" }))?.profile.run.id;

describe("the last run of a script", () => {
  it("is the newest one that the line engine measured, and that can be read", async () => {
    add("20261122-000000-train-0001", {});
    add("20261122-000000-train-0002", { engine: { name: "memory_profiler" } });
    add("20261122-000000-train-0003", { command: { python: "p", script: "other.py", args: [] } });
    add("20261122-000000-train-0004", { state: 3 });
    add("20261122-000000-train-0005", {}, { "lines.jsonl": JSON.stringify(LINES[0]) });
    expect(await newest()).toBe("20261122-000000-train-0001");
    expect(await lastLineRun(runs, { module: "train" })).toBeUndefined();
    expect(await lastLineRun(path.join(runs, "nowhere"), { script: "train.py" })).toBeUndefined();
  });

  it("says how much memory and how many lines to expect", async () => {
    const last = await lastLineRun(runs, { script: "train.py" });
    if (last === undefined) throw new Error("not found");
    const hits = last.profile.files.flatMap((file) => file.lines).reduce((sum, row) => sum + (row.hits ?? 0), 0);
    expect(expectationOf(last)).toEqual({ rssPeak: 148 * MIB, hits });
    const cut = { ...last.profile, run: { ...last.profile.run, exit: { kind: "cancelled" as const } } };
    expect(expectationOf({ ...last, profile: cut })).toEqual({ rssPeak: 148 * MIB });
  });
});
