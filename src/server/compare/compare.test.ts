import * as fs from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Difference } from "../../compare/model.ts";
import { differenceOf, incomparable, onlyOn } from "../../compare/noise.ts";
import { jsonLines, LINES, MIB, makeProject, runFiles, runJson, TRAIN, writeFiles } from "../../profile/testing.ts";
import type { ComparedFolders } from "../../protocol/compare.ts";
import { createHandlers, type DocumentText, type Handlers } from "../handlers.ts";
import { createRunStore, type RunStore } from "../runs/runStore.ts";
import { comparedHover } from "./hover.ts";

/** A line above, one line that is new, and the step edited: 6 MiB each in place of 4. */
const EDITED = `# a comment\n${TRAIN.replace("4 << 20", "6 << 20").replace("    return net\n", "    cache = bytes(40 << 20)\n    return net\n")}`;

/** Of a run of EDITED: the step takes 30 MiB in place of 20, the cache is new. */
const LATER_LINES: readonly object[] = LINES.map((record): { readonly record?: string } => record)
  .filter(({ record }) => record !== "end")
  .map((record) => {
    if ("path" in record && record.path === "train.py") {
      const functions = [{ name: "main", key: 4, def_line: 4, last_line: 10 }];
      return { ...record, sha256: "cc", lines: 12, functions };
    }
    if (record.record !== "rows" || !("rows" in record)) return record;
    const rows = (record.rows as [number, number, ...number[]][]).map(([file, line, ...figures]) =>
      file === 0 ? [file, line + (line >= 10 ? 2 : 1), ...figures] : [file, line, ...figures],
    );
    return { ...record, rows };
  });

const BIGGER_STEP: readonly object[] = [
  { record: "rows", t: 600, pid: 10, rows: [[0, 8, 3, 22 * MIB, 22 * MIB, 6 * MIB, 6 * MIB, 96 * MIB, 0]] },
  { record: "rows", t: 610, pid: 10, rows: [[0, 9, 1, 40 * MIB, 40 * MIB, 40 * MIB, 40 * MIB, 136 * MIB, 0]] },
  { record: "functions", t: 620, pid: 10, rows: [[0, 4, 1, 1_500_000_000, 76 * MIB, 140 * MIB]] },
];

const NONE = { values: [], uncertain: 0 };

let project: string;
let before: string;
let after: string;
let remove: () => void;
let store: RunStore;
let handlers: Handlers;
let open: Map<string, DocumentText>;
let folders: ComparedFolders;

function addRun(id: string, files: Record<string, string>): string {
  const folder = path.join(path.dirname(before), id);
  fs.mkdirSync(folder, { recursive: true });
  writeFiles(folder, files);
  return folder;
}

beforeEach(() => {
  ({ project, run: before, remove } = makeProject());
  after = addRun("20261121-101500-train-4fb0", {
    ...runFiles({
      "run.json": JSON.stringify(
        runJson({
          id: "20261121-101500-train-4fb0",
          started: "2026-11-21T10:15:00.000Z",
          files: [
            { path: "train.py", sha256: "cc", source: "sources/train.py" },
            { path: "model.py", sha256: "bb", source: "sources/model.py" },
          ],
        }),
      ),
      "lines.jsonl": jsonLines([...LATER_LINES, ...BIGGER_STEP, { record: "end", t: 2000 }]),
    }),
    "sources/train.py": EDITED,
  });
  folders = { before: [before], after: [after] };
  open = new Map([[uri("train.py"), { version: 1, text: EDITED }]]);
  store = createRunStore({ onChange: () => {}, debounceMs: 10, pollMs: 50 });
  handlers = createHandlers({ store, openDocument: (name) => open.get(name), platform: process.platform });
});
afterEach(() => {
  store.dispose();
  remove();
});

const uri = (name: string) => pathToFileURL(path.join(project, name)).href;
const labels = async (name: string) =>
  (await handlers.lineDeltas(uri(name)))?.lines.map(({ line, label, severity }) => [line, label, severity]);

