/**
 * How large the HTML report of a large run is, and how long it and the other exports take to write: two made-up runs, the
 * same each time, one measured by line (50 files of 20,000 lines, a third of them measured, RSS, CUDA and the board), one
 * under massif (a peak of 10^5 nodes, stacks of 30 frames, its lines in the same files); and a tenth of both. `--out FILE`
 * takes the rows as bench/README.md says, `--rounds N` counts the rounds of what is timed, `--quick` is the tenth alone.
 * `--check` fails where a report is larger than the bar.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleText } from "../../scripts/bundleProgram.mjs";
import { randomNumbers } from "../massif/generate.mjs";
import { CHECK, readOptions } from "../support/options.mjs";
import { version, writeRows } from "../support/result.mjs";

const MOST_MIB = 3;
const MIB = 1024 * 1024;
const LINES = 20_000;
const NODES_A_FILE = 2_000;
const DEPTH = 30;

const { options, names: positionals } = readOptions({ ...CHECK, rounds: { type: "string", default: "3" } });

const folder = mkdtempSync(join(tmpdir(), "jmp-bench-formats-"));
const program = await bundleText(
  `export { exportWhole, jsonExport } from "./src/formats/exports/exportRun.ts";
  export { createTreeBuilder } from "./src/massif/tree/treeBuilder.ts";`,
  "formats",
  folder,
);
const { exportWhole, jsonExport, createTreeBuilder } = createRequire(import.meta.url)(program);
rmSync(folder, { recursive: true, force: true });

/** @param files of 20,000 lines */
function madeUpRuns(files) {
  const random = randomNumbers(11);
  const below = (count) => Math.floor(random() * count);
  const bytes = () => Math.floor(random() ** 6 * 2 ** 29);

  const path = (file) => `package_${file % 7}/module_${file}.py`;
  const text = (line) =>
    `    value_${line} = self.layers[${line % 97}](inputs, weights={"scale": ${line}, "name": "<layer>"})\n`;
  const sources = new Map(
    Array.from({ length: files }, (_, file) => [
      path(file),
      Array.from({ length: LINES }, (_, line) => text(line)).join(""),
    ]),
  );

  function row(line) {
    const [net, peak] = [bytes(), bytes()];
    const figures = { net, self: net >> 1, maxIncrement: net, peak, usage: 2 ** 30, uncertain: below(4096) };
    const reserved = { reservedNet: net, reservedSelf: net, reservedPeak: peak, peakMost: peak };
    return {
      line,
      hits: 1 + below(1e6),
      ...figures,
      cuda: { ...figures, ...reserved },
      system: { net, self: net, uncertain: 0 },
    };
  }

  function measuredFile(file) {
    const lines = [];
    for (let line = 1; line <= LINES; line++) if (random() < 1 / 3) lines.push(row(line));
    const functions = Array.from({ length: 400 }, (_, at) => ({
      name: `Model${at}.forward`,
      key: at * 50 + 1,
      defLine: at * 50 + 1,
      lastLine: at * 50 + 49,
      calls: 1,
      timeNs: 1,
    }));
    return { path: path(file), sha256: "", lines, functions };
  }

  /** Stacks, the allocator next to the root. */
  function heap() {
    const builder = createTreeBuilder(files * NODES_A_FILE);
    const frames = Array.from({ length: 4000 }, (_, at) =>
      at % 4 === 0
        ? {
            kind: "python",
            path: path(at % files),
            line: 1 + below(LINES),
            function: `Model${at}.forward`,
            exact: true,
          }
        : {
            kind: "native",
            function: `at::native::kernel_${at}<float, c10::complex<double> >(c10::Tensor const&, std::vector<long>)`,
            library: `/usr/lib/libtorch_${at % 5}.so`,
            interpreter: false,
          },
    ).map((frame) => builder.frameNumber(frame));
    const ends = [];
    while (builder.size() < files * NODES_A_FILE) {
      let node = 0;
      for (let depth = 0; depth < DEPTH; depth++)
        node = builder.child(node, frames[below(depth < 3 ? 40 : frames.length)]);
      ends.push(node);
    }
    const self = new Float64Array(builder.size());
    for (const node of ends) self[node] = 16 + bytes();
    const { tree } = builder.finish(self);
    return { label: "main", bytes: tree.total[0], substitute: false, stacks: tree, withoutLine: 0, measured: [] };
  }

  const run = {
    id: "20261121-094501-train-3fa9",
    state: "finished",
    engine: { name: "line", exact: false, accelerator: true },
    command: { python: "python3", script: path(0), args: [] },
    exit: { kind: "exited", code: 0 },
    lastLines: [],
    environment: {},
    board: { memTotal: 4 * 2 ** 30 },
    versions: {},
    processes: [{ pid: 1, kind: "main", label: "main" }],
    warnings: [],
  };
  const profile = {
    run,
    files: Array.from({ length: files }, (_, file) => measuredFile(file)),
    byProcess: new Map(),
    metrics: new Set(["rss", "cuda", "system"]),
    cuda: new Map(),
    phases: [],
    complete: true,
  };
  const samples = Array.from({ length: 20_000 }, (_, at) => ({
    t: at * 200,
    rss: 2 ** 29 + bytes(),
    memAvailable: 2 ** 30,
  }));
  const keeping = { label: { tags: [], pinned: false }, problems: [] };
  const byLine = { profile, samples, rssPeak: 2 ** 30, sources, keeping, heaps: [], problems: [] };
  const massifRun = { ...run, engine: { name: "massif", exact: false, accelerator: false } };
  const underMassif = {
    ...byLine,
    profile: { ...profile, run: massifRun, metrics: new Set(["rss"]) },
    heaps: [heap()],
  };

  const lines = profile.files.reduce((sum, file) => sum + file.lines.length, 0);
  return { byLine, underMassif, lines, nodes: underMassif.heaps[0].stacks.frame.length };
}

