/** Files of other tools, read into runs that views and the run folder can hold. */
import { rmSync } from "node:fs";
import { csv } from "../../../../src/formats/exports/csv.ts";
import { writeImportedRun } from "../../../../src/formats/importedRunFolder.ts";
import { lineRecords, sampleRecords } from "../../../../src/formats/importedRunRecords.ts";
import { formatReader, importContent } from "../../../../src/formats/imports/importers.ts";
import { contextOf } from "../../../../src/formats/imports/testing.ts";
import { createLogReader } from "../../../../src/formats/imports/text/logReader.ts";
import type { ImportedRun } from "../../../../src/formats/model.ts";
import { exportJson } from "../../../../src/profile/formats/exportJson.ts";
import { createLineTable } from "../../../../src/profile/lines/lineTable.ts";
import type { ImportFormat } from "../../../../src/profile/model.ts";
import { readRunFolder } from "../../../../src/profile/run/runFolder.ts";
import { decodeSample } from "../../../../src/profile/samples/samples.ts";
import type { Random } from "../../support/random.ts";
import { demand, demandFinite, demandInside, type FuzzReader, type Outcome, type Sample } from "../reader.ts";

const CONTEXT = contextOf("file", { "a.py": "x = 1\ny = 2\n", "train.py": "import torch\n" });

/** The run can be shown, kept, and read again as it is. */
async function demandRun(imported: ImportedRun): Promise<void> {
  const { profile, samples, sources, notes, verbatim } = imported;
  demandFinite([profile, samples]);
  for (const path of [...sources.keys(), ...verbatim.keys(), ...profile.files.map((file) => file.path)]) {
    demandInside(path, "a file");
  }
  for (const { lines } of profile.files) {
    for (const { line, hits = 0, peak = 0, usage = 0 } of lines) {
      demand(Number.isSafeInteger(line) && line >= 1, `there is a line ${line}`);
      demand(hits >= 0 && peak >= 0 && usage >= 0, `line ${line} has a figure below 0`);
    }
  }
  samples.reduce((before, { t }) => {
    demand(t >= before, "the timeline goes backwards");
    return t;
  }, 0);
  demand(
    notes.every((note) => note.length < 10_000),
    "a note has no end",
  );
  const table = createLineTable("lines.jsonl");
  for (const record of lineRecords(imported, "id", profile.files)) table.add(JSON.stringify(record));
  const rows = (files: ImportedRun["profile"]["files"]) => files.reduce((sum, { lines }) => sum + lines.length, 0);
  demand(rows((await table.state()).files) === rows(profile.files), "lines are lost in the run folder");
  const kept = [...sampleRecords(imported)].filter((record) => decodeSample(JSON.stringify(record), "samples.jsonl"));
  demand(kept.length === samples.length, "samples are lost in the run folder");
}

/** As the command does it. Takes some milliseconds: not of each. */
async function demandFolder(imported: ImportedRun): Promise<void> {
  const folder = await writeImportedRun(imported, process.cwd());
  const profile = await readRunFolder(folder);
  demand(profile.files.length <= imported.profile.files.length, "the run folder has other files");
  rmSync(folder, { recursive: true });
}

/** A log's reader gives the same however its bytes come. */
function inPieces(input: Uint8Array, format: ImportFormat, random: Random): ImportedRun | undefined {
  const reader = formatReader(input, { format }, "file");
  if (reader.kind === "whole") return undefined;
  const log = createLogReader(reader.open, CONTEXT);
  // Files are read in pieces of a MiB: an endless line in single bytes would only take the tester's time.
  const size = 1 + random.below(200) + (input.length >> 9);
  for (let at = 0; at < input.length; at += size) log.push(input.slice(at, at + size));
  return log.end();
}

function importer(
  format: ImportFormat,
  name: string,
  short: number,
  samples: readonly [Sample, ...Sample[]],
  more: Pick<FuzzReader, "fixtures" | "pieces"> = {},
): FuzzReader {
  return {
    name,
    short,
    samples,
    ...more,
    async read(input, random): Promise<Outcome> {
      // Found by its content, or said by the user.
      const imported = importContent(input, random.below(3) === 0 ? {} : { format }, CONTEXT);
      await demandRun(imported);
      if (imported.format === format && random.below(4) === 0) {
        const again = inPieces(input, format, random);
        const same =
          again === undefined || JSON.stringify(again) === JSON.stringify(importContent(input, { format }, CONTEXT));
        demand(same, "pieces are read otherwise than the whole");
      }
      if (random.below(60) === 0) await demandFolder(imported);
      return "read";
    },
  };
}

const MEMORY_PROFILER = `Filename: /home/nano/a.py

Line #    Mem usage    Increment  Occurrences   Line Contents
=============================================================
     1     22.0 MiB     22.0 MiB           1   @profile
     2                                         def main():
     3     42.0 MiB -4507103.7 MiB           1       x = load()
    87 2081.602 MiB 1585.188 MiB           1   net = net.to(device)
`;
const MPROF = `CMDLINE python a.py -x
MEM 1.500000 1795327258.8000
FUNC a.b 1.0000 1795327258.8 2.0000 1795327259.1 1
CHLD 1 2.000000 1795327258.9
MEM 12.500000 1795327259.2
`;
const MASSIF =
  "desc: --threshold=0.5\ncmd: ./a\ntime_unit: ms\n#-----------\nsnapshot=0\n#-----------\ntime=0\nmem_heap_B=9\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=peak\nn1: 9 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n n0: 9 0x1: f (a.c:1)\n";
