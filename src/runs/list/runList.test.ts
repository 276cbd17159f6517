import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runJson } from "../../profile/testing.ts";
import { changeLabel } from "../keeping.ts";
import type { RunSummary } from "../model.ts";
import { makeHistory, type TestHistory } from "../testing.ts";
import { createRunList, type RunList } from "./runList.ts";

let history: TestHistory;
let list: RunList;
beforeEach(() => {
  history = makeHistory();
  list = createRunList();
});
afterEach(() => history.remove());

const indexFile = () => path.join(history.runs, "..", "runs-index.json");
const entries = (of = list) => of.runs([history.runs]);
async function only(of = list): Promise<RunSummary> {
  const [entry, ...more] = await entries(of);
  if (entry?.kind !== "run" || more.length > 0) throw new Error(JSON.stringify([entry, ...more]));
  return entry.run;
}
/** As the list itself would write it, had the files not changed a moment ago. */
function indexNow(runs: Readonly<Record<string, object>>): void {
  const all = Object.entries(runs).map(([id, run]) => [id, { stamp: stampOf(path.join(history.runs, id)), run }]);
  fs.writeFileSync(indexFile(), JSON.stringify({ schema: 1, version: 1, runs: Object.fromEntries(all) }));
}
function stampOf(folder: string): string {
  return ["", "run.json", "label.json", "samples.jsonl"]
    .map((name) => {
      const stat = fs.lstatSync(path.join(folder, name), { throwIfNoEntry: false });
      return stat === undefined ? "" : `${name} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.size},`;
    })
    .join("");
}
const INDEXED = {
  id: "20260101-a",
  title: "from the index",
  state: "finished",
  simulated: false,
  massif: false,
  metrics: ["rss"],
  label: { tags: [], pinned: false },
  model: false,
  snapshots: [],
  warnings: [],
};

describe("the list of runs", () => {
  it("says of a run what ran, where, how it ended, its peak and what is kept beside it", async () => {
    const folder = history.add("20260101-a", {
      "origin.json": { target: "ssh://nano@10.0.0.2", board_folder: "/r", simulated: false },
      "samples.jsonl": '{"schema":1,"record":"header"}\n{"t":1,"rss":5,"rss_peak":7}\n{"t":2,"rss":6,"rss_pe',
      "label.json": { name: "first", tags: ["fp16"], pinned: true },
      "group.json": { kind: "sweep", id: "s", index: 1, of: 4, values: { device: "cuda" } },
      "git.json": { commit: "a".repeat(40), branch: null, changed: ["train.py"], truncated: false },
      "model.10.jsonl": "",
      "allocator.10.2.pickle": "",
      "allocator.10.10.pickle": "",
    });
    expect(await only()).toMatchObject({
      folder,
      title: 'train.py --name "a b"',
      script: "train.py",
      target: "ssh://nano@10.0.0.2",
      exit: { kind: "exited", code: 0 },
      rssPeak: 7,
      label: { name: "first", tags: ["fp16"], pinned: true },
      group: { kind: "sweep", id: "s", index: 1, of: 4, values: { device: "cuda" } },
      git: { commit: "a".repeat(40), changed: ["train.py"], truncated: false },
      model: true,
      snapshots: ["allocator.10.2.pickle", "allocator.10.10.pickle"],
    });
  });

  it("lists a run whose label, group or git state cannot be read without it, and says so", async () => {
    history.add("20260101-a", {
      "label.json": { schema: 2, name: "from later" },
      "group.json": { kind: "heap" },
      "git.json": "{",
    });
    const { label, group, git, warnings } = await only();
    expect({ label, group, git }).toEqual({ label: { tags: [], pinned: false }, group: undefined, git: undefined });
    expect(warnings.slice(0, 3).join("\n")).toMatch(
      /label\.json was written in format 2(.|\n)*group\.json(.|\n)*git\.json/,
    );
  });

  it("lists what it cannot read with the reason: a newer version, no run.json, a link in its place", async () => {
    history.add("20260101-a", { "run.json": { schema: 7 } });
    fs.mkdirSync(path.join(history.runs, "20260102-b"));
    const linked = path.join(history.runs, "20260103-c");
    fs.mkdirSync(linked);
    fs.symlinkSync("/dev/zero", path.join(linked, "run.json"));
    expect(await entries()).toMatchObject([
      { kind: "unreadable", folder: linked, reason: expect.stringContaining("it has no run.json") },
      { kind: "unreadable", reason: expect.stringContaining("it has no run.json") },
      { kind: "unreadable", reason: expect.stringContaining("written in format 7") },
    ]);
  });

  it("does not follow links among the run folders", async () => {
    const outside = path.join(history.project, "outside");
    fs.mkdirSync(outside);
    fs.writeFileSync(path.join(outside, "run.json"), JSON.stringify(runJson()));
    fs.symlinkSync(outside, path.join(history.runs, "20260101-a"), "dir");
    expect(await entries()).toEqual([]);
  });

  it("sees a run that came, went, changed or was named since", async () => {
    const folder = history.add("20260101-a", {
      "run.json": runJson({ id: "20260101-a", state: "running", exit: null }),
    });
    expect(await only()).toMatchObject({ state: "running" });
    fs.writeFileSync(path.join(folder, "run.json"), JSON.stringify(runJson({ id: "20260101-a" })));
    expect(await only()).toMatchObject({ state: "finished" });
    await changeLabel(folder, (label) => ({ ...label, name: "named" }));
    expect((await only()).label.name).toBe("named");
    fs.rmSync(folder, { recursive: true });
    expect(await entries()).toEqual([]);
  });
});

