import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runJson } from "../../profile/testing.ts";
import { deletedFolderOf } from "../../runs/pruning/deleted.ts";
import { makeHistory, type TestHistory } from "../../runs/testing.ts";
import { collected } from "../terminal/testing.ts";
import { findRun } from "./runLookup.ts";
import { runs } from "./runsCommand.ts";
import { parseRuns } from "./runsCommandLine.ts";

let history: TestHistory;
let first: string;
let second: string;
beforeEach(() => {
  history = makeHistory();
  first = history.add("20260101-100000-train-0001", { "samples.jsonl": '{"t":1,"rss":5242880}\n' });
  second = history.add("20260102-100000-eval-0002", {
    "run.json": runJson({ id: "20260102-100000-eval-0002", exit: { kind: "exited", code: 3 } }),
  });
});
afterEach(() => history.remove());

/** What the command printed until it ended or failed. */
async function outcome(...argv: string[]): Promise<{ readonly text: string; readonly error?: unknown }> {
  const output = collected();
  const command = parseRuns([...argv, "--project", history.project]);
  if (command === undefined) throw new Error("help was asked for");
  return await runs(command, output).then(
    () => ({ text: output.text() }),
    (error: unknown) => ({ text: output.text(), error }),
  );
}

async function printed(...argv: string[]): Promise<string> {
  const { text, error } = await outcome(...argv);
  if (error !== undefined) throw error;
  return text;
}
const ids = (text: string): string[] => text.split("\n").flatMap((line) => line.match(/^\d{8}-\d{6}-\w+-\d+/) ?? []);

