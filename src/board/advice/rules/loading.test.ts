import { describe, expect, it } from "vitest";
import type { LineLoad } from "../../../profile/loads/lineLoads.ts";
import { MIB } from "../../testing.ts";
import { advised, advisedBy, FULL, type Release, type TestRun } from "../testing.ts";

type Loaded = Partial<Record<"size" | "peak" | "kept" | "mapped" | "resident" | "copied" | "others" | "gpu", number>>;

/** What line 1 of train.py loaded, in MiB. */
function loaded({ size = 1000, ...figures }: Loaded, names: readonly string[] = ["/data/model.pt"]): LineLoad {
  const bytes = Object.fromEntries(Object.entries(figures).map(([name, mib]) => [name, mib * MIB]));
  const files = names.map((path) => ({
    pid: 7,
    at: { path: "train.py", line: 1 },
    path,
    size: (size * MIB) / names.length,
    forMs: 3000,
    before: {},
    most: {},
  }));
  return { path: "train.py", line: 1, files, size: size * MIB, ...bytes, gpuFrom: "reserved" };
}

function twice(source: string, figures: Loaded, more: TestRun = {}, names?: readonly string[]) {
  const rows = { 1: {}, 3: {} };
  return advisedBy("loaded-twice", { source, rows, loads: FULL, loaded: [loaded(figures, names)], ...more });
}

const LOAD = 'x = torch.load(io.BytesIO(open("model.pt", "rb").read()))\n';
const COPIES: Loaded = { peak: 2010, kept: 1005 };

describe("a file that is in memory twice while it is loaded", () => {
  it("is told with the line, the file, its size and what the line held beyond what it kept", () => {
    expect(twice(LOAD, COPIES, { release: "JetPack 5" })).toMatchObject({
      symptom: "A file is in memory twice while it is loaded.",
      evidence: ["train.py:1 loaded model.pt (1000.0 MiB)", "the process grew by up to 2010.0 MiB; +1005.0 MiB stayed"],
      remedy: expect.stringMatching(/^Give libraries the file's path, not its bytes\. .*mmap=True/),
      saves: { bytes: 1005 * MIB, how: "what line 1 held a second time" },
      place: { path: "train.py", line: 1 },
      source: { url: expect.stringContaining("module_load_state_dict_tips") },
    });
  });

  it.each<[Release, RegExp]>([
    ["JetPack 4.6", /^Give .* `del` the dictionary .*This run had PyTorch 1\.10\.0\.$/],
    ["JetPack 5", /mmap=True\)` .*This run had PyTorch 2\.1\.0a0\+nv23\.06\.$/],
    ["JetPack 6", /mmap=True\)` .*This run had PyTorch 2\.5\.0a0\+nv24\.08\.$/],
  ])("has the fix of the PyTorch that is installed, on %s", (release, remedy) => {
    expect(twice(LOAD, COPIES, { release })?.remedy).toMatch(remedy);
  });

  it("says from which version on, where that of the run is not known", () => {
    expect(twice(LOAD, COPIES, { versions: {} })?.remedy).toMatch(/\(PyTorch 2\.1 and newer\) .* can drop\.$/);
  });

  it("counts all files of the line, and names the largest", () => {
    const names = ["/m/1.safetensors", "/m/2.safetensors"];
    expect(twice("m = Net.from_pretrained(name)\n", COPIES, {}, names)?.evidence[0]).toBe(
      "train.py:1 loaded 2 files, 1000.0 MiB (the largest is 1.safetensors)",
    );
  });

  it("is told of a line that was ended in it, by what it held until then", () => {
    expect(twice(LOAD, { peak: 1900 }, { ended: "killed" })).toMatchObject({
      evidence: [expect.any(String), "the process grew by up to 1900.0 MiB; what stayed is not known"],
      saves: { bytes: 900 * MIB },
    });
    expect(twice(LOAD, { peak: 1100 })).toBeUndefined();
  });

  it.each<[string, Loaded]>([
    ["it was there once", { peak: 1020, kept: 1005 }],
    [
      "the second time are pages of the file, which the kernel can drop",
      { peak: 2000, kept: 1000, mapped: 1000, resident: 300 },
    ],
    ["nothing is known of the line", {}],
    ["it was read through, not kept", { peak: 30, kept: 0 }],
    ["it is little", { size: 20, peak: 40, kept: 20 }],
  ])("is not told where %s", (_, figures) => {
    expect(twice(LOAD, figures)).toBeUndefined();
  });

  it("counts pages that were copied", () => {
    expect(twice(LOAD, { peak: 2000, kept: 1000, mapped: 1000, resident: 1000, copied: 1000 })?.saves?.bytes).toBe(
      1000 * MIB,
    );
  });

  it("shows a file's name as text, whatever it is", () => {
    const evidence = twice(LOAD, COPIES, {}, ["/data/<img src=x>\u202e\nmodel.pt"])?.evidence[0];
    expect(evidence).toBe("train.py:1 loaded <img src=x>??model.pt (1000.0 MiB)");
  });

  it("has a hint for what is no library's", () => {
    expect(twice("w = bytearray(file.read())\n", COPIES)?.remedy).toContain("`readinto`");
    expect(twice('w = np.load("w.npy")\n', COPIES)?.remedy).toContain("mmap_mode");
  });
});

