import * as fs from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jsonLines, LINES, MIB, makeProject, runFiles, runJson, TRAIN, writeFiles } from "../profile/testing.ts";
import { leastCpuMs } from "../profile/testingTime.ts";
import { formatChange } from "../profile/text/format.ts";
import type { TreeFile } from "../protocol/server.ts";
import { createHandlers, type DocumentText, type Handlers } from "./handlers.ts";
import { createRunStore, type RunStore } from "./runs/runStore.ts";

let project: string;
let run: string;
let remove: () => void;
let store: RunStore;
let handlers: Handlers;
let open: Map<string, DocumentText>;
const onChange = vi.fn();

beforeEach(() => {
  ({ project, run, remove } = makeProject());
  open = new Map();
  onChange.mockReset();
  store = createRunStore({ onChange, debounceMs: 10, pollMs: 50 });
  handlers = createHandlers({ store, openDocument: (uri) => open.get(uri), platform: process.platform });
});
afterEach(() => {
  store.dispose();
  remove();
});

const uri = (name: string) => pathToFileURL(path.join(project, name)).href;

async function rssTree(folder: string): Promise<readonly TreeFile[]> {
  const tree = await handlers.runTree(folder);
  return tree.kind === "lines" ? tree.files : [];
}

describe("the ranks of a launcher", () => {
  /** Each took `mib` on line 4 of train.py. */
  const launched = (...took: readonly number[]): Record<string, string> => {
    const processes = took.map((_, rank) => ({
      pid: rank,
      kind: "spawn",
      label: `rank ${rank}`,
      rank,
      ranks: took.length,
    }));
    const rows = took.map((mib, pid) => {
      const net = mib * MIB;
      return { record: "rows", t: 1, pid, rows: [[0, 4, 1, net, net, net, 0, 90 * MIB, 0, 0]] };
    });
    const head = { schema: 1, record: "header", run: "r" };
    const file = { record: "file", file: 0, path: "train.py", sha256: "" };
    return { "run.json": JSON.stringify(runJson({ processes })), "lines.jsonl": jsonLines([head, file, ...rows]) };
  };
  const labels = async () => (await handlers.lineDeltas(uri("train.py")))?.lines.map(({ label }) => label);

  it("are added up, or shown as is asked, beside lines and in the tree", async () => {
    writeFiles(run, launched(6, 12, 9));
    expect(await handlers.showRun(run, "rss")).toMatchObject({ ranks: [0, 1, 2] });
    expect(await labels()).toEqual(["+27.0 MiB"]);
    for (const [ranks, label] of [
      [{ kind: "highest" }, "+12.0 MiB"],
      [{ kind: "median" }, "+9.0 MiB"],
      [{ kind: "rank", rank: 0 }, "+6.0 MiB"],
    ] as const) {
      await handlers.showRun(run, "rss", { ranks });
      expect(await labels()).toEqual([label]);
      expect((await rssTree(run))[0]?.functions[0]?.lines.map(({ net }) => formatChange(net ?? 0))).toEqual([label]);
    }
  });

  it("are together where the run lacks the one that is asked for, or has none", async () => {
    writeFiles(run, launched(6, 12));
    await handlers.showRun(run, "rss", { ranks: { kind: "rank", rank: 5 } });
    expect(await labels()).toEqual(["+18.0 MiB"]);
    writeFiles(run, launched(6));
    const summary = await handlers.showRun(run, "rss", { ranks: { kind: "highest" } });
    expect(summary).not.toHaveProperty("ranks");
    await expect.poll(labels).toEqual(["+6.0 MiB"]);
  });

  it("are not in the timeline, which is the launcher's", async () => {
    writeFiles(run, launched(6, 12));
    expect(await handlers.timeline({ folder: run, maxPoints: 100 })).toMatchObject({
      launcher: true,
      rssPeak: 148 * MIB,
    });
    await expect(handlers.timeline({ folder: run, maxPoints: 100 })).resolves.toHaveProperty("run.ranks", [0, 1]);
  });
});