describe("runs", () => {
  it("lists them newest first, or as they are asked for", async () => {
    expect(ids(await printed())).toEqual([path.basename(second), path.basename(first)]);
    expect(ids(await printed("--sort", "oldest"))).toEqual([path.basename(first), path.basename(second)]);
    expect(ids(await printed("--sort", "peak"))).toEqual([path.basename(first), path.basename(second)]);
    expect(ids(await printed("--filter", "exit code 3"))).toEqual([path.basename(second)]);
    expect(await printed("--filter", "nothing")).toBe("None of the 2 runs fits.\n");
  });

  it("names, tags and pins a run; pinned runs come first", async () => {
    expect(await printed("name", "20260101", "init on the GPU")).toContain('"init on the GPU" · train.py');
    expect(await printed("tag", "init on the GPU", "+fp16", "+gpu")).toContain("#fp16 · #gpu");
    expect(await printed("tag", "20260101", "-gpu", "+nano")).toContain("#fp16 · #nano");
    expect(await printed("pin", "20260101")).toContain("pinned");
    expect(ids(await printed())).toEqual([path.basename(first), path.basename(second)]);
    expect(ids(await printed("--tag", "#fp16"))).toEqual([path.basename(first)]);
    await printed("unpin", "20260101");
    expect(ids(await printed())[0]).toBe(path.basename(second));
    expect(await printed("name", "20260101", "")).not.toContain("init");
  });

  it("keeps a note on a run, by which it is found, and takes it away again", async () => {
    expect(await printed("note", "20260101", "fits with batch 8")).toContain("note: fits with batch 8");
    expect(ids(await printed("--filter", "batch 8"))).toEqual([path.basename(first)]);
    expect(JSON.parse(await printed("--json", "--filter", "batch 8")).runs).toMatchObject([
      { note: "fits with batch 8" },
    ]);
    expect(await printed("note", "20260101", " ")).not.toContain("note");
    await expect(printed("note", "last", "two\nlines")).rejects.toMatchObject({ code: "bad-note" });
    await expect(printed("note", "last", "x".repeat(1001))).rejects.toMatchObject({ code: "bad-note" });
    await expect(printed("note", "last")).rejects.toMatchObject({ code: "usage" });
  });

  it("refuses names and tags that would hide or forge text", async () => {
    await expect(printed("name", "last", "a\u202eb")).rejects.toMatchObject({ code: "bad-name" });
    await expect(printed("name", "last", "x".repeat(201))).rejects.toMatchObject({ code: "bad-name" });
    await expect(printed("tag", "last", "+a b")).rejects.toMatchObject({ code: "bad-tag" });
  });

  it("prints nothing of a run that a terminal would obey", async () => {
    fs.writeFileSync(path.join(second, "label.json"), JSON.stringify({ schema: 1, name: "\u001b[2Jgone\u202e" }));
    expect(await printed("--filter", "eval")).toContain('"?[2Jgone?"');
  });

  it("deletes a run, lists the deleted ones and restores them", async () => {
    await printed("name", "last", "a mistake");
    expect(await printed("delete", "a mistake")).toMatch(
      /^Deleted 20260102-100000-eval-0002\. Undo with .*, or earlier where the size limit needs the room\.\n$/,
    );
    expect(ids(await printed())).toEqual([path.basename(first)]);
    expect(await printed("deleted")).toMatch(/^20260102-100000-eval-0002 {2}"a mistake".* · deleted 20\d\d-/);
    expect(await printed("restore", "20260102")).toBe("Restored 20260102-100000-eval-0002.\n");
    expect(fs.existsSync(path.join(second, "deleted.json"))).toBe(false);
    expect(await printed("deleted")).toBe("No deleted run can be restored.\n");
    await expect(printed("restore", "last")).rejects.toMatchObject({ code: "no-such-run" });
  });

  it("prunes what is above the limits, after saying what it would do", async () => {
    const dry = await printed("prune", "--max-runs", "1", "--dry-run");
    expect(dry).toContain(`Would be deleted:\n  ${path.basename(first)}\n`);
    expect(fs.existsSync(first)).toBe(true);
    await printed("prune", "--max-runs", "1");
    expect(fs.existsSync(path.join(deletedFolderOf(history.project), path.basename(first)))).toBe(true);
    expect(await printed("prune", "--max-runs", "1", "--max-size", "0")).toBe("1 run.\nNothing to prune.\n");
  });

  it("says why nothing is pruned for a limit that the runs which stay are above", async () => {
    await printed("pin", "20260101");
    expect(await printed("prune", "--max-runs", "1", "--max-size", "0")).toBe(
      "2 runs.\nThe runs that must stay are more than 1 already, so none is deleted for their number.\nNothing to prune.\n",
    );
  });

  it("says of pruning only what was done", async () => {
    history.add("20260103-100000-train-0003");
    await printed("delete", path.basename(first));
    history.add(path.basename(first));
    const { text, error } = await outcome("prune", "--max-runs", "1", "--max-size", "0");
    expect(text).toBe(`3 runs.\nDeleted, can be restored:\n  ${path.basename(second)}\n`);
    expect(error).toMatchObject({ code: "name-taken" });
  });

  it("is JSON where that is asked for, without keys of what is not known", async () => {
    const { schema, runs: listed } = JSON.parse(await printed("--json", "--sort", "oldest"));
    expect(schema).toBe(1);
    expect(listed).toMatchObject([{ id: path.basename(first), rss_peak: 5242880, tags: [], pinned: false }, {}]);
    expect(listed[1]).not.toHaveProperty("rss_peak");
  });

  it.each([
    ["frobnicate", /does not know "frobnicate"/],
    ["name last", /Give the run and its name/],
    ["tag last", /Name tags/],
    ["delete", /Name a run/],
    ["prune --max-runs many", /--max-runs is a number/],
    ["--sort size", /--sort is/],
  ])('"runs %s" is refused with a reason', (text, reason) => {
    expect(() => parseRuns(text.split(" "))).toThrow(reason);
  });
});

describe("a run by its name", () => {
  it("is found where one run has it, before the beginnings of ids", async () => {
    await printed("name", "last", "20260101");
    expect(await findRun("20260101", history.project)).toBe(second);
    expect(await findRun(path.basename(first), history.project)).toBe(first);
  });

  it("is refused where two runs have it, with their ids", async () => {
    for (const id of ["20260101", "20260102"]) await printed("name", id, "twice");
    await expect(findRun("twice", history.project)).rejects.toMatchObject({
      message: expect.stringContaining("is the name of 2 runs: 20260102-100000-eval-0002, 20260101-100000-train-0001"),
    });
  });
});
