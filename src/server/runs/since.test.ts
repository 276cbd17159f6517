import * as fs from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { jsonLines, MIB, makeProject, runJson, writeFiles } from "../../profile/testing.ts";
import { createHandlers, type Handlers } from "../handlers.ts";
import { createRunStore, type RunStore } from "./runStore.ts";

/** A server: line 4 keeps 6 MiB at its start, and 7 MiB at each of its requests. */
const rows = (t: number, hits: number, mib: number) => ({
  record: "rows",
  t,
  pid: 10,
  rows: [[0, 4, hits, mib * MIB, mib * MIB, 7 * MIB, 7 * MIB, 90 * MIB, 0, 0]],
});
const HEAD = [
  { schema: 1, record: "header", run: "r" },
  { record: "process", pid: 10, kind: "main", label: "main" },
  { record: "file", file: 0, path: "train.py", sha256: "" },
];
const RUNNING = { "run.json": JSON.stringify(runJson({ state: "running" })) };

let project: string;
let run: string;
let remove: () => void;
let store: RunStore;
let handlers: Handlers;
beforeEach(() => {
  const lines = jsonLines([...HEAD, rows(1_000, 1, 6), rows(3_000, 3, 20)]);
  ({ project, run, remove } = makeProject({
    ...RUNNING,
    "lines.jsonl": lines,
    "samples.jsonl": '{"t":3000,"rss":1}\n',
  }));
  store = createRunStore({ onChange: () => {}, debounceMs: 10, pollMs: 50 });
  handlers = createHandlers({ store, openDocument: () => undefined, platform: process.platform });
});
afterEach(() => {
  store.dispose();
  remove();
});

const uri = () => pathToFileURL(path.join(project, "train.py")).href;
const labels = async () => (await handlers.lineDeltas(uri()))?.lines.map(({ label }) => label);
const inTree = async () => {
  const tree = await handlers.runTree(run);
  return tree.kind === "lines" ? tree.files.flatMap(({ functions }) => functions.flatMap(({ lines }) => lines)) : [];
};

it("is in the lines, their hovers and the tree, and the run says so", async () => {
  expect(await handlers.showRun(run, "rss", { since: 2_000 })).toMatchObject({ since: 2_000, knownMs: 3_000 });
  expect(await labels()).toEqual(["+14.0 MiB"]);
  expect(await handlers.hover(uri(), 4)).toContain("**Since 2.0 s of the run.**");
  expect(await inTree()).toMatchObject([{ net: 14 * MIB }]);
  expect((await handlers.lineDeltas(uri()))?.run.since).toBe(2_000);

  const whole = await handlers.showRun(run, "rss");
  expect(whole).not.toHaveProperty("since");
  expect(await labels()).toEqual(["+20.0 MiB"]);
  expect(await handlers.hover(uri(), 4)).not.toContain("Since");
});

it("follows a run that goes on, from its last moment too", async () => {
  await handlers.showRun(run, "rss", { since: 3_000 });
  expect(await labels()).toEqual([]);
  fs.appendFileSync(path.join(run, "lines.jsonl"), jsonLines([rows(4_000, 4, 27)]));
  expect(await labels()).toEqual(["+7.0 MiB"]);
  fs.appendFileSync(path.join(run, "lines.jsonl"), jsonLines([rows(5_000, 5, 34)]));
  expect(await labels()).toEqual(["+14.0 MiB"]);
  expect(await handlers.runSummary(run)).toHaveProperty("since", 3_000);
});

it("is of the shown run alone", async () => {
  const other = path.join(path.dirname(run), "other");
  fs.cpSync(run, other, { recursive: true });
  await handlers.showRun(other, "rss", { since: 2_000 });
  expect(await inTree()).toMatchObject([{ net: 20 * MIB }]);
  expect(await handlers.runSummary(run)).not.toHaveProperty("since");
});

it("is refused of a run without moments, and leaves what was shown", async () => {
  const imported = { format: "scalene", file: "p.json", measures: "what Scalene says" };
  const other = path.join(path.dirname(run), "other");
  fs.cpSync(run, other, { recursive: true });
  writeFiles(other, { "run.json": JSON.stringify(runJson({ imported })) });
  await handlers.showRun(run, "rss", { since: 2_000 });
  await expect(handlers.showRun(other, "rss", { since: 1_000 })).rejects.toMatchObject({ code: "no-moments" });
  expect(handlers.shown()).toBe(run);
  expect(await labels()).toEqual(["+14.0 MiB"]);
});
