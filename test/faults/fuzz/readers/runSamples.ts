/** The files of a run folder, as docs/run-folder.md has them. */
import { boardLines, training } from "../../../../src/board/testing.ts";
import { jsonLines, MODEL, ORIGIN, runJson, SAMPLES, TORCH_LINES, TRAIN } from "../../../../src/profile/testing.ts";
import { plannedSweep } from "../../../../src/sweep/testing.ts";
import { SMALL } from "../../../../src/torch/model/testing.ts";

export const ID = "20261121-094501-train-3fa9";
export const KEPT_FILES: Readonly<Record<string, object>> = {
  "label.json": { schema: 1, name: "init on the GPU", tags: ["fp16", "b"], pinned: true },
  "group.json": { schema: 1, kind: "sweep", id: ID, index: 3, of: 12, values: { "batch-size": "32", device: "cuda" } },
  "git.json": {
    schema: 1,
    commit: "0123456789abcdef0123456789abcdef01234567",
    branch: "main",
    changed: ["train.py"],
    truncated: false,
  },
};
export const PLAN = { schema: 1, ...plannedSweep(ID) };
export const REPORT = `Filename: /home/nano/project/train.py

Line #    Mem usage    Increment  Occurrences   Line Contents
=============================================================
     3     22.0 MiB     22.0 MiB           1   @profile
     4                                         def main():
     5     42.0 MiB -4507103.7 MiB           1       x = load()
`;
export const FRAMES = jsonLines([
  { schema: 1, record: "header", pid: 4242, frames: "lines" },
  { record: "frame", name: "py_00042", path: "train.py", line: 33, function: "train", kind: "line" },
  { record: "mapped", start: "0x48c3000", end: "0x4a11000", path: "/usr/lib/libpython3.6m.so.1.0" },
]);
/** A record of the line table. */
export const LOAD = {
  record: "load",
  t: 900,
  for_ms: 1200,
  pid: 10,
  file: 0,
  line: 3,
  path: "/data/m.pt",
  size: 104857600,
  position: 94371840,
  mapped: null,
  resident: null,
  copied: null,
  before: { rss: 52428800, anon: 20971520, mapped: 31457280, cached: 5, mem_available: 8 },
  most: { rss: 251658240, anon: 214958080, mapped: 36700160, nvmap: 9 },
};
export const MEASURED = jsonLines([
  { schema: 1, record: "header", pid: 4242, noise_bytes: 210 },
  {
    record: "hit",
    path: "train.py",
    line: 33,
    function: "train",
    hit: 1,
    thread: "MainThread",
    before: 18159595,
    after: 29159599,
    tree: 7,
  },
  { record: "line", path: "train.py", line: 33, hits: 150, measured: 150, net: 1100004 },
]);
export const ALLOCATOR = jsonLines([
  { schema: 1, record: "header" },
  {
    record: "snapshot",
    t: 61234,
    pid: 4242,
    file: "allocator.4242.0.pickle",
    size: 1037065,
    why: "oom",
    history: "all",
    entries: 100000,
  },
  { record: "refused", t: 5100, pid: 4242, message: "cannot record" },
]);
export const ENDED = {
  state: "finished",
  exit: {
    kind: "out-of-memory",
    signal: "SIGKILL",
    evidence: "oom_kill",
    kernel_log: ["Out of memory: Killed process 10 (python3)"],
  },
  last_lines: [
    {
      pid: 10,
      thread: "MainThread",
      path: "train.py",
      line: 7,
      stack: [
        ["train.py", 10],
        ["train.py", 7],
      ],
    },
  ],
  environment: { PYTORCH_CUDA_ALLOC_CONF: "max_split_size_mb:128" },
  metrics: ["rss", "cuda", "system"],
  notebook: { path: "train.ipynb", cells: [{ number: 3, id: "a1", path: "train.ipynb#cell3.py" }] },
};
export const IMPORTED = {
  imported: { format: "scalene", file: "p.json", measures: "live blocks", timeline: "footprint" },
};
export const MASSIF = {
  engine: {
    name: "massif", exact: false, peak: false, accelerator: false,
    massif: { valgrind: "3.19.0", threshold: 0.1, depth: 100, pages_as_heap: false, gpu: false, max_hits: 3, lines: [["train.py", 7]] },
  },
}; // biome-ignore format: as in docs/run-folder.md

/** The files of one folder as one text, each after a line with its name. */
export const FOLDER: Readonly<Record<string, string>> = {
  "run.json": JSON.stringify(runJson(ENDED)),
  "lines.jsonl": jsonLines(TORCH_LINES),
  "samples.jsonl": jsonLines(SAMPLES),
  "moments.jsonl": `${boardLines("nano", training(2)).join("\n")}\n`,
  "origin.json": JSON.stringify(ORIGIN),
  "label.json": JSON.stringify(KEPT_FILES["label.json"]),
  "group.json": JSON.stringify(KEPT_FILES["group.json"]),
  "git.json": JSON.stringify(KEPT_FILES["git.json"]),
  "stderr.log": 'Traceback (most recent call last):\n  File "train.py", line 7, in main\nMemoryError\n',
  "memory_profiler.txt": REPORT,
  "allocator.jsonl": ALLOCATOR,
  "model.10.jsonl": jsonLines(SMALL),
  "massif.out.10": "",
  "sources/train.py": TRAIN,
  "sources/model.py": MODEL,
};