describe("the index beside the runs", () => {
  it("saves reading a run whose files look as they did", async () => {
    history.add("20260101-a");
    indexNow({ "20260101-a": INDEXED });
    expect((await only()).title).toBe("from the index");
  });

  it("does not count once a file of the run changed, or when it is another version's or damaged", async () => {
    const folder = history.add("20260101-a");
    indexNow({ "20260101-a": INDEXED });
    fs.writeFileSync(path.join(folder, "label.json"), '{"schema":1}');
    expect((await only(createRunList())).title).toMatch(/^train\.py/);
    indexNow({ "20260101-a": { ...INDEXED, label: { tags: "none" } } });
    expect((await only(createRunList())).title).toMatch(/^train\.py/);
    fs.writeFileSync(indexFile(), fs.readFileSync(indexFile(), "utf8").slice(0, -20));
    expect((await only(createRunList())).title).toMatch(/^train\.py/);
    indexNow({ "20260101-a": INDEXED });
    fs.writeFileSync(indexFile(), fs.readFileSync(indexFile(), "utf8").replace('"version":1', '"version":2'));
    expect((await only(createRunList())).title).toMatch(/^train\.py/);
  });

  it("never holds what may still change: a run that goes on, or one that changed a moment ago", async () => {
    history.add("20260101-a");
    await entries();
    expect(fs.existsSync(indexFile())).toBe(false);
  });

  it("names no run that is not there", async () => {
    indexNow({ "20260101-gone": INDEXED, "../../elsewhere": INDEXED });
    expect(await entries()).toEqual([]);
  });
});

describe("a run's label", () => {
  it("keeps what another version added to it", async () => {
    const folder = history.add("20260101-a", { "label.json": { name: "old", color: "red" } });
    await changeLabel(folder, (label) => ({ ...label, pinned: true }));
    const written = JSON.parse(fs.readFileSync(path.join(folder, "label.json"), "utf8"));
    expect(written).toEqual({ schema: 1, name: "old", color: "red", tags: [], pinned: true });
  });

  it("is not overwritten where this version cannot read it", async () => {
    for (const text of ['{"schema":2,"name":"later"}', '{"schema":1,"name":', '{"schema":1,"tags":"x"}']) {
      const folder = history.add(`20260101-${text.length}`, { "label.json": text });
      await expect(changeLabel(folder, (label) => ({ ...label, name: "mine" }))).rejects.toMatchObject({
        code: "label-not-read",
      });
      expect(fs.readFileSync(path.join(folder, "label.json"), "utf8")).toBe(text);
    }
  });

  it("is not written through a link that came with a project", async () => {
    const folder = history.add("20260101-a");
    const outside = path.join(history.project, "outside.txt");
    fs.writeFileSync(outside, "mine");
    fs.symlinkSync(outside, path.join(folder, `label.json.${process.pid}.new`));
    fs.symlinkSync(outside, `${indexFile()}.${process.pid}.new`);
    await changeLabel(folder, (label) => ({ ...label, pinned: true }));
    expect((await only()).label.pinned).toBe(true);
    expect(fs.readFileSync(outside, "utf8")).toBe("mine");
  });

  it("cannot be given to a run that is gone", async () => {
    await expect(changeLabel(path.join(history.runs, "gone"), (label) => label)).rejects.toMatchObject({
      code: "label-not-kept",
    });
  });
});
