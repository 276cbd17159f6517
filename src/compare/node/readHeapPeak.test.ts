import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jsonLines, MIB, makeProject, runFiles, runJson, writeFiles } from "../../profile/testing.ts";
import { lineChanges } from "../changes.ts";
import { changeOf } from "../noise.ts";
import { compareFolders } from "./compareFolders.ts";
import { loadRun } from "./loadRun.ts";

const ENGINE = {
  name: "massif",
  exact: false,
  massif: { threshold: 1, depth: 100, pages_as_heap: false, gpu: false, max_hits: 3, lines: [] },
};

/** One peak: `live` MiB below model.py:2, called from train.py:4, and 4 MiB of a library's. */
function massifOut(live: number): string {
  return `desc: --threshold=1.0
cmd: python3 train.py
time_unit: ms
#-----------
snapshot=0
#-----------
time=0
mem_heap_B=${(live + 4) * MIB}
mem_heap_extra_B=16
mem_stacks_B=0
heap_tree=peak
n2: ${(live + 4) * MIB} (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 n1: ${live * MIB} 0x1000: PyByteArray_Resize (bytearrayobject.c:250)
  n1: ${live * MIB} 0x2001: py_00001 (in /tmp/pads.so)
   n0: ${live * MIB} 0x2002: py_00002 (in /tmp/pads.so)
 n0: ${4 * MIB} 0x1200: at::empty (in /usr/lib/libtorch_cpu.so)
`;
}

const FRAMES = [
  { schema: 1, record: "header", pid: 10, frames: "lines" },
  { record: "frame", name: "py_00001", path: "model.py", line: 2, function: "build", kind: "line" },
  { record: "frame", name: "py_00002", path: "train.py", line: 4, function: "main", kind: "line" },
];

const massifRun = (live: number) =>
  runFiles({
    "run.json": JSON.stringify(runJson({ engine: ENGINE })),
    "massif.out.10": massifOut(live),
    "massif.frames.10.jsonl": jsonLines(FRAMES),
  });

let before: ReturnType<typeof makeProject>;
let after: ReturnType<typeof makeProject>;
beforeEach(() => {
  before = makeProject(massifRun(64));
  after = makeProject(massifRun(96));
});
afterEach(() => {
  before.remove();
  after.remove();
});

describe("a run under massif", () => {
  it("has its heap's peak and what its lines held of it; its RSS is valgrind's and left out", async () => {
    const { loaded } = await loadRun(before.run);
    expect(loaded.rssPeak).toBeUndefined();
    expect(loaded.heap).toMatchObject({ bytes: 68 * MIB, pages: false, threshold: 0.68 * MIB });
    expect(loaded.heap?.lines.get("model.py")).toEqual(new Map([[2, 64 * MIB]]));
  });

  it("is compared by its heap, with call sites that massif merges as noise", async () => {
    const comparison = await compareFolders({ before: [before.run], after: [after.run] }, "rss");
    expect(comparison.metric).toBe("heap");
    expect(comparison.peak).toMatchObject({ verdict: "more", change: 32 * MIB });
    const changed = lineChanges(comparison).changed.map(({ file, line, difference }) => [
      `${file.path}:${line.after}`,
      (changeOf(difference) ?? 0) / MIB,
    ]);
    expect(changed).toEqual([
      ["train.py:4", 32],
      ["model.py:2", 32],
    ]);
    expect(comparison.files[0]?.lines[0]?.net.noise).toEqual({ amount: (0.68 + 1) * MIB, known: false });
  });

  it("whose massif file is damaged has no heap that is known", async () => {
    writeFiles(after.run, { "massif.out.10": "desc: none" });
    const comparison = await compareFolders({ before: [before.run], after: [after.run] }, "rss");
    expect(comparison.peak).toMatchObject({ verdict: "unknown", before: { median: 68 * MIB } });
    expect(lineChanges(comparison).changed).toEqual([]);
  });
});