describe("lineDeltas", () => {
  it("are those of the shown run, with severity and label", async () => {
    expect(await handlers.lineDeltas(uri("train.py"))).toBeNull();
    const summary = await handlers.showRun(run, "rss");
    expect(summary).toMatchObject({
      title: 'train.py --name "a b"',
      target: "ssh://nano@192.168.1.20",
      rssPeak: 148 * MIB,
      warnings: [expect.stringContaining("fast measuring library")],
    });
    const result = await handlers.lineDeltas(uri("train.py"));
    expect(result?.stale).toBe(false);
    expect(result?.lines.map(({ line, severity, label }) => [line, severity, label])).toEqual([
      [4, "high", "+64.0 MiB"],
      [7, "medium", "+20.0 MiB"],
      [10, "high", "+76.0 MiB"],
    ]);
    expect(await handlers.lineDeltas(uri("other.py"))).toBeNull();
    await handlers.showRun(null, "rss");
    expect(await handlers.lineDeltas(uri("train.py"))).toBeNull();
  });

  it("are not called changed while a run goes on whose sources have not come home", async () => {
    fs.rmSync(path.join(run, "sources"), { recursive: true });
    writeFiles(run, { "run.json": JSON.stringify(runJson({ state: "running" })) });
    await handlers.showRun(run, "rss");
    expect(await handlers.lineDeltas(uri("train.py"))).toMatchObject({
      stale: false,
      lines: [{ line: 4, stale: false }, {}, {}],
    });
    writeFiles(run, { "run.json": JSON.stringify(runJson()) });
    expect(await handlers.lineDeltas(uri("train.py"))).toMatchObject({ stale: true });
  });

  it("follow the document's edits: what survives is remapped, what changed is stale, what is gone is not shown", async () => {
    await handlers.showRun(run, "rss");
    const edited = `# a new first line\n${TRAIN.replace("model.build()", "model.build(2)").replace("main()\n", "main()  \n")}`;
    open.set(uri("train.py"), { version: 1, text: edited });
    let result = await handlers.lineDeltas(uri("train.py"));
    expect(result?.stale).toBe(true);
    expect(result?.lines.map(({ line, stale }) => [line, stale])).toEqual([
      [5, true],
      [8, false],
      [11, false],
    ]);
    open.set(uri("train.py"), { version: 2, text: edited.split("\n").slice(0, 6).join("\n") });
    result = await handlers.lineDeltas(uri("train.py"));
    expect(result?.lines.map(({ line }) => line)).toEqual([5]);
  });

  it("count as stale where the profiled text was not kept", async () => {
    fs.rmSync(path.join(run, "sources"), { recursive: true });
    await handlers.showRun(run, "rss");
    const result = await handlers.lineDeltas(uri("train.py"));
    expect(result?.lines.every((line) => line.stale)).toBe(true);
    expect(result?.lines).toHaveLength(3);
  });
});

describe("hover", () => {
  it("shows the line's table, per process too, and the run", async () => {
    await handlers.showRun(run, "rss");
    const text = await handlers.hover(uri("train.py"), 7);
    expect(text).toContain("| Memory (RSS) | this line |");
    expect(text).toContain("| Hits | 5 |");
    expect(text).toContain("| Net, with everything it called | +20.0 MiB |");
    expect(text).toContain("| Peak above entry, of one hit | +4.0 MiB |");
    expect(text).toContain("| Usage after | 96.0 MiB |");
    expect(text).toContain("± 4 KiB");
    expect(text).toContain("| main | 3 | +12.0 MiB | +12.0 MiB | +4.0 MiB | +4.0 MiB | 96.0 MiB |");
    expect(text).toContain("| worker 1 | 2 | +8.0 MiB | +8.0 MiB | +4.0 MiB |  | 92.0 MiB |");
    expect(text).toContain("2026\\-11\\-21 09\\:45 UTC");
    expect(await handlers.hover(uri("train.py"), 2)).toBeNull();
  });

  it("leaves out what is not known", async () => {
    const text = jsonLines([
      ...LINES,
      { record: "rows", pid: 10, rows: [[1, 4, 1, null, null, null, null, null, null]] },
    ]);
    writeFiles(run, { "lines.jsonl": text });
    await handlers.showRun(run, "rss");
    const hover = await handlers.hover(uri("model.py"), 4);
    expect(hover).toContain("| Hits | 1 |");
    expect(hover).not.toMatch(/Net|Peak|Usage/);
  });

  it("says that a line never ended, or has not ended yet", async () => {
    const rows = [{ record: "rows", pid: 10, rows: [[1, 4, 1, 0, 5 * MIB, 0, 0, 0, 0]] }];
    writeFiles(run, { "lines.jsonl": jsonLines([...LINES, ...rows]) });
    await handlers.showRun(run, "rss");
    const hover = await handlers.hover(uri("model.py"), 4);
    expect(hover).toContain("| Net of this line alone | +5.0 MiB |");
    expect(hover).toContain("never ended");
    expect((await handlers.lineDeltas(uri("model.py")))?.lines.at(-1)).toMatchObject({
      line: 4,
      label: "≥ +5.0 MiB",
    });
    const tree = await rssTree(run);
    const lines = tree.find((file) => file.path === "model.py")?.functions.flatMap((part) => part.lines);
    expect(lines?.map((row) => row.line)).toContain(4);
    writeFiles(run, { "run.json": JSON.stringify(runJson({ state: "running", exit: null })) });
    expect(await handlers.hover(uri("model.py"), 4)).toContain("has not ended yet");
  });

  it("says that a line changed, with its old text disarmed", async () => {
    const evil = TRAIN.replace("    history = []", "    history = [] # [x](command:evil) <img src=http://a.b> |`");
    const rows = [[0, 5, 1, MIB, MIB, MIB, MIB, MIB, 0]];
    writeFiles(run, {
      "sources/train.py": evil,
      "lines.jsonl": jsonLines([...LINES, { record: "rows", pid: 10, rows }]),
    });
    await handlers.showRun(run, "rss");
    const text = await handlers.hover(uri("train.py"), 5);
    expect(text).toContain("**Changed since the run.**");
    expect(text).toContain("\\[x\\]\\(command\\:evil\\) \\<img src\\=http\\:\\/\\/a\\.b\\> \\|\\`");
  });
});

