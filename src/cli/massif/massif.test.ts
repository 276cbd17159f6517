import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jsonLines } from "../../profile/testing.ts";
import { collected } from "../terminal/testing.ts";
import { showMassif } from "./massifCommand.ts";
import { type MassifCommand, parseMassif } from "./massifCommandLine.ts";

const SEPARATOR = "#-----------";

function snapshot(number: number, heap: number, tree: readonly string[], kind = "detailed"): string {
  const figures = [`time=${number * 1000}`, `mem_heap_B=${heap}`, "mem_heap_extra_B=8", "mem_stacks_B=0"];
  const lines = tree.length === 0 ? ["heap_tree=empty"] : [`heap_tree=${kind}`, ...tree];
  return [SEPARATOR, `snapshot=${number}`, SEPARATOR, ...figures, ...lines].join("\n");
}

const ROOT = "(heap allocation functions) malloc/new/new[], --alloc-fns, etc.";
const EVALUATION = "0x5546CD: _PyEval_EvalFrameDefault (in /usr/bin/python3.6)";
const FILE = [
  "desc: --depth=100",
  "cmd: python3 train.py",
  "time_unit: i",
  snapshot(0, 0, []),
  snapshot(1, 1_048_576, [
    `n1: 1048576 ${ROOT}`,
    " n1: 1048576 0x464B26: PyByteArray_Resize (in /usr/bin/python3.6)",
    `  n1: 1048576 ${EVALUATION}`,
    "   n0: 1048576 0x7268412: py_00001 (in /tmp/pads.so)",
  ]),
  snapshot(
    2,
    5_242_880,
    [
      `n2: 5242880 ${ROOT}`,
      " n1: 4194304 0x464B26: PyByteArray_Resize (in /usr/bin/python3.6)",
      `  n2: 4194304 ${EVALUATION}`,
      "   n0: 3145728 0x7268412: py_00001 (in /tmp/pads.so)",
      "   n0: 1048576 0x7268422: py_00002 (in /tmp/pads.so)",
      " n0: 1048576 0x70000: cuda::alloc(int) (in /usr/lib/libcudart.so.10.2.300)",
    ],
    "peak",
  ),
  "",
].join("\n");

const SIDECAR = jsonLines([
  { schema: 1, record: "header", pid: 4242, frames: "lines" },
  { record: "frame", name: "py_00001", path: "train.py", line: 33, function: "step", kind: "line" },
  { record: "frame", name: "py_00002", path: "torch.py", line: 5, function: "zeros", kind: "function" },
]);

let folder: string;
let file: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "massif-cli-"));
  file = path.join(folder, "massif.out.4242");
  fs.writeFileSync(file, FILE);
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

async function printed(...options: string[]): Promise<string> {
  const command = parseMassif([file, ...options]);
  if (command === undefined) throw new Error("This asks for help.");
  const output = collected();
  await showMassif(command, output, {});
  return output.text();
}

const withSidecar = () => fs.writeFileSync(path.join(folder, "massif.frames.4242.jsonl"), SIDECAR);

describe("the command line of massif", () => {
  it("has the peak, tables, folding and callers first unless told otherwise", () => {
    expect(parseMassif(["a"])).toEqual<MassifCommand>({
      kind: "massif",
      file: "a",
      subject: { kind: "snapshot", snapshot: "peak" },
      output: { kind: "tables" },
    });
    expect(parseMassif(["--folded", "a", "--snapshot", "7"])).toMatchObject({
      subject: { snapshot: 7 },
      output: { kind: "folded", view: { direction: "callers-first", allFrames: false } },
    });
    expect(
      parseMassif(["a", "--diff", "3", "last", "--flame=o.svg", "--all-frames", "--direction", "allocators-first"]),
    ).toMatchObject({
      subject: { kind: "difference", before: 3, after: "last" },
      output: { kind: "flame", path: "o.svg", view: { direction: "allocators-first", allFrames: true } },
    });
    expect(parseMassif(["--help"])).toBeUndefined();
  });

  it.each([
    [[], "Name a file"],
    [["a", "b"], '"b" is one too many'],
    [["a", "--json", "--folded"], "Give one of"],
    [["a", "--snapshot", "x"], '"peak" or "last", not "x"'],
    [["a", "--snapshot", "1", "--diff", "1", "2"], "Give either"],
    [["a", "--diff", "1"], "needs two snapshots"],
    [["a", "--direction", "callers-first"], "go with --folded or --flame"],
    [["a", "--folded", "--direction", "up"], "--direction is callers-first or allocators-first"],
    [["a", "--nonsense"], "Unknown option '--nonsense'"],
  ])("refuses %j", (argv, message) => {
    expect(() => parseMassif(argv)).toThrowError(
      expect.objectContaining({ code: "usage", message: expect.stringContaining(message) }),
    );
  });
});

