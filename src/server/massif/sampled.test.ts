import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { helperSentences } from "../../../scripts/words.mjs";
import { gpuRecord } from "../../profile/gpu/testing.ts";
import { bandOf } from "../../profile/run/nativeStacks.ts";
import { MIB, writeFiles } from "../../profile/testing.ts";
import { readToMassifPage } from "../../protocol/massif/massif.ts";
import { speakChinese } from "../../words/testing.ts";
import {
  GPU_OUT,
  LOOKED_FOR_CUDA,
  MASSIF_OUT,
  MEAN,
  massifFiles,
  openServer,
  PID,
  type Server,
  sampledFiles,
} from "./testing.ts";

let run: string;
let handlers: Server["handlers"];
let uri: Server["uri"];
let close: Server["close"];

beforeEach(() => {
  ({ run, handlers, uri, close } = openServer(sampledFiles()));
});
afterEach(() => close());

describe("a run with sampled native stacks", () => {
  it("has RSS beside its lines as any run of the line engine, and is told to have stacks", async () => {
    expect(await handlers.showRun(run, "rss")).toMatchObject({ massif: false, sampled: true });
    expect((await handlers.lineDeltas(uri("train.py")))?.lines.map(({ label }) => label).join()).not.toContain("heap");
    expect(await handlers.runTree(run)).toMatchObject({ kind: "lines" });
  });

  it("has in the hover of a line its RSS, then what was sampled below it, how certain that is, and the way there", async () => {
    await handlers.showRun(run, "rss");
    const text = (await handlers.hover(uri("train.py"), 7)) ?? "";
    expect(text.split("\n")[0]).toBe("**RSS** +20.0 MiB · **heap held** 20.0 MiB ± 6.6 MiB");
    expect(text.indexOf("Allocated in native code, sampled")).toBeGreaterThan(text.indexOf("Memory (RSS)"));
    // Two standard errors, and four samples' worth: 2 × √(512 KiB × 20 MiB + 4 × 512 KiB²).
    expect(text).toContain("| Live at the peak, with everything it called | 20.0 MiB ± 6.6 MiB |");
    expect(text).toContain("| All that was live at the peak | 100.0 MiB ± 14.3 MiB |");
    expect(text).toContain("| at\\:\\:empty \\(libtorch\\_cpu\\.so\\) | 20.0 MiB |");
    expect(text).toContain("One in 512 KiB that were allocated was sampled");
    expect(text).not.toMatch(/massif merges|valgrind/);
    const link = /\(command:jetsonMemprof\.showNativeStacks\?([^)]*)\)/.exec(text)?.[1] ?? "";
    const stacks = { folder: run, path: "train.py", line: 7, file: 0, snapshot: 1 };
    expect(JSON.parse(decodeURIComponent(link))).toEqual([stacks]);
    expect(await handlers.nativeStacks(uri("train.py"), 7)).toEqual(stacks);
  });

  it("is as certain as its process's own record says, where that came home", async () => {
    // In the order of the tree's lines: what model.py:2 holds was counted whole, the rest was met by chance.
    const errors = [1.118, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0.5].map((mib) => Math.round(mib * MIB));
    const trees = [{ snapshot: 1, errors }];
    writeFiles(run, { [`heap.${PID}.json`]: JSON.stringify({ schema: 1, pid: PID, trees }) });
    await handlers.showRun(run, "rss");
    const text = (await handlers.hover(uri("train.py"), 7)) ?? "";
    expect(text).toContain("| Live at the peak, with everything it called | 20.0 MiB ± 2.8 MiB |");
    expect(text).toContain("| All that was live at the peak | 100.0 MiB ± 3.0 MiB |");
    const whole = (await handlers.hover(uri("train.py"), 4)) ?? "";
    expect(whole).toContain("| Live at the peak, with everything it called | 64.0 MiB ± 0 B |");
  });

  it("has the doubt of each frame and snapshot in its flame view", async () => {
    const errors = [1.5, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0.5].map((mib) => Math.round(mib * MIB));
    const record = { schema: 1, trees: [{ snapshot: 1, errors }], snapshots: [{ snapshot: 1, error: MIB }] };
    writeFiles(run, { [`heap.${PID}.json`]: JSON.stringify(record), "other.out": MASSIF_OUT });
    const { files } = await handlers.massif.document({ kind: "run", folder: run });
    expect(files[0]?.snapshots.map(({ band }) => band)).toEqual(
      [0, MIB ** 2, 30 * MIB * MEAN].map((variance) => bandOf(variance, MEAN)),
    );
    const tree = await handlers.massif.tree({ kind: "run", folder: run }, { kind: "snapshot", file: 0, snapshot: 1 });
    const bytes = Uint8Array.from(Buffer.from(tree.sampled?.variance ?? "", "base64"));
    expect([...new Float64Array(bytes.buffer)]).toEqual(errors.map((error) => error * error));
    const counted = await handlers.massif.tree(
      { kind: "file", path: path.join(run, "other.out") },
      { kind: "snapshot", file: 0, snapshot: 1 },
    );
    expect(counted).not.toHaveProperty("sampled");
  });

  it("does not take for 0 what no sample met", async () => {
    await handlers.showRun(run, "rss");
    const text = (await handlers.hover(uri("train.py"), 4)) ?? "";
    expect(text).toContain("| Of that, not through another line of the project | &emsp;not met by a sample |");
  });

  it("has in the hover what went past PyTorch to the GPU, by a record made by hand", async () => {
    writeFiles(run, { [`gpu.${PID}.json`]: JSON.stringify(gpuRecord(PID)) });
    await handlers.showRun(run, "rss");
    const text = (await handlers.hover(uri("train.py"), 7)) ?? "";
    const summary = "**RSS** +20.0 MiB · **heap held** 20.0 MiB ± 6.6 MiB · **GPU past PyTorch** 88.0 MiB + ~ 20.0 MiB";
    expect(text.split("\n")[0]).toBe(summary);
    expect(text).toContain("| Held at the process's GPU peak | 88.0 MiB |");
    expect(text).toContain("| Held at the process's end | 12.0 MiB |");
    expect(text).toContain("| The most it held at once, at most | 96.0 MiB |");
    expect(text).toContain("| CUDA's own, by the GPU's free memory | ~ 20.0 MiB |");
    expect(text).toContain("| cuDNN | 72.0 MiB |");
    expect(text).toContain("| CUDA modules | ~ 20.0 MiB |");
    expect(text).toContain("other programs' changes are in it");
    const starts = (await handlers.hover(uri("train.py"), 4)) ?? "";
    expect(starts.split("\n")[0]).toContain("**GPU past PyTorch** ~ 300.0 MiB");
    expect((await handlers.hover(uri("train.py"), 5)) ?? "").not.toContain("GPU");
  });

  it("says of how many processes it is, and that a library unknown may be PyTorch's", async () => {
    const nobodys = { ...gpuRecord(PID).rows[2], library: null, pytorch: null };
    const record = { ...gpuRecord(PID), rows: [...gpuRecord(PID).rows, nobodys] };
    const { [`massif.out.${PID}`]: out = "", [`massif.frames.${PID}.jsonl`]: frames = "" } = sampledFiles();
    writeFiles(run, {
      [`gpu.${PID}.json`]: JSON.stringify(record),
      "massif.out.11": out,
      "massif.frames.11.jsonl": frames,
    });
    await handlers.showRun(run, "rss");
    const text = (await handlers.hover(uri("train.py"), 7)) ?? "";
    expect(text.split("\n")[0]).toMatch(/GPU past PyTorch\*\* ≥ 88\.0 MiB \+ ~ 20\.0 MiB$/);
    expect(text).toContain("| By a library that is not known, which may be PyTorch's | 64.0 MiB |");
    expect(text).toContain("Of the 2 processes that have it, this is main.");
  });

  it.each([
    "",
    "{",
    '{"schema":2,"trees":[]}',
    '{"schema":1,"trees":[{"snapshot":1,"errors":[1]}]}',
    '{"schema":1,"trees":[{"snapshot":1,"errors":["x"]}]}',
  ])("is at most so uncertain where that record is damaged: %j", async (text) => {
    writeFiles(run, { [`heap.${PID}.json`]: text });
    await handlers.showRun(run, "rss");
    expect((await handlers.hover(uri("train.py"), 7)) ?? "").toContain("20.0 MiB ± 6.6 MiB");
  });

  it("is as uncertain as the larger mean says that its process ended with, and has what is left out in its notes", async () => {
    const out = (sampledFiles()[`massif.out.${PID}`] ?? "").replace("samples=200", `$& last-mean=${4 * MEAN}`);
    const message = "The run keeps the native stacks of 256 processes; those of 1 more process were left out.";
    const record = JSON.parse(sampledFiles()["run.json"] ?? "");
    const warnings = [{ code: "heap-left-out", message }];
    writeFiles(run, { [`massif.out.${PID}`]: out, "run.json": JSON.stringify({ ...record, warnings }) });
    await handlers.showRun(run, "rss");
    const text = (await handlers.hover(uri("train.py"), 7)) ?? "";
    expect(text).toContain("20.0 MiB ± 15.0 MiB");
    expect(text).toContain("One in 2048 KiB");
    const { notes } = await handlers.massif.document({ kind: "run", folder: run });
    expect(notes).toEqual([expect.stringMatching(/^One in 2048 KiB/), message]);
  });

  it("has the helper's notes in the language of the window", async () => {
    const record = JSON.parse(sampledFiles()["run.json"] ?? "");
    const warnings = [{ code: "heap-log-bad", message: "The native stacks of process 7 could not be read: EIO." }];
    writeFiles(run, { "run.json": JSON.stringify({ ...record, warnings }) });
    const speakEnglish = speakChinese({}, helperSentences("zh-cn"));
    try {
      const { notes } = await handlers.massif.document({ kind: "run", folder: run });
      expect(notes.at(-1)).toBe("无法读取进程 7 的原生调用栈：EIO。");
    } finally {
      speakEnglish();
    }
  });

  it("has what changed from before to after a marked line, how certain that is, and the stacks of both", async () => {
    const place = { path: "train.py", line: 7 };
    const records = [
      { schema: 1, record: "header", pid: PID },
      { record: "hit", ...place, function: "f", hit: 1, thread: "a", before: MIB, after: 9 * MIB, tree: 1, error: MIB },
      { record: "line", ...place, hits: 5, measured: 1, net: 8 * MIB, error: MIB },
    ];
    writeFiles(run, {
      [`massif.lines.${PID}.jsonl`]: records.map((record) => `${JSON.stringify(record)}\n`).join(""),
      ...Object.fromEntries(Object.entries(massifFiles()).filter(([name]) => name.startsWith("massif-lines/"))),
    });
    await handlers.showRun(run, "rss");
    expect(await handlers.hover(uri("train.py"), 7)).toContain(
      "| Change from before to after, in 1 of 5 hits | +8.0 MiB ± 2.0 MiB |",
    );
    // What the GPU's stacks are beside is measured once.
    writeFiles(run, { [`gpu.out.${PID}`]: GPU_OUT });
    const { lines, notes } = await handlers.massif.document({ kind: "run", folder: run });
    const executions = [{ hit: 1, noise: 2 * MIB, stacks: true }];
    expect(lines).toMatchObject([{ place, net: 8 * MIB, noise: 2 * MIB, executions }]);
    expect(notes).toContain(
      "Before and after a marked line, ± is known of all stacks together only, and is at most so much.",
    );
    const ref = { kind: "line", line: 0, execution: 0, side: "after" } as const;
    const tree = await handlers.massif.tree({ kind: "run", folder: run }, ref);
    expect(new Float64Array(new Uint8Array(Buffer.from(tree.bytes, "base64")).buffer)[0]).toBe(12 * MIB);
  });

  it("has what changed also where nothing of the marked line was live at the peak", async () => {
    const line = { record: "line", path: "train.py", line: 5, hits: 1, measured: 1, net: 0, error: 0 };
    const header = { schema: 1, record: "header", pid: PID, mean_bytes: MEAN };
    writeFiles(run, {
      [`massif.lines.${PID}.jsonl`]: [header, line].map((record) => `${JSON.stringify(record)}\n`).join(""),
    });
    await handlers.showRun(run, "rss");
    const text = (await handlers.hover(uri("train.py"), 5)) ?? "";
    expect(text.split("\n")[0]).toContain("**heap held** not met by a sample");
    expect(text).toMatch(/\| Change from before to after, [^|]* \| 0 B ± 0 B \|/);
    expect(text).not.toContain("Of that, not through another line");
  });

  it("says nothing of samples where the line has none, or the run was not sampled", async () => {
    await handlers.showRun(run, "rss");
    expect((await handlers.hover(uri("train.py"), 5)) ?? "").not.toContain("sampled");
    const engine = { name: "line", heap: { mean: MEAN, state: "refused", reason: "it was not built for riscv64" } };
    const record = JSON.parse(sampledFiles()["run.json"] ?? "");
    writeFiles(run, { "run.json": JSON.stringify({ ...record, engine }) });
    expect(await handlers.showRun(run, "rss")).not.toHaveProperty("sampled");
    expect((await handlers.hover(uri("train.py"), 7)) ?? "").not.toContain("sampled");
    expect(await handlers.nativeStacks(uri("train.py"), 7)).toBeNull();
  });

  it("is a document whose files tell the mean, with a note on how certain its figures are", async () => {
    const document = await handlers.massif.document({ kind: "run", folder: run });
    expect(document.files).toMatchObject([{ name: "main", sampled: MEAN, pagesAsHeap: false }]);
    expect(document.notes).toEqual([
      "One in 512 KiB that were allocated was sampled, and every larger block, so these figures are estimates: 19 of 20 are closer than ± 4.9 MiB for 10 MiB and ± 14.3 MiB for 100 MiB, closer still where large blocks are in them.",
    ]);
    expect(readToMassifPage({ kind: "document", document })).toBeDefined();
    const tree = await handlers.massif.tree({ kind: "run", folder: run }, { kind: "snapshot", file: 0, snapshot: 1 });
    expect(tree.python).toHaveLength(4);
    expect(document.files[0]?.snapshots[1]?.heap).toBe(100 * MIB);
  });

  it("has the GPU's stacks beside the heap's, exact and by library, by a file made by hand", async () => {
    writeFiles(run, { [`gpu.out.${PID}`]: GPU_OUT });
    const document = await handlers.massif.document({ kind: "run", folder: run });
    expect(document.files.map(({ name, gpu, sampled }) => [name, gpu, sampled])).toEqual([
      ["main", undefined, MEAN],
      ["main, GPU", true, undefined],
    ]);
    expect(document.notes.at(-1)).toContain("What was asked of CUDA is exact");
    expect(readToMassifPage({ kind: "document", document })).toBeDefined();
    const ref = { kind: "snapshot", file: 1, snapshot: 0 } as const;
    const tree = await handlers.massif.tree({ kind: "run", folder: run }, ref);
    expect(tree).not.toHaveProperty("sampled");
    expect(tree.python.map(({ place }) => place.line).sort()).toEqual([2, 7]);
    await handlers.showRun(run, "rss");
    expect((await handlers.hover(uri("train.py"), 7)) ?? "", "it is no heap").toContain("20.0 MiB ± 6.6 MiB");
    writeFiles(run, { [`gpu.out.${PID}`]: LOOKED_FOR_CUDA });
    const looked = await handlers.massif.document({ kind: "run", folder: run });
    expect([looked.files.length, looked.notes.length], "one that only looked for CUDA").toEqual([1, 1]);
    writeFiles(run, { [`gpu.out.${PID}`]: "x" });
    const damaged = await handlers.massif.document({ kind: "run", folder: run });
    expect(damaged.files).toHaveLength(1);
    expect(damaged.notes[0]).toContain(`gpu.out.${PID} is not shown.`);
  });

  it("knows it of the file by itself too, where that lies in its run", async () => {
    const document = await handlers.massif.document({ kind: "file", path: path.join(run, `massif.out.${PID}`) });
    expect(document.files[0]?.sampled).toBe(MEAN);
  });

  it("says that the stacks of one that goes on come at its end", async () => {
    close();
    const record = { ...JSON.parse(sampledFiles()["run.json"] ?? ""), state: "running" };
    const { [`massif.out.${PID}`]: _out, ...files } = sampledFiles({ "run.json": JSON.stringify(record) });
    ({ run, handlers, close } = openServer(files));
    await expect(handlers.massif.document({ kind: "run", folder: run })).rejects.toMatchObject({
      code: "massif-none",
      message: "The native stacks of this run come when it ends.",
    });
  });
});
