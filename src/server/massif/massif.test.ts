import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readRunHead } from "../../profile/run/runHead.ts";
import { jsonLines, MIB, writeFiles } from "../../profile/testing.ts";
import { UserError } from "../../profile/userError.ts";
import { readToMassifPage } from "../../protocol/massif/massif.ts";
import { processFigures } from "./heapFigures.ts";
import { notes } from "./notes.ts";
import { createMassifProcesses } from "./processes.ts";
import {
  aroundLine,
  FRAMES,
  MASSIF_OUT,
  MEASURED,
  massifFiles,
  massifRunJson,
  openServer,
  PID,
  type Server,
} from "./testing.ts";

let project: string;
let run: string;
let handlers: Server["handlers"];
let uri: Server["uri"];
let close: Server["close"];

beforeEach(() => {
  ({ project, run, handlers, uri, close } = openServer(massifFiles()));
});
afterEach(() => close());
const outFile = () => path.join(run, `massif.out.${PID}`);
const floats = (text: string) => [...new Float64Array(new Uint8Array(Buffer.from(text, "base64")).buffer)];
const integers = (text: string) => [...new Uint32Array(new Uint8Array(Buffer.from(text, "base64")).buffer)];

describe("a massif run in the editor", () => {
  it("has each line's bytes at the peak, by share of it, and says that they are heap", async () => {
    expect(await handlers.showRun(run, "rss")).toMatchObject({ massif: true, simulated: true });
    const deltas = await handlers.lineDeltas(uri("train.py"));
    expect(deltas?.lines).toEqual([
      { line: 4, stale: false, bytes: 64 * MIB, severity: "high", label: "64.0 MiB of heap at peak" },
      { line: 7, stale: false, bytes: 20 * MIB, severity: "medium", label: "20.0 MiB of heap at peak" },
      { line: 10, stale: false, bytes: 84 * MIB, severity: "high", label: "84.0 MiB of heap at peak" },
    ]);
    expect(await handlers.lineDeltas(uri("other.py"))).toBeNull();
  });

  it("shows in the hover what is live, what was measured, and the heaviest stacks with a link", async () => {
    await handlers.showRun(run, "rss");
    const text = (await handlers.hover(uri("train.py"), 7)) ?? "";
    expect(text).toContain("| Heap (valgrind massif) | this line |");
    expect(text).toContain("| Live at the peak, with everything it called | 20.0 MiB (20.0 %) |");
    expect(text).toContain("| Of that, not through another line of the project | 20.0 MiB |");
    expect(text).toContain("| Change from before to after, in 2 of 3 hits | +8.0 MiB ± 400 B |");
    expect(text).toContain("| at\\:\\:empty \\(libtorch\\_cpu\\.so\\) | 20.0 MiB |");
    expect(text).toContain("16.0 MiB of the 100.0 MiB (16.0 %) are on no line");
    expect(text).not.toContain("RSS");
    const link = /\(command:jetsonMemprof\.showNativeStacks\?([^)]*)\)/.exec(text)?.[1] ?? "";
    expect(JSON.parse(decodeURIComponent(link))).toEqual([
      { folder: run, path: "train.py", line: 7, file: 0, snapshot: 1 },
    ]);

    const caller = (await handlers.hover(uri("train.py"), 4)) ?? "";
    expect(caller).toContain("| Of that, not through another line of the project | 0 B |");
    expect(caller).toMatch(/\| .*model\\\.py\\:2.* → PyByteArray\\_Resize/);
    expect(caller).not.toContain("before");
    expect(await handlers.hover(uri("train.py"), 1)).toBeNull();
  });

  it("disarms names that a board made up", async () => {
    const evil = "x](command:evil) | <img src=http://a.b>";
    writeFiles(run, { [`massif.out.${PID}`]: MASSIF_OUT.replace("at::empty<float>(c10::ArrayRef<long>)", evil) });
    await handlers.showRun(run, "rss");
    const text = (await handlers.hover(uri("train.py"), 7)) ?? "";
    expect(text).not.toContain("](command:evil)");
    expect(text).not.toContain("<img");
  });

  it("has a code lens for each function with all stacks through it", async () => {
    await handlers.showRun(run, "rss");
    expect((await handlers.lenses(uri("train.py")))?.lenses).toEqual([{ line: 3, title: "84.0 MiB of heap at peak" }]);
    expect((await handlers.lenses(uri("model.py")))?.lenses).toEqual([{ line: 1, title: "64.0 MiB of heap at peak" }]);
  });

  it("orders files, functions and lines by bytes at the peak", async () => {
    expect(await handlers.runTree(run)).toMatchObject({
      kind: "heap",
      peak: { bytes: 100 * MIB, pages: false, substitute: false },
      files: [
        {
          path: "train.py",
          total: 84 * MIB,
          own: 20 * MIB,
          functions: [
            {
              name: "main",
              total: 84 * MIB,
              own: 20 * MIB,
              lines: [{ line: 4 }, { line: 7, measured: { net: 8 * MIB } }],
            },
            { name: "<module>", total: 84 * MIB, own: 0, lines: [{ line: 10, total: 84 * MIB }] },
          ],
        },
        {
          path: "model.py",
          total: 64 * MIB,
          own: 64 * MIB,
          functions: [{ name: "build", total: 64 * MIB, lines: [{ line: 2, text: "weights = bytearray(64 << 20)" }] }],
        },
      ],
    });
  });

  it("finds the stacks of a line, where it has any", async () => {
    expect(await handlers.nativeStacks(uri("train.py"), 7)).toBeNull();
    await handlers.showRun(run, "rss");
    expect(await handlers.nativeStacks(uri("train.py"), 7)).toEqual({
      folder: run,
      path: "train.py",
      line: 7,
      file: 0,
      snapshot: 1,
    });
    expect(await handlers.nativeStacks(uri("train.py"), 5)).toBeNull();
  });

  it("follows a checkpoint that replaces the file", async () => {
    await handlers.showRun(run, "rss");
    await handlers.lineDeltas(uri("train.py"));
    fs.writeFileSync(`${outFile()}.part`, MASSIF_OUT.replaceAll(String(20 * MIB), String(10 * MIB)));
    fs.renameSync(`${outFile()}.part`, outFile());
    const label = (await handlers.lineDeltas(uri("train.py")))?.lines.find(({ line }) => line === 7)?.label;
    expect(label).toBe("at least 10.0 MiB of heap at peak");
  });

  it("says which moment it took where massif kept no stacks at its peak", async () => {
    writeFiles(run, { [`massif.out.${PID}`]: MASSIF_OUT.replace("heap_tree=peak", "heap_tree=detailed") });
    await handlers.showRun(run, "rss");
    const label = (await handlers.lineDeltas(uri("train.py")))?.lines[0]?.label;
    expect(label).toBe("64.0 MiB of heap at the largest snapshot with stacks");
    expect(await handlers.hover(uri("train.py"), 4)).toContain("Live at the largest snapshot with stacks");
  });

  it("gives what was measured to a line of which nothing was left at the peak", async () => {
    const measured = jsonLines([...MEASURED, { ...(MEASURED[3] as object), path: "model.py", line: 3, net: MIB }]);
    writeFiles(run, { [`massif.lines.${PID}.jsonl`]: measured });
    await handlers.showRun(run, "rss");
    const lines = (await handlers.lineDeltas(uri("model.py")))?.lines;
    expect(lines?.find(({ line }) => line === 3)?.label).toBe("+1.0 MiB of heap in 2 of 3 hits");
    expect(await handlers.nativeStacks(uri("model.py"), 3)).toBeNull();
    expect(await handlers.hover(uri("model.py"), 3)).not.toContain("command:");
  });

  it("gives whole functions where no line is known, and never as a line's figure", async () => {
    const functions = FRAMES.map((record) => ("kind" in record ? { ...record, kind: "function", line: 3 } : record));
    writeFiles(run, {
      [`massif.frames.${PID}.jsonl`]: jsonLines([
        { ...(functions[0] as object), frames: "functions" },
        ...functions.slice(1),
      ]),
      [`massif.lines.${PID}.jsonl`]: "",
    });
    await handlers.showRun(run, "rss");
    expect((await handlers.lineDeltas(uri("train.py")))?.lines).toEqual([]);
    expect(await handlers.runTree(run)).toMatchObject({
      files: [{}, { path: "model.py", own: 64 * MIB, functions: [{ name: "build", total: 64 * MIB, lines: [] }] }],
    });
  });

  it("counts what is known of a function only with the function whose other lines are known", async () => {
    const frames = FRAMES.map((record) =>
      "line" in record && record.line === 7 ? { ...record, kind: "function", line: 3 } : record,
    );
    writeFiles(run, { [`massif.frames.${PID}.jsonl`]: jsonLines(frames), [`massif.lines.${PID}.jsonl`]: "" });
    const tree = await handlers.runTree(run);
    expect(tree.files[0]?.functions).toMatchObject([
      { name: "main", total: 84 * MIB, own: 20 * MIB, lines: [{ line: 4 }] },
      { name: "<module>", total: 84 * MIB, own: 0 },
    ]);
    expect(tree.files[0]?.functions).toHaveLength(2);
  });

  it("adds no bytes of one process to another's", async () => {
    const child = { pid: 11, ppid: PID, kind: "fork", label: "worker 1", implementation: "massif-lines" };
    const processes = [{ pid: PID, ppid: 9, kind: "main", label: "main" }, child];
    writeFiles(run, {
      "run.json": JSON.stringify(massifRunJson({ processes })),
      "massif.out.11": MASSIF_OUT.replaceAll(String(20 * MIB), String(30 * MIB)),
      "massif.frames.11.jsonl": jsonLines(FRAMES),
    });
    await handlers.showRun(run, "rss");
    const label = (await handlers.lineDeltas(uri("train.py")))?.lines.find(({ line }) => line === 7)?.label;
    expect(label).toBe("30.0 MiB of heap at peak");
    expect(await handlers.nativeStacks(uri("train.py"), 7)).toMatchObject({ file: 1, snapshot: 1 });
    const text = await handlers.hover(uri("train.py"), 7);
    expect(text).toContain("| worker 1 | 30.0 MiB | 30.0 MiB |  |");
    expect(text).toContain("| main | 20.0 MiB | 20.0 MiB | +8.0 MiB |");
  });
});