describe("weights in the CPU's memory and the GPU's", () => {
  const FILE = 'w = load_file("model.safetensors", device="cuda")\n';
  const BOTH: Loaded = { peak: 1000, kept: 20, mapped: 1000, resident: 990, gpu: 1000 };

  it("are told on a board where that is one memory, with the pages of the file", () => {
    expect(twice(FILE, BOTH)).toMatchObject({
      symptom: expect.stringContaining("which is the same RAM here"),
      evidence: [
        expect.any(String),
        "the process grew by up to 1000.0 MiB; +20.0 MiB stayed",
        "990.0 MiB of it were pages of mapped files, 0 B of these copied",
        "PyTorch reserved up to 1000.0 MiB of GPU memory",
      ],
      saves: { bytes: 1000 * MIB },
      source: { url: expect.stringContaining("safetensors/issues/758") },
    });
    expect(twice(FILE, BOTH, { release: "PC" })).toBeUndefined();
  });

  it("are not told where what came to the process are CUDA's libraries", () => {
    expect(twice(FILE, { peak: 700, kept: 650, others: 500, gpu: 1000 })).toBeUndefined();
  });

  it.each([
    ["0.8.0", /of the file\. This run had safetensors 0\.8\.0\.$/],
    ["0.4.3", /of the file\. Take one tensor at a time.* 0\.4\.3\.$/],
    [undefined, /of the file\. Take one.*device\)`\.$/],
  ])("have the fix of safetensors %s", (safetensors, remedy) => {
    const versions = safetensors === undefined ? {} : { safetensors };
    expect(twice(FILE, BOTH, { versions: { torch: "2.5.0", ...versions } })?.remedy).toMatch(remedy);
  });

  it("have that of torch.load and of transformers", () => {
    expect(twice("w = torch.load(path)\n", BOTH)?.remedy).toContain("map_location=device");
    const pretrained = "m = AutoModel.from_pretrained(name).cuda()\n";
    const remedyOf = (transformers: string) => twice(pretrained, BOTH, { versions: { transformers } })?.remedy;
    expect(remedyOf("4.40.0")).toMatch(/low_cpu_mem_usage=True.*This run had transformers 4\.40\.0\.$/);
    expect(remedyOf("5.2.0")).not.toContain("low_cpu_mem_usage");
  });
});

describe("weights that stay beside the model's", () => {
  it("are told where the dictionary is copied into a model later", () => {
    const source = "s = torch.load(path)\nprint(1)\nmodel.load_state_dict(s)\n";
    const figures = { peak: 1010, kept: 1005 };
    expect(twice(source, figures, { release: "JetPack 6" })).toMatchObject({
      evidence: [expect.any(String), expect.any(String), "train.py:3 copies them into the model"],
      remedy: expect.stringContaining("assign=True"),
      saves: { bytes: 1005 * MIB, how: "what line 1 held a second time" },
    });
    expect(twice(source, figures)?.remedy).not.toContain("assign=True");
    expect(twice("s = torch.load(path)\nprint(1)\nprint(s)\n", figures)).toBeUndefined();
  });

  it("are told where one line does both, and has given them back by its end", () => {
    const source = "model.load_state_dict(torch.load(path))\n";
    expect(twice(source, { peak: 1010, kept: 5 })?.saves?.bytes).toBe(1005 * MIB);
    expect(twice(source, { peak: 1010, kept: 1005 })).toBeUndefined();
  });
});

it("is told in the place of what is made on the CPU and moved, where that is what was loaded", () => {
  const source = "x = torch.load(path)\nprint(1)\nx = x.to(device)\n";
  const rows = { 1: { net: 1000 }, 3: { cuda: 998 } };
  const run: TestRun = { source, rows, loads: FULL, loaded: [loaded({ peak: 1005, kept: 1000, gpu: 900 })] };
  const told = (rule: string, changes: TestRun = {}) => advisedBy(rule, { ...run, ...changes }) !== undefined;
  expect([told("loaded-twice"), told("twice-in-memory")]).toEqual([true, false]);
  expect(told("twice-in-memory", { loaded: [] })).toBe(true);
});

it("is silent where memory is plenty and the file small beside it", () => {
  const run = { source: LOAD, rows: { 1: {} }, loaded: [loaded({ size: 100, peak: 200, kept: 100 })] };
  expect(advised(run)).toEqual([]);
});
