import * as fs from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { MIB, makeProject, runFiles, runJson, TRAIN, writeFiles } from "../../profile/testing.ts";
import { createHandlers, type Handlers } from "../handlers.ts";
import { createRunStore, type RunStore } from "../runs/runStore.ts";

let project: string;
let run: string;
let remove: () => void;
let store: RunStore;
let handlers: Handlers;
let document: string;

beforeEach(() => {
  ({ project, run, remove } = makeProject());
  document = TRAIN;
  let version = 0;
  store = createRunStore({ onChange: () => {} });
  const openDocument = () => ({ version: ++version, text: document });
  handlers = createHandlers({ store, openDocument, platform: process.platform });
});
afterEach(() => {
  store.dispose();
  remove();
});

/** Lines by their numbers in the file's text, and what each took. */
function makeRun(id: string, source: string, took: Readonly<Record<number, number>>, more: object = {}): string {
  const folder = path.join(path.dirname(run), id);
  const rows = Object.entries(took).map(([line, net]) => [0, Number(line), 1, net, net, net, net, 9 * MIB, 0, 0]);
  const records = [
    { schema: 1, record: "header", run: id },
    { record: "process", pid: 10, ppid: 9, kind: "main", label: "main", implementation: "pure" },
    { record: "file", file: 0, path: "train.py", sha256: "", lines: 10, functions: [] },
    { record: "rows", t: 1, pid: 10, rows },
    { record: "end", t: 2 },
  ];
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join("");
  writeFiles(
    folder,
    runFiles({
      "run.json": JSON.stringify(runJson({ id, ...more })),
      "lines.jsonl": lines,
      "sources/train.py": source,
    }),
  );
  return folder;
}

const uri = (name = "train.py") => pathToFileURL(path.join(project, name)).href;
const never = new AbortController().signal;

async function history(line: number): Promise<readonly (readonly [id: string, figure: string, then?: string])[]> {
  const found = await handlers.lineHistory(uri(), line, never);
  return (found?.runs ?? []).map(({ run, figure, textThen }) =>
    textThen === undefined ? [run.id, figure] : [run.id, figure, textThen],
  );
}

it("follows a line through the texts that it had, newest run first", async () => {
  const moved = makeRun("20251122-000000-train-0001", `# above\n${TRAIN}`, { 8: 40 * MIB });
  const other = TRAIN.replace("bytearray(4 << 20)", "bytearray(8 << 20)");
  makeRun("20251123-000000-train-0002", other, { 7: 80 * MIB });
  makeRun("20251124-000000-train-0003", TRAIN.replace(/\n.*history.append.*/, ""), { 4: MIB });
  makeRun("20251125-000000-train-0004", TRAIN, { 4: MIB });
  makeRun("20251126-000000-train-0005", TRAIN, { 7: 0 });
  await handlers.showRun(moved, "rss");
  expect(await history(7)).toEqual([
    ["20261121-094501-train-3fa9", "+20.0 MiB"],
    ["20251126-000000-train-0005", "0 B"],
    ["20251125-000000-train-0004", "no figure"],
    ["20251124-000000-train-0003", "the line was not there"],
    ["20251123-000000-train-0002", "+80.0 MiB", "history.append(bytearray(8 << 20))"],
    ["20251122-000000-train-0001", "+40.0 MiB"],
  ]);
});

it("ends where it is cancelled", async () => {
  await handlers.showRun(run, "rss");
  await expect(handlers.lineHistory(uri(), 7, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
});

it("never says 0 of a line of which only is known that it ran", async () => {
  const unended = makeRun("20251123-000000-train-0002", TRAIN, {});
  const rows = [[0, 7, 1, null, null, null, null, null, null]];
  const text = fs.readFileSync(path.join(unended, "lines.jsonl"), "utf8");
  fs.writeFileSync(path.join(unended, "lines.jsonl"), text.replace('"rows":[]', `"rows":${JSON.stringify(rows)}`));
  await handlers.showRun(run, "rss");
  expect(await history(7)).toContainEqual(["20251123-000000-train-0002", "no figure"]);
});

it("leaves out what is measured otherwise, and says what cannot be told", async () => {
  makeRun(
    "20251122-000000-other-0001",
    TRAIN,
    { 7: MIB },
    { command: { python: "python3", script: "other.py", args: [] } },
  );
  makeRun(
    "20251123-000000-train-0002",
    TRAIN,
    { 7: MIB },
    {
      imported: { format: "scalene", file: "p.json", measures: "live blocks" },
    },
  );
  makeRun(
    "20251126-000000-train-0005",
    TRAIN,
    { 7: MIB },
    { engine: { name: "memory_profiler", exact: false, peak: false, accelerator: false } },
  );
  const kept = makeRun("20251124-000000-train-0003", TRAIN, { 7: MIB });
  fs.rmSync(path.join(kept, "sources"), { recursive: true });
  const elsewhere = makeRun("20251125-000000-train-0004", TRAIN, {});
  fs.writeFileSync(path.join(elsewhere, "lines.jsonl"), "");
  await handlers.showRun(run, "rss");
  expect(await history(7)).toEqual([
    ["20261121-094501-train-3fa9", "+20.0 MiB"],
    ["20251125-000000-train-0004", "no figure"],
    ["20251124-000000-train-0003", "no figure"],
  ]);
});

it("has ten runs, the shown one always", async () => {
  const days = Array.from({ length: 12 }, (_, index) => 10 + index);
  const [oldest = ""] = days.map((day) => makeRun(`202512${day}-000000-train-0001`, TRAIN, { 7: day * MIB }));
  await handlers.showRun(oldest, "rss");
  const found = await history(7);
  expect(found.map(([id]) => id.slice(0, 8))).toEqual([
    "20261121",
    ...[21, 20, 19, 18, 17, 16, 15, 14].map((day) => `202512${day}`),
    "20251210",
  ]);
  expect(found.at(-1)?.[1]).toBe("+10.0 MiB");
});

it("is null of a line that the shown run did not measure, and of every line while none is shown", async () => {
  expect(await handlers.lineHistory(uri(), 7, never)).toBeNull();
  await handlers.showRun(run, "rss");
  expect(await handlers.lineHistory(uri("elsewhere.py"), 1, never)).toBeNull();
  // A line of the file that never ran.
  expect(await handlers.lineHistory(uri(), 2, never)).toBeNull();
});