describe("the flame view's document", () => {
  it("reaches the page also where the board's texts are longer than anybody reads", async () => {
    const args = Array.from({ length: 3 }, () => "x".repeat(50_000));
    writeFiles(run, { "run.json": JSON.stringify(massifRunJson({ command: { python: "python3", args } })) });
    const document = await handlers.massif.document({ kind: "run", folder: run });
    const received = readToMassifPage({ kind: "document", document });
    expect(received).toMatchObject({ document: { title: expect.stringMatching(/x…$/), files: document.files } });
  });

  it("opens beside files that are damaged, and says what is therefore missing", async () => {
    writeFiles(run, { [`massif.frames.${PID}.jsonl`]: "what is this\n" });
    const { files, lines, notes } = await handlers.massif.document({ kind: "run", folder: run });
    expect(files).toMatchObject([{ name: "main", frames: "none" }]);
    expect(lines).not.toEqual([]);
    expect(notes[0]).toContain(
      `massif.frames.${PID}.jsonl does not say which format it is in. So no Python line is named`,
    );
  });

  it("has no figures at a peak that cannot be shown, and says why", async () => {
    const process = await createMassifProcesses().open(outFile());
    const peak = () => Promise.reject(new UserError("massif-tree-too-large", "It has too many nodes."));
    const found = await processFigures({ ...process, peak });
    expect(found).toMatchObject({ lines: [], unread: "It has too many nodes." });
    expect(found.peak).toBeUndefined();
    expect(await notes([{ ...process, peak }], await readRunHead(run))).toContain(
      "The stacks at the peak cannot be shown. It has too many nodes.",
    );
  });

  it("is the run's, with its processes, measured lines and notes", async () => {
    const document = await handlers.massif.document({ kind: "run", folder: run });
    expect(document).toMatchObject({
      title: 'train.py --name "a b"',
      board: "simulated board",
      files: [
        {
          name: "main",
          command: "python3 train.py",
          timeUnit: "ms",
          pagesAsHeap: false,
          frames: "lines",
          problems: [],
          snapshots: [{ tree: "none", nodes: 0 }, { tree: "peak", heap: 100 * MIB }, { tree: "detailed" }],
        },
      ],
      lines: [
        {
          file: 0,
          place: { path: "train.py", line: 7 },
          hits: 3,
          measured: 2,
          net: 8 * MIB,
          executions: [
            { hit: 1, noise: 200, stacks: true },
            { hit: 2, noise: 200, stacks: false },
          ],
        },
      ],
    });
    expect(document.notes).toEqual([
      expect.stringContaining("16.0 MiB of the 100.0 MiB"),
      expect.stringContaining("train.py:8"),
    ]);
  });

  it("gives its trees as typed arrays, with the Python lines that the labels stand for", async () => {
    const source = { kind: "run", folder: run } as const;
    await handlers.massif.document(source);
    const tree = await handlers.massif.tree(source, { kind: "snapshot", file: 0, snapshot: 1 });
    expect(floats(tree.bytes).slice(0, 2)).toEqual([100 * MIB, 64 * MIB]);
    expect(integers(tree.parent).slice(0, 3)).toEqual([0, 0, 1]);
    expect(tree.python.map(({ place }) => place)).toContainEqual({ path: "model.py", line: 2 });
    for (const { label } of tree.python) expect(tree.labels[label]).toContain("py_");

    const around = (side: "before" | "after") => ({ kind: "line", line: 0, execution: 0, side }) as const;
    expect(floats((await handlers.massif.tree(source, around("before"))).bytes)[0]).toBe(8 * MIB);
    expect(floats((await handlers.massif.tree(source, around("after"))).bytes)[0]).toBe(12 * MIB);
  });

  it("refuses trees that are not there, in words", async () => {
    const source = { kind: "run", folder: run } as const;
    for (const ref of [
      { kind: "snapshot", file: 3, snapshot: 0 },
      { kind: "snapshot", file: 0, snapshot: 0 },
      { kind: "line", line: 0, execution: 1, side: "after" },
      { kind: "line", line: 9, execution: 0, side: "after" },
    ] as const) {
      await expect(handlers.massif.tree(source, ref)).rejects.toMatchObject({ code: "massif-no-tree" });
    }
  });

  it("of a file in a run folder is that process with what the run knows of it", async () => {
    const document = await handlers.massif.document({ kind: "file", path: outFile() });
    expect(document).toMatchObject({
      title: 'train.py --name "a b"',
      board: "simulated board",
      files: [{ name: "main" }],
    });
    expect(document.lines).toHaveLength(1);
  });

  it("of any other file is that file alone", async () => {
    const file = path.join(project, "massif.out.elsewhere");
    fs.writeFileSync(file, aroundLine(MIB));
    const document = await handlers.massif.document({ kind: "file", path: file });
    expect(document).toMatchObject({
      title: "massif.out.elsewhere",
      files: [{ frames: "none" }],
      lines: [],
      notes: [],
    });
    expect(document).not.toHaveProperty("board");
    await expect(handlers.massif.document({ kind: "file", path: `${file}.gone` })).rejects.toMatchObject({
      code: "massif-unreadable",
      hint: expect.any(String),
    });
  });

  it("says what a run that goes on or ended badly shows, and that one process cannot be read", async () => {
    writeFiles(run, {
      "run.json": JSON.stringify(massifRunJson({ state: "running", exit: null })),
      "massif.out.11": "",
    });
    let { notes, files } = await handlers.massif.document({ kind: "run", folder: run });
    expect(files).toHaveLength(1);
    expect(notes).toContainEqual(expect.stringContaining("massif.out.11 is not shown"));
    expect(notes).toContainEqual(expect.stringContaining("last checkpoint"));
    const exit = { kind: "out-of-memory", signal: "SIGKILL" };
    writeFiles(run, { "run.json": JSON.stringify(massifRunJson({ exit })) });
    ({ notes } = await handlers.massif.document({ kind: "run", folder: run }));
    expect(notes).toContainEqual(expect.stringContaining("ran out of memory"));
    fs.rmSync(outFile());
    fs.rmSync(path.join(run, "massif.out.11"));
    await expect(handlers.massif.document({ kind: "run", folder: run })).rejects.toMatchObject({ code: "massif-none" });
  });
});