/** Bytes, and seconds of CPU time. */
function measure(content) {
  const start = process.cpuUsage();
  let size = 0;
  for (const piece of content()) size += typeof piece === "string" ? Buffer.byteLength(piece) : piece.length;
  const { user, system } = process.cpuUsage(start);
  return { size, seconds: (user + system) / 1e6 };
}

/** By name; the size is the same each time. */
const EXPORTS = {
  "HTML report": ({ byLine }) => exportWhole(byLine, "html", {}).content,
  "HTML report, massif": ({ underMassif }) => exportWhole(underMassif, "html", {}).content,
  ...Object.fromEntries(
    ["markdown", "csv", "pprof", "speedscope", "heapprofile", "memory_profiler"].map((format) => [
      format,
      ({ byLine }) => exportWhole(byLine, format, {}).content,
    ]),
  ),
  json: ({ byLine }) => jsonExport(byLine, []).content,
  ...Object.fromEntries(
    ["pprof", "speedscope", "heapprofile"].map((format) => [
      `${format}, massif`,
      ({ underMassif }) => exportWhole(underMassif, format, {}).content,
    ]),
  ),
};

const made = (options.quick ? [5] : [5, 50]).map(madeUpRuns);
const rounds = options.quick ? 1 : Number(options.rounds);
const measured = made.map((runs) =>
  Object.fromEntries(
    Object.entries(EXPORTS).map(([name, content]) => [
      name,
      Array.from({ length: rounds }, () => measure(() => content(runs))),
    ]),
  ),
);
const { lines, nodes } = made.at(-1);
console.log(`${lines} measured lines; massif's peak has ${nodes} nodes`);
for (const [name, each] of Object.entries(measured.at(-1))) {
  const seconds = Math.min(...each.map((round) => round.seconds));
  console.log(`${name.padEnd(28)} ${(each[0].size / MIB).toFixed(2).padStart(8)} MiB  ${seconds.toFixed(2)} s CPU`);
}
const rows = rowsOf().filter(({ row }) => positionals.length === 0 || positionals.includes(row));
if (options.out) writeRows(options.out, rows);
const sizes = ["HTML report", "HTML report, massif"].map((name) => measured.at(-1)[name][0].size);
if (options.check && Math.max(...sizes) > MOST_MIB * MIB) process.exitCode = 1;

function rowsOf() {
  const command = "node bench/formats/report.mjs";
  const size = (row, title, name, unit, counts) => ({
    row,
    title,
    measures: "Size of the file",
    unit: "MiB",
    better: "less",
    ours: "ours",
    goal: { kind: "bound", atMost: MOST_MIB, at: counts.at(-1) },
    work: { unit, sizes: counts },
    contestants: [{ name: "ours", version, command, runs: measured.map((each) => [each[name][0].size / MIB]) }],
  });
  const lineCounts = made.map((runs) => runs.lines);
  return [
    size("formats/html-lines", "HTML report of a run by line", "HTML report", "measured lines", lineCounts),
    size(
      "formats/html-massif",
      "HTML report of a run under massif",
      "HTML report, massif",
      "nodes of the peak",
      made.map((runs) => runs.nodes),
    ),
    {
      row: "formats/time",
      title: "Exports: time",
      measures: "CPU time until the whole file is written",
      unit: "s",
      better: "less",
      ours: "HTML report",
      work: { unit: "measured lines", sizes: lineCounts },
      contestants: Object.keys(EXPORTS).map((name) => ({
        name,
        version,
        command,
        runs: measured.map((each) => each[name].map(({ seconds }) => seconds)),
        notes: `${measured.map((each) => `${(each[name][0].size / MIB).toFixed(1)} MiB`).join("; ")}`,
      })),
      notes: `The formats are not held against each other: each says something else. Under massif: ${nodes} nodes`,
    },
  ];
}