describe("a shown comparison", () => {
  it("tells before and after beside the lines of the document, through edits", async () => {
    await handlers.showRun(after, "rss", { compared: folders });
    expect(await labels("train.py")).toEqual([
      [5, "≈ 64.0 MiB", "none"],
      [8, "20.0 → 30.0 MiB (+10.0)", "medium"],
      [9, "new: +40.0 MiB", "high"],
      [12, "≈ 76.0 MiB", "none"],
    ]);
    open.set(uri("train.py"), { version: 2, text: `\n${EDITED}` });
    expect((await labels("train.py"))?.map(([line]) => line)).toEqual([6, 9, 10, 13]);
  });

  it("the other way round tells what is gone at its place, and what shrank", async () => {
    open.set(uri("train.py"), { version: 1, text: TRAIN });
    await handlers.showRun(before, "rss", { compared: { before: [after], after: [before] } });
    expect(await labels("train.py")).toEqual([
      [4, "≈ 64.0 MiB", "none"],
      [7, "30.0 → 20.0 MiB (-10.0)", "freed"],
      [10, "≈ 76.0 MiB", "none"],
    ]);
    const lenses = (await handlers.lenses(uri("train.py")))?.lenses;
    expect(lenses).toContainEqual({
      line: 10,
      title: "gone: +40.0 MiB before · cache = bytes(40 << 20)",
    });
  });

  it("code lenses tell the change of a function's lines", async () => {
    await handlers.showRun(after, "rss", { compared: folders });
    expect((await handlers.lenses(uri("train.py")))?.lenses).toEqual([
      { line: 4, title: "84.0 → 134.0 MiB (+50.0) net · 1.5 s · 1 call" },
    ]);
  });

  it("the hover has before, after, change and noise above the later run's own figures", async () => {
    await handlers.showRun(after, "rss", { compared: folders });
    const text = await handlers.hover(uri("train.py"), 8);
    expect(text).toContain("**Took 10.0 MiB more than before**");
    expect(text).toContain("one run each");
    expect(text).toMatch(
      /\| Net, with everything it called \| \S+\+20\.0.MiB \| \S+\+30\.0.MiB \| \S+\+10\.0.MiB \| &emsp;≥.\d+.KiB \|/,
    );
    expect(text).toContain("| Runs | 1 | 1 |");
    expect(text).toContain("The line was edited between the two.");
    expect(text).toContain("| Hits |");
    expect(await handlers.hover(uri("train.py"), 5)).toContain("**No change that can be told from noise**");
    expect(await handlers.hover(uri("train.py"), 9)).toContain("**New:** took 40.0 MiB");
  });

  it("the hover's table tells no change within the noise, and all of a line that is new", () => {
    const side = { folders: ["/p/1"], title: "train.py", runs: [] };
    const one = (mib: number) => ({ values: [mib * MIB], uncertain: (5 * MIB) / 2 });
    const changeCell = (net: Difference) => {
      const line = { after: 5, text: "", edited: false, net, peak: incomparable(NONE, NONE) };
      const text = comparedHover({ metric: "rss", before: side, after: side }, line);
      return /\| Net.*/.exec(text)?.[0].split("|").at(-3)?.replace("&emsp;", "").replaceAll("\u00a0", " ").trim();
    };
    expect(changeCell(differenceOf(one(60), one(63), MIB))).toBe("none");
    expect(changeCell(differenceOf(one(60), one(66), MIB))).toBe("+6.0 MiB");
    expect(changeCell(onlyOn("after", one(40), MIB))).toBe("+40.0 MiB");
    expect(changeCell(differenceOf(NONE, one(40), MIB))).toBe("unknown");
  });

  it("ends when another run is shown, or the same one by itself", async () => {
    await handlers.showRun(after, "rss", { compared: folders });
    await handlers.showRun(after, "rss");
    expect((await labels("train.py"))?.map(([, label]) => label)).toContain("+30.0 MiB");
  });

  it("says why where the other run cannot be read any more", async () => {
    await handlers.showRun(after, "rss", { compared: folders });
    fs.rmSync(before, { recursive: true });
    await expect(handlers.lineDeltas(uri("train.py"))).rejects.toMatchObject({ name: "UserError" });
  });
});

describe("the document of the page", () => {
  it("names the sides as their users do, with the commit, and lists changed lines first", async () => {
    writeFiles(after, {
      "label.json": JSON.stringify({ schema: 1, name: "bigger steps" }),
      "git.json": JSON.stringify({ schema: 1, commit: "a".repeat(40), changed: ["train.py"], truncated: false }),
    });
    const document = await handlers.compare(folders, "rss");
    expect(document.before).toEqual({
      name: 'train.py --name "a b"',
      started: "2026-11-21T09:45:01.123Z",
      board: "ssh://nano@192.168.1.20",
      simulated: false,
      runs: 1,
    });
    expect(document.after).toMatchObject({ name: "bigger steps", commit: { name: "aaaaaaaa", changed: 1 } });
    expect(
      document.lines.slice(0, 2).map(({ path: name, before: old, after: now, text }) => [name, old, now, text]),
    ).toEqual([
      ["train.py", undefined, 9, "cache = bytes(40 << 20)"],
      ["train.py", 7, 8, "history.append(bytearray(6 << 20))"],
    ]);
    expect(document).toMatchObject({ metric: "rss", flame: false, linesLeft: 0 });
  });

  it("follows a run that changes on disk, and a name that is given", async () => {
    expect((await handlers.compare(folders, "rss")).after.name).toBe('train.py --name "a b"');
    writeFiles(after, { "label.json": JSON.stringify({ schema: 1, name: "later" }) });
    writeFiles(after, { "lines.jsonl": jsonLines([...LATER_LINES, { record: "end", t: 2000 }]) });
    const document = await handlers.compare(folders, "rss");
    expect(document.after.name).toBe("later");
    expect(document.lines.some(({ text }) => text.startsWith("cache"))).toBe(false);
  });

  it("of repeats alone has their median and spread, and no side before", async () => {
    const again = addRun("20261121-101600-train-4fb1", Object.fromEntries(filesOf(after)));
    writeFiles(again, {
      "lines.jsonl": jsonLines([
        ...LATER_LINES,
        { record: "rows", t: 600, pid: 10, rows: [[0, 8, 3, 26 * MIB, 26 * MIB, 6 * MIB, 6 * MIB, 96 * MIB, 0]] },
        ...BIGGER_STEP.slice(1),
        { record: "end", t: 2000 },
      ]),
    });
    const document = await handlers.compare({ before: [], after: [after, again] }, "rss");
    expect(document.before).toBeUndefined();
    expect(document.after.runs).toBe(2);
    expect(document.notes.filter((note) => /before/i.test(note))).toEqual([]);
    const step = document.lines.find(({ after: line }) => line === 8);
    expect(step?.net.after).toEqual({ median: 32 * MIB, spread: 4 * MIB, runs: 2 });
  });
});

function filesOf(folder: string): [string, string][] {
  return ["run.json", "lines.jsonl", "samples.jsonl", "origin.json", "sources/train.py", "sources/model.py"].map(
    (name) => [name, fs.readFileSync(path.join(folder, name), "utf8")],
  );
}