/** Of one block of 576 bytes: what Python's pickle writes, protocol 4, without its memo. */
const TRACEMALLOC = Buffer.from(
  "\x80\x04\x8c\x0btracemalloc\x8c\x08Snapshot\x93)\x81}(\x8c\x0ftraceback_limitK\x02\x8c\x06traces\x8c\x0btracemalloc\x8c\x07_Traces\x93)\x81}\x8c\x07_traces](K\x00M@\x02\x8c\x04a.pyK\x02\x86\x8c\x04a.pyK\x01\x86\x86\x87K\x00M\x00\x10\x8c\x08train.pyK\x01\x86\x85\x87esbub.",
  "latin1",
);
const SCALENE = JSON.stringify({
  alloc_samples: 1,
  elapsed_time_sec: 2.5,
  max_footprint_mb: 3,
  entrypoint_dir: "/home/nano",
  program: "/home/nano/a.py",
  args: ["a.py"],
  files: { "/home/nano/a.py": { functions: [], lines: [{ lineno: 1, line: "x = 1", n_peak_mb: 1.5, n_malloc_mb: 2, n_mallocs: 3, n_growth_mb: 1, memory_samples: [[1, 2.5]] }] } },
  samples: [[1, 2.5], [2, 3.5]],
}); // biome-ignore format: as Scalene writes it
const MEMRAY =
  "allocator,num_allocations,size,tid,thread_name,stack_trace\nMALLOC,1,1340,1,0x1,_run;/a/b.py;58|main;/home/a.py;2\nMMAP,2,65536,1,0x1,main;/home/a.py;2\n";
const MEMRAY_STATS = JSON.stringify({
  total_num_allocations: 3,
  total_bytes_allocated: 5,
  allocation_size_histogram: [{ min_bytes: 0, max_bytes: 8, count: 1 }],
  top_allocations_by_size: [{ location: "main:/home/a.py:2", size: 65536 }],
  top_allocations_by_count: [{ location: "main:/home/a.py:2", count: 3 }],
  metadata: { start_time: "2026-11-22 10:00:00", end_time: "2026-11-22 10:00:09", peak_memory: 70000, command_line: "a.py", pid: 7 },
}); // biome-ignore format: as memray writes it
const TEGRASTATS =
  "05-15-2023 14:21:30 RAM 2448/7620MB (lfb 4x4MB) SWAP 0/1MB (cached 0MB) CPU [2%@729,off]\n05-15-2023 14:21:31 RAM 2450/7620MB (lfb 4x4MB)\nRAM 1/2MB\n";

/** Our own exports, of a run that was imported from another tool. */
const exported = importContent(Buffer.from(MEMORY_PROFILER), {}, CONTEXT);
const OWN_CSV = [
  ...csv({ ...exported.profile, run: { ...exported.profile.run, id: "a" } }, new Map([["a.py", "x = 1\n"]])),
].join("");
const OWN_JSON = JSON.stringify(
  exportJson({ ...exported.profile, run: { ...exported.profile.run, id: "a" } }, undefined, {
    samples: [{ t: 0, rss: 5, rssPeak: 6, at: { path: "a.py", line: 1 } }],
    sources: new Map([["a.py", "x = 1\n"]]),
    moments: [],
    kept: { label: { tags: [], pinned: false } },
  }),
);

export const readers: readonly FuzzReader[] = [
  importer("memory_profiler", "reports of memory_profiler", 2_000, [MEMORY_PROFILER], {
    fixtures: ["memory_profiler"],
    pieces: ["Filename: ", " MiB", "KiB", "Line #", "=====", "nan", "   "],
  }),
  importer("mprof", "mprof's logs", 2_000, [MPROF], { pieces: ["MEM ", "FUNC ", "CHLD ", "CMDLINE ", "1.0 "] }),
  importer("massif", "massif files of any program", 2_000, [MASSIF], { fixtures: ["massif"] }),
  importer("tracemalloc", "tracemalloc's snapshots", 4_000, [TRACEMALLOC], {
    pieces: ["K\x01", "M\x00\x10", "\x86", "\x87", "]", "e", "(", "J\xff\xff\xff\xff", "\x8c\x04a.py"],
  }),
  importer("scalene", "Scalene's profiles", 2_500, [SCALENE]),
  importer("memray", "memray's tables", 2_000, [MEMRAY, MEMRAY_STATS], { pieces: [";", "|", ",", "\n", '"'] }),
  importer("tegrastats", "tegrastats' logs", 1_500, [TEGRASTATS], {
    fixtures: ["tegrastats"],
    pieces: ["RAM ", "05-15-2023 14:21:30 "],
  }),
  importer("jetson-memprof", "our own exports (JSON, CSV)", 2_000, [OWN_JSON, OWN_CSV, OWN_CSV], {
    pieces: [",", '"', "\n", "a.py,1,"],
  }),
];
