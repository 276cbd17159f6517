/**
 * Writes two runs of 50 files with 20,000 measured lines, the second with its sources edited, and compares them as the
 * command and the language server do, from the run folders to the comparison, each time in a process of its own; then the
 * same for ten times as many lines. `--out FILE` takes the rows as bench/README.md says. `--check` fails where the first
 * comparison takes longer than the bar in the best process, by the clock, or by the processor's time where that is less:
 * the machine may be busy. `--rounds N` counts the processes, `--quick` are two of them and the small runs.
 */
import { spawnSync } from "node:child_process";
import * as crypto from "node:crypto";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { bundleText } from "../../scripts/bundleProgram.mjs";
import { CHECK, readOptions } from "../support/options.mjs";
import { version, writeRows } from "../support/result.mjs";

const BAR_MS = 300;
const SIZES = [
  { files: 50, lines: 20_000 },
  { files: 500, lines: 200_000 },
];
/** Comparisons in one process. */
const TIMES = 4;

const { options, names: positionals } = readOptions({ ...CHECK, rounds: { type: "string", default: "5" } });

const COMPARE = `
  import { compareFolders } from "./src/compare/node/compareFolders.ts";
  async function main() {
    const [before, after, rounds] = process.argv.slice(2);
    const times = [];
    let comparison;
    for (let round = 0; round < Number(rounds); round++) {
      const began = performance.now();
      const busy = process.cpuUsage();
      comparison = await compareFolders({ before: [before], after: [after] }, "rss");
      const { user, system } = process.cpuUsage(busy);
      times.push({ clock: performance.now() - began, processor: (user + system) / 1000 });
    }
    const lines = comparison.files.flatMap((file) => file.lines);
    console.log(JSON.stringify({
      times,
      lines: lines.length,
      more: lines.filter((line) => line.net.verdict === "more").length,
      rss: process.resourceUsage().maxRSS * 1024,
    }));
  }
  void main();`;

const statement = (file, line) =>
  `    value_${line} = compute_${file}(value_${line - 1}, size=${(line * 7919) % 1000})`;

/** @param edit what becomes of a line, by its number */
function writeRun(folder, { files, lines }, edit) {
  const each = lines / files;
  const records = [{ schema: 1, record: "header", run: path.basename(folder) }];
  const rows = [];
  const described = [];
  for (let file = 0; file < files; file++) {
    const name = `package/module_${file}.py`;
    const source = Array.from({ length: each }, (_, at) => edit(file, at + 1)).flat();
    const text = `${source.join("\n")}\n`;
    const sha256 = crypto.createHash("sha256").update(text).digest("hex");
    fs.mkdirSync(path.join(folder, "sources/package"), { recursive: true });
    fs.writeFileSync(path.join(folder, "sources", name), text);
    described.push({ path: name, sha256, source: `sources/${name}` });
    records.push({ record: "file", file, path: name, sha256, lines: source.length, functions: [] });
    for (let line = 1; line <= source.length; line++) {
      const net = /value_\d*00 = /.test(source[line - 1]) ? 8 << 20 : 0;
      const more = source[line - 1].includes("# more") ? 32 << 20 : 0;
      rows.push([file, line, 1, net + more, net + more, net + more, net + more, 500 << 20, 0]);
    }
  }
  // As the helper writes them: some rows at a time.
  for (let at = 0; at < rows.length; at += 200) {
    records.push({ record: "rows", t: at, pid: 10, rows: rows.slice(at, at + 200) });
  }
  records.push({ record: "end", t: lines });
  fs.writeFileSync(path.join(folder, "lines.jsonl"), records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  const run = {
    schema: 1,
    id: path.basename(folder),
    state: "finished",
    engine: { name: "line", exact: false, peak: true, accelerator: true },
    command: { python: "python3", script: "package/module_0.py", args: [] },
    exit: { kind: "exited", code: 0 },
    elapsed_ms: 1000,
    processes: [{ pid: 10, ppid: 9, kind: "main", label: "main", implementation: "accelerator" }],
    files: described,
  };
  fs.writeFileSync(path.join(folder, "run.json"), JSON.stringify(run));
}

/** In every second file two lines are inserted and one of a hundred is edited; some of those take more. */
function edited(file, line) {
  const text = statement(file, line);
  if (file % 2 === 1) return text;
  if (line === 10) return ["    # two new lines", "    more = list(range(10))", text];
  return line % 100 === 50 ? `${text}  # more` : text;
}

/** Of each process. */
function measure(program, scratch, size, rounds) {
  const folders = ["before", "after"].map((name) => path.join(scratch, `${name}-${size.lines}`));
  writeRun(folders[0], size, statement);
  writeRun(folders[1], size, edited);
  return Array.from({ length: rounds }, () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [program, ...folders, String(TIMES)], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  });
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-bench-compare-"));
try {
  const program = await bundleText(COMPARE, "compare", scratch);
  const sizes = options.quick ? SIZES.slice(0, 1) : SIZES;
  const rounds = options.quick ? 2 : Number(options.rounds);
  const measured = sizes.map((size) => measure(program, scratch, size, rounds));
  for (const [at, { files, lines }] of sizes.entries()) {
    const best = measured[at].sort((a, b) => a.times[0].clock - b.times[0].clock)[0];
    const [cold, ...warm] = best.times;
    console.log(
      `${files} files, ${lines} lines each side: first ${cold.clock.toFixed(0)} ms ` +
        `(processor ${cold.processor.toFixed(0)} ms), then ${Math.min(...warm.map(({ clock }) => clock)).toFixed(0)} ms; ` +
        `${best.lines} lines compared, ${best.more} took more; at most ${(best.rss / 2 ** 20).toFixed(0)} MiB`,
    );
  }
  const rows = rowsOf(sizes, measured).filter(({ row }) => positionals.length === 0 || positionals.includes(row));
  if (options.out) writeRows(options.out, rows);
  const first = Math.min(...measured[0].map(({ times: [{ clock, processor }] }) => Math.min(clock, processor)));
  if (first > BAR_MS) console.log(`The first comparison took more than ${BAR_MS} ms.`);
  if (options.check && first > BAR_MS) process.exitCode = 1;
} finally {
  fs.rmSync(scratch, { recursive: true, force: true });
}

function rowsOf(sizes, measured) {
  const figures = (figure) => ({
    better: "less",
    ours: "ours",
    work: { unit: "lines on each side", sizes: sizes.map(({ lines }) => lines) },
    contestants: [
      {
        name: "ours",
        version,
        command: "node bench/compare/diff.mjs",
        runs: measured.map((processes) => processes.map(figure)),
      },
    ],
  });
  const warm = ({ times: [, ...later] }) => Math.min(...later.map(({ clock }) => clock));
  return [
    {
      row: "compare/first",
      title: "The first comparison of two runs in a process",
      measures: "Time by the clock from the run folders to the comparison",
      unit: "ms",
      goal: { kind: "bound", atMost: BAR_MS },
      ...figures(({ times: [{ clock }] }) => clock),
    },
    {
      row: "compare/again",
      title: "Comparisons that follow",
      measures: `Time by the clock, the least of the ${TIMES - 1} that follow in each process`,
      unit: "ms",
      ...figures(warm),
    },
    {
      row: "compare/memory",
      title: "Comparing two runs: memory",
      measures: "Highest RSS of the process",
      unit: "MiB",
      ...figures(({ rss }) => rss / 2 ** 20),
    },
  ];
}