describe("massif FILE", () => {
  it("prints the snapshots and whose the memory is", async () => {
    withSidecar();
    const text = await printed();
    expect(text).toContain("python3 train.py\n");
    expect(text).toContain("3 snapshots, 2 with stacks · massif counted the heap\n\n");
    expect(text).toMatch(/^ +2 {2}2,000 instructions {2}5\.0 MiB {4}8 B {2}5\.0 MiB {2}stacks, peak$/m);
    expect(text).toContain("python3 train.py, snapshot 2, the peak: 5.0 MiB\n");
    expect(text).toMatch(/^4\.0 MiB {2}80\.0 % {2}Python interpreter$/m);
    expect(text).toMatch(/^1\.0 MiB {2}20\.0 % {2}libcudart\.so\.10\.2\.300$/m);
    expect(text).toMatch(/^4\.0 MiB {2}4\.0 MiB {2}PyByteArray_Resize \(python3\.6\)$/m);
    expect(text).toMatch(/^1\.0 MiB {2}1\.0 MiB {2}cuda::alloc \(libcudart\.so\.10\.2\.300\)$/m);
    expect(text).toMatch(/^3\.0 MiB {2}3\.0 MiB {2}step \(train\.py:33\)$/m);
    expect(text).toMatch(/^1\.0 MiB {2}1\.0 MiB {2}zeros \(torch\.py\)$/m);
  });

  it("says that the names of Python lines are missing", async () => {
    expect(await printed()).toContain("Names such as py_00042 stand for Python lines");
    withSidecar();
    expect(await printed()).not.toContain("Note:");
  });

  it("prints folded stacks, folded or whole, from either end", async () => {
    withSidecar();
    expect(await printed("--folded")).toBe(
      "step (train.py:33);PyByteArray_Resize (python3.6) 3145728\n" +
        "zeros (torch.py);PyByteArray_Resize (python3.6) 1048576\n" +
        "cuda::alloc(int) (libcudart.so.10.2.300) 1048576\n",
    );
    expect(await printed("--folded", "--all-frames", "--direction", "allocators-first", "--snapshot", "1")).toBe(
      "PyByteArray_Resize (python3.6);_PyEval_EvalFrameDefault (python3.6);step (train.py:33) 1048576\n",
    );
    expect(await printed("--folded", "--diff", "1", "last")).toContain(
      "step (train.py:33);PyByteArray_Resize (python3.6) 1048576 3145728\n",
    );
  });

  it("prints JSON", async () => {
    withSidecar();
    const lines = [
      {
        record: "hit",
        path: "train.py",
        line: 33,
        function: "step",
        hit: 1,
        thread: "MainThread",
        before: 0,
        after: 9,
        tree: null,
      },
      { record: "line", path: "train.py", line: 33, hits: 3, measured: 1, net: 9 },
    ];
    const header = { schema: 1, record: "header", pid: 4242, noise_bytes: 0 };
    fs.writeFileSync(path.join(folder, "massif.lines.4242.jsonl"), jsonLines([header, ...lines]));
    const json = JSON.parse(await printed("--json"));
    expect(json).toEqual({
      schema: 1,
      file: {
        path: file,
        command: "python3 train.py",
        description: "--depth=100",
        time_unit: "i",
        python_frames: "lines",
      },
      snapshots: [
        { number: 0, time: 0, heap_bytes: 0, extra_bytes: 8, tree: "none" },
        { number: 1, time: 1000, heap_bytes: 1_048_576, extra_bytes: 8, tree: "detailed" },
        { number: 2, time: 2000, heap_bytes: 5_242_880, extra_bytes: 8, tree: "peak" },
      ],
      subject: { snapshot: 2 },
      total_bytes: 5_242_880,
      libraries: [
        { kind: "python", name: "Python interpreter", bytes: 4_194_304 },
        { kind: "library", name: "libcudart.so.10.2.300", paths: ["/usr/lib/libcudart.so.10.2.300"], bytes: 1_048_576 },
      ],
      allocators: [
        {
          name: "PyByteArray_Resize (python3.6)",
          function: "PyByteArray_Resize",
          library: "/usr/bin/python3.6",
          self_bytes: 4_194_304,
          total_bytes: 4_194_304,
        },
        {
          name: "cuda::alloc(int) (libcudart.so.10.2.300)",
          function: "cuda::alloc(int)",
          library: "/usr/lib/libcudart.so.10.2.300",
          self_bytes: 1_048_576,
          total_bytes: 1_048_576,
        },
      ],
      lines: [
        { path: "train.py", line: 33, function: "step", total_bytes: 3_145_728, own_bytes: 3_145_728 },
        { path: "torch.py", definition_line: 5, function: "zeros", total_bytes: 1_048_576, own_bytes: 1_048_576 },
      ],
      measured_lines: [{ path: "train.py", line: 33, function: "step", hits: 3, measured_hits: 1, net_bytes: 9 }],
      problems: [],
    });
    const change = JSON.parse(await printed("--json", "--diff", "1", "2"));
    expect(change).toMatchObject({ subject: { before: 1, after: 2 }, total_bytes: 4_194_304 });
    expect(change.lines[0]).toMatchObject({ line: 33, total_bytes: 2_097_152 });
    expect(await printed()).toMatch(/^\+9 B ± 0 B {5}3 {9}1 {2}train\.py:33$/m);
  });

  it("says of what was sampled how seldom, and nothing of what the allocator adds", async () => {
    fs.writeFileSync(file, FILE.replace("--depth=100", "--jetson-memprof-heap mean=524288 samples=90"));
    const text = await printed();
    expect(text).toContain("Native stacks, sampled: one in 512 KiB");
    expect(text).toContain("19 of 20 are closer than ± 4.9 MiB for 10 MiB");
    expect(text).not.toMatch(/Extra|massif counted/);
    const json = JSON.parse(await printed("--json"));
    expect(json.file.sampled_mean_bytes).toBe(524_288);
    expect(json.snapshots[2]).toEqual({
      number: 2,
      time: 2000,
      heap_bytes: 5_242_880,
      heap_error_bytes: Math.round(Math.sqrt(524_288 * 5_242_880 + 4 * 524_288 ** 2)),
      tree: "peak",
    });
    expect(json.libraries[0]).toMatchObject({ bytes: 4_194_304, error_bytes: 1_816_187 });
    expect(text).toMatch(/^4\.0 MiB ± 3\.5 MiB +80\.0 % +Python interpreter$/m);
  });

  it("says of what calls took of the GPU that it is exact, and who asked for it", async () => {
    const tree = [
      "n1: 5242880 (GPU memory allocation calls) cudaMalloc, cuMemAlloc, etc.",
      " n1: 5242880 0x1: cudaMalloc (in /usr/lib/libcudart.so.10.2)",
      "  n0: 5242880 0x2: cudnnFind (in /usr/lib/libcudnn_cnn_infer.so.8)",
    ].join("\n");
    file = path.join(path.dirname(file), "gpu.out.4242");
    const figures = "time=5\nmem_heap_B=5242880\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=peak";
    fs.writeFileSync(
      file,
      `desc: x\ncmd: a\ntime_unit: ms\n#-----------\nsnapshot=0\n#-----------\n${figures}\n${tree}\n`,
    );
    const text = await printed();
    expect(text).toContain("each call for GPU memory");
    expect(text).toMatch(/^5\.0 MiB +100\.0 % +libcudnn_cnn_infer\.so\.8$/m);
    expect(text).not.toMatch(/Extra|massif counted|Heap:/);
    expect(JSON.parse(await printed("--json")).snapshots[0]).not.toHaveProperty("extra_bytes");
  });

  it("goes on where a file beside it is damaged, and says so", async () => {
    fs.writeFileSync(path.join(folder, "massif.frames.4242.jsonl"), "what is this\n");
    expect(await printed()).toContain("\nNote: massif.frames.4242.jsonl does not say which format it is in. So no ");
    const { problems, total_bytes: total } = JSON.parse(await printed("--json"));
    expect(problems).toEqual([{ message: expect.stringContaining("massif.frames.4242.jsonl") }]);
    expect(total).toBe(5_242_880);
  });

  it("draws a flame graph, but not over the file itself", async () => {
    const picture = path.join(folder, "out.svg");
    expect(await printed("--flame", picture)).toBe(`The flame graph is in ${picture}.\n`);
    expect(fs.readFileSync(picture, "utf8")).toContain("python3 train.py, snapshot 2, the peak: 5.0 MiB");
    await expect(printed("--flame", file)).rejects.toMatchObject({ code: "not-written" });
    fs.symlinkSync(file, path.join(folder, "link.svg"));
    await expect(printed("--flame", path.join(folder, "link.svg"))).rejects.toMatchObject({ code: "not-written" });
    await expect(printed("--flame", path.join(folder, "none", "o.svg"))).rejects.toMatchObject({ code: "not-written" });
    expect(fs.readFileSync(file, "utf8")).toBe(FILE);
  });

  it("has no empty tables where nothing changed", async () => {
    const text = await printed("--diff", "2", "last");
    expect(text).toContain("from snapshot 2 to snapshot 2: 0 B\n\nNo stack holds more or less.\n");
    expect(text).not.toContain("Top allocators");
  });

  it("says which snapshots have stacks", async () => {
    await expect(printed("--snapshot", "0")).rejects.toMatchObject({
      code: "no-such-snapshot",
      message: expect.stringContaining("kept no stacks for snapshot 0"),
      hint: "Snapshots with stacks: 1, 2.",
    });
    await expect(printed("--diff", "1", "9")).rejects.toMatchObject({ message: "The file has no snapshot 9." });
  });

  it("prints what there is of a file without stacks", async () => {
    fs.writeFileSync(file, `${FILE.slice(0, FILE.indexOf("snapshot=1") - SEPARATOR.length - 1)}`);
    const text = await printed();
    expect(text).toContain("1 snapshot, 0 with stacks");
    expect(text).toContain("Massif kept no stacks in this file");
    expect(JSON.parse(await printed("--json"))).not.toHaveProperty("subject");
    await expect(printed("--folded")).rejects.toMatchObject({ code: "no-stacks" });
    await expect(printed("--snapshot", "last")).rejects.toMatchObject({ code: "no-stacks" });
  });

  it("disarms what the file says", async () => {
    fs.writeFileSync(file, FILE.replace("train.py", "\u001b[2J").replace("cuda::alloc", "\u001b]0;x\u0007"));
    expect(await printed()).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(await printed("--folded")).not.toMatch(/(?!\n)\p{Cc}/u);
    const command = "\u009b2J\u202etrain.py\u2028\u007f";
    fs.writeFileSync(file, FILE.replace("train.py", command));
    const json = await printed("--json");
    expect(json).not.toMatch(/(?!\n)[\p{Cc}\p{Zl}\p{Bidi_Control}]/u);
    expect(JSON.parse(json).file.command).toBe(`python3 ${command}`);
  });
});
