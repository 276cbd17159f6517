import { afterEach, beforeEach, expect, it } from "vitest";
import { jsonLines, MIB, makeProject, runFiles, runJson, writeFiles } from "../testing.ts";
import { openRunFolder } from "./runFolder.ts";
import { profileSince } from "./sinceMoment.ts";

/** A server of two processes: each request keeps 1 MiB in the first, 2 MiB in the second. */
const rows = (t: number, pid: number, requests: number, each: number) => ({
  record: "rows",
  t,
  pid,
  rows: [
    [0, 2, requests, requests * each * MIB, requests * each * MIB, each * MIB, each * MIB, 90 * MIB, 0],
    [0, 9, 1, 30 * MIB, 30 * MIB, 30 * MIB, 30 * MIB, 30 * MIB, 0],
  ],
});
const LINES = [
  { schema: 1, record: "header", run: "r1" },
  { record: "process", pid: 10, kind: "main", label: "main" },
  { record: "process", pid: 11, kind: "fork", label: "worker 1" },
  { record: "file", file: 0, path: "serve.py", sha256: "" },
  rows(1_000, 10, 4, 1),
  rows(2_000, 10, 5, 1),
  rows(2_000, 11, 1, 2),
  { record: "phase", t: 500, pid: 10, phase: "cuda", file: 0, line: 9 },
  { record: "phase", t: 2_500, pid: 11, phase: "cuda", file: 0, line: 9 },
  rows(3_000, 10, 9, 1),
  rows(3_000, 11, 3, 2),
];

let folder: string;
let remove: () => void;
beforeEach(() => {
  ({ run: folder, remove } = makeProject({ ...runFiles(), "lines.jsonl": jsonLines(LINES) }));
});
afterEach(() => remove());

it("is refused where a run has no moments: imported ones, and reports without a table", async () => {
  const imported = { format: "scalene", file: "p.json", measures: "what Scalene says" };
  for (const files of [
    { "run.json": JSON.stringify(runJson({ imported })) },
    { "run.json": JSON.stringify(runJson()), "lines.jsonl": jsonLines(LINES.slice(0, 4)) },
  ]) {
    writeFiles(folder, files);
    const reader = openRunFolder(folder);
    await reader.refresh();
    await expect(profileSince(reader, 1_000)()).rejects.toMatchObject({ code: "no-moments" });
  }
});

it.each<[number, number, number, number]>([
  // Before anything was written.
  [0, 9, 3, 15],
  [1_000, 5, 3, 11],
  [2_400, 4, 2, 8],
  [3_000, 0, 0, 0],
])("since %d ms", async (ms, ofMain, ofWorker, mib) => {
  const reader = openRunFolder(folder);
  await reader.refresh();
  const profile = await profileSince(reader, ms)();
  expect(profile.since).toBe(ms);
  const of = (files: typeof profile.files | undefined) => files?.[0]?.lines.find(({ line }) => line === 2);
  expect(of(profile.files)?.net ?? 0).toBe(mib * MIB);
  expect(of(profile.byProcess.get(10))?.hits ?? 0).toBe(ofMain);
  expect(of(profile.byProcess.get(11))?.hits ?? 0).toBe(ofWorker);
  expect(profile.phases.map(({ t }) => t)).toEqual([500, 2_500].filter((t) => t > ms));
});
