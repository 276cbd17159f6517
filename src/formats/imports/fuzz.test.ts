/** Hostile files, and files of another format than was said; test/faults/fuzz has those that were damaged at random. */
import { describe, expect, it } from "vitest";
import { IMPORT_FORMATS, type ImportFormat } from "../../profile/model.ts";
import { leastCpuMs } from "../../profile/testingTime.ts";
import { UserError } from "../../profile/userError.ts";
import type { ImportedRun } from "../model.ts";
import { importContent } from "./importers.ts";
import { bytesOf, contextOf } from "./testing.ts";

const SAMPLES: Readonly<Record<Exclude<ImportFormat, "jetson-memprof">, string>> = {
  memory_profiler: `Filename: /home/nano/a.py

Line #    Mem usage    Increment  Occurrences   Line Contents
=============================================================
     1     22.0 MiB     22.0 MiB           1   @profile
     2                                         def main():
     3     42.0 MiB -4507103.7 MiB           1       x = load()
`,
  mprof: "CMDLINE python a.py -x\nMEM 1.5 1795327258.8\nFUNC a.b 1.0 1.0 2.0 2.0 1\nCHLD 1 2.0 1795327258.9\n",
  massif:
    "desc: --threshold=0.5\ncmd: ./a\ntime_unit: ms\n#-----------\nsnapshot=0\n#-----------\ntime=0\nmem_heap_B=9\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=peak\nn1: 9 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n n0: 9 0x1: f (a.c:1)\n",
  tracemalloc: "\u0080\u0004\u008c\u000btracemalloc\u008c\u0008Snapshot\u0093)\u0081}\u008c\u0006tracesNsb.",
  scalene:
    '{"alloc_samples": 1, "files": {"a.py": {"lines": [{"lineno": 1, "line": "x", "n_peak_mb": 1.5, "n_malloc_mb": 2}]}}, "samples": [[1, 2.5]], "max_footprint_mb": 3}',
  memray:
    "allocator,num_allocations,size,tid,thread_name,stack_trace\nMALLOC,1,1340,1,0x1,_run;/a/b.py;58|main;/home/a.py;2\n",
  tegrastats: "05-15-2023 14:21:30 RAM 2448/7620MB (lfb 4x4MB) SWAP 0/1MB (cached 0MB)\nRAM 1/2MB\n",
};
function check({ profile, samples, sources }: ImportedRun): void {
  for (const { path, lines } of profile.files) {
    expect(path.split("/").every((part) => part !== "" && part !== "." && part !== "..")).toBe(true);
    for (const { line, usage, peak, ...figures } of lines) {
      expect(line).toBeGreaterThanOrEqual(1);
      for (const figure of [usage, peak]) expect(figure ?? 0).toBeGreaterThanOrEqual(0);
      for (const figure of Object.values(figures)) expect(Number.isFinite(figure)).toBe(true);
    }
  }
  let before = Number.NEGATIVE_INFINITY;
  for (const { t, rss = 0, rssPeak = 0 } of samples) {
    expect(Number.isFinite(t) && t >= Math.max(0, before) && rss >= 0 && rssPeak >= 0).toBe(true);
    before = t;
  }
  for (const path of sources.keys()) expect(path.includes("..")).toBe(false);
  expect(Number.isNaN(Date.parse(profile.run.started ?? ""))).toBe(false);
}

describe("files of any content", () => {
  it.each(["\n", " ", "1", "-", "[", '{"a":', "a;", "1 1", "MEM 1", "RAM 1/1MB", "    1   1.0 MiB"])(
    "take time in proportion to their length: %j over and over",
    async (piece) => {
      const content = bytesOf(piece.repeat(Math.ceil(300_000 / piece.length)));
      const importAsAll = (): void => {
        for (const format of [undefined, ...IMPORT_FORMATS]) {
          try {
            check(importContent(content, format === undefined ? {} : { format }, contextOf("file")));
          } catch (error) {
            if (!(error instanceof UserError)) throw error;
          }
        }
      };
      // What takes time in proportion to its square takes minutes.
      expect(await leastCpuMs(10_000, importAsAll)).toBeLessThan(10_000);
    },
  );

  it("are refused in words where they are of another format than was said", () => {
    for (const format of IMPORT_FORMATS) {
      for (const sample of Object.values(SAMPLES)) {
        try {
          check(importContent(bytesOf(sample), { format }, contextOf("file")));
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
      }
    }
  });
});