describe("lenses", () => {
  it("stand at functions that were called", async () => {
    await handlers.showRun(run, "rss");
    expect(await handlers.lenses(uri("train.py"))).toEqual({
      folder: run,
      lenses: [{ line: 3, title: "+76.0 MiB net · +140.0 MiB peak · 1.5 s · 1 call" }],
    });
  });
});

describe("runs and tree", () => {
  it("lists runs newest first, unreadable ones with the reason", async () => {
    const runs = path.dirname(run);
    writeFiles(path.join(runs, "20261122-000000-later-0000"), runFiles({ "run.json": '{"schema":9}' }));
    fs.mkdirSync(path.join(runs, "20261120-000000-empty-0000"));
    const list = await handlers.runs([runs, path.join(project, "nowhere")]);
    expect(list).toEqual([
      { kind: "unreadable", folder: expect.stringContaining("later"), reason: expect.stringContaining("format 9") },
      { kind: "run", run: expect.objectContaining({ folder: run, rssPeak: 148 * MIB }) },
      { kind: "unreadable", folder: expect.stringContaining("empty"), reason: expect.stringContaining("run.json") },
    ]);
  });

  it("orders files, functions and lines by weight", async () => {
    fs.rmSync(path.join(project, "train.py"));
    const tree = await rssTree(run);
    expect(tree).toMatchObject([
      {
        path: "model.py",
        absolutePath: path.join(project, "model.py"),
        net: 64 * MIB,
        functions: [{ name: "build", lines: [{ line: 2, text: "weights = bytearray(64 << 20)" }, { line: 3 }] }],
      },
      {
        path: "train.py",
        net: 20 * MIB,
        functions: [
          { name: "main", calls: 1, lines: [{ line: 4 }, { line: 7 }] },
          { name: "<module>", lines: [{ line: 10 }] },
        ],
      },
    ]);
    expect(tree[1]).not.toHaveProperty("absolutePath");
  });

  it("gives a timeline with places", async () => {
    const { run: summary, memTotal, samples } = await handlers.timeline({ folder: run, maxPoints: 100 });
    expect(summary.id).toBe(path.basename(run));
    expect(memTotal).toBe(4151091200);
    expect(samples[1]).toMatchObject({ t: 200, rss: 148 * MIB, at: { path: "model.py", line: 3 } });
  });
});

describe("a live run", () => {
  it("is followed: the change is announced and the next answers have it", async () => {
    const text = jsonLines(LINES);
    const running = JSON.stringify(runJson({ state: "running" }));
    writeFiles(run, {
      "lines.jsonl": text.slice(0, text.indexOf('{"record":"process","pid":11')),
      "run.json": running,
    });
    await handlers.showRun(run, "rss");
    expect((await handlers.lineDeltas(uri("train.py")))?.lines.map(({ line }) => line)).toEqual([4]);
    writeFiles(run, { "lines.jsonl": text });
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledWith(run), { timeout: 20_000 });
    expect((await handlers.lineDeltas(uri("train.py")))?.lines.map(({ line }) => line)).toEqual([4, 7, 10]);
  });

  it("is announced where a request has read the change before the watcher saw it", async () => {
    await handlers.showRun(run, "rss");
    fs.appendFileSync(path.join(run, "samples.jsonl"), '{"t":600,"rss":1}\n');
    await handlers.timeline({ folder: run, maxPoints: 10 });
    await vi.waitFor(() => expect(onChange).toHaveBeenCalled(), { timeout: 20_000 });
  });

  it("gives each of many requests at once the whole run", async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => handlers.runTree(run)));
    for (const tree of results) expect(tree).toEqual(results[0]);
  });

  it("asked for last is the one shown, even where an earlier one takes longer to read", async () => {
    const other = path.join(path.dirname(run), "20261121-100000-other-0000");
    writeFiles(other, runFiles({ "run.json": JSON.stringify(runJson({ id: path.basename(other) })) }));
    let read = () => {};
    const slow: RunStore = {
      ...store,
      get: async (folder) => {
        if (folder === run) await new Promise<void>((resolve) => (read = resolve));
        return await store.get(folder);
      },
    };
    const watch = vi.spyOn(slow, "watch");
    handlers = createHandlers({ store: slow, openDocument: (uri) => open.get(uri), platform: process.platform });
    const first = handlers.showRun(run, "rss");
    await handlers.showRun(other, "rss");
    read();
    expect(await first).toMatchObject({ folder: run });
    expect((await handlers.lineDeltas(uri("train.py")))?.run.folder).toBe(other);
    expect(watch).toHaveBeenLastCalledWith(other);
  });

  it("that grows while it is being read is told of", async () => {
    const growing: RunStore = {
      ...store,
      get: async (folder) => {
        const reader = await store.get(folder);
        fs.appendFileSync(path.join(run, "lines.jsonl"), jsonLines([{ record: "end", t: 2001 }]));
        return reader;
      },
    };
    await createHandlers({ store: growing, openDocument: () => undefined, platform: process.platform }).showRun(
      run,
      "rss",
    );
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledWith(run), 20_000);
  });

  it("whose files can no longer be looked at does not end the server", async () => {
    await handlers.showRun(run, "rss");
    fs.rmSync(path.join(run, "origin.json"));
    fs.symlinkSync("origin.json", path.join(run, "origin.json"));
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledWith(run), 20_000);
    await expect(handlers.lineDeltas(uri("train.py"))).rejects.toMatchObject({ code: "run-unreadable" });
  });

  it("that vanished gives a clear error", async () => {
    await handlers.showRun(run, "rss");
    fs.rmSync(run, { recursive: true });
    await expect(handlers.showRun(run, "rss")).rejects.toMatchObject({ code: "not-a-run" });
  });

  it("that cannot be read leaves the one that is shown, its measure and what is watched", async () => {
    const watch = vi.spyOn(store, "watch");
    await handlers.showRun(run, "rss");
    const before = await handlers.lineDeltas(uri("train.py"));
    const gone = path.join(path.dirname(run), "20261121-100000-gone-0000");
    await expect(handlers.showRun(gone, "cuda")).rejects.toMatchObject({ code: "not-a-run" });
    expect(handlers.shown()).toBe(run);
    expect(await handlers.lineDeltas(uri("train.py"))).toEqual(before);
    expect(watch).toHaveBeenLastCalledWith(run);
  });

  it("is shown until another was read", async () => {
    await handlers.showRun(run, "rss");
    const other = handlers.showRun(run, "rss");
    expect(handlers.shown()).toBe(run);
    await other;
    await handlers.showRun(null, "rss");
    expect(handlers.shown()).toBeUndefined();
  });
});

describe("a file of 10,000 lines", () => {
  it("is answered in less than 50 ms each", async () => {
    const source = Array.from({ length: 10_000 }, (_, i) => `value_${i} = compute(${i % 97})`);
    const rows = source.map((_, i) => [0, i + 1, 3, i * 4096, 4096, 4096, 8192, MIB, 0]);
    const functions = Array.from({ length: 500 }, (_, i) => ({
      name: `f${i}`,
      key: 20 * i + 1,
      def_line: 20 * i + 1,
      last_line: 20 * i + 19,
    }));
    writeFiles(run, {
      "sources/train.py": source.join("\n"),
      "lines.jsonl": jsonLines([
        { schema: 1, record: "header", run: "x" },
        { record: "file", file: 0, path: "train.py", sha256: "aa", lines: 10_000, functions },
        { record: "rows", t: 1, pid: 10, rows },
        { record: "functions", t: 1, pid: 10, rows: functions.map(({ key }) => [0, key, 5, 1e6, 4096, 8192]) },
      ]),
    });
    await handlers.showRun(run, "rss");
    let version = 0;
    const edited = source.map((line, i) => (i % 997 === 1 ? `${line} + 1` : line)).join("\n");
    const least = (request: () => Promise<unknown>) => {
      const afterEdit = (): Promise<unknown> => {
        // Each round sees another document, as after an edit.
        open.set(uri("train.py"), { version: ++version, text: `${edited}\n# ${version}` });
        return request();
      };
      return leastCpuMs(50, afterEdit, 60);
    };
    const took = {
      lineDeltas: await least(() => handlers.lineDeltas(uri("train.py"))),
      hover: await least(() => handlers.hover(uri("train.py"), 5000)),
      lenses: await least(() => handlers.lenses(uri("train.py"))),
    };
    console.log(took);
    expect(Math.max(...Object.values(took))).toBeLessThan(50);
    // One of them took nothing.
    expect((await handlers.lineDeltas(uri("train.py")))?.lines).toHaveLength(9_999);
  });
});
