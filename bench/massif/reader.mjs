/**
 * Reads a massif.out file of 50 MB with ms_print and with this project's reader, each in a process of its own, and
 * compares the least CPU time of the rounds (all threads, the start of Node or Perl included). "running": the third time
 * in one process, as in a language server that runs already, which is how the product reads. `--check` fails where a
 * file is not opened (index, then the peak's tree) ten times faster in such a process than ms_print reads it, or where
 * any way of reading takes more memory than the bar. `--file FILE` takes a real file instead, `--rounds N` counts the
 * rounds.
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as esbuild from "esbuild";
import { massifOut } from "./generate.mjs";

const MB = 1e6;
const MIB = 2 ** 20;
const SIZE = 50 * MB;
const BARS = { ratio: 10, rss: 250 * MIB };

const { values: options } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    file: { type: "string" },
    rounds: { type: "string", default: "3" },
  },
});
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "massif-reader-"));
try {
  const file = options.file ?? generate(path.join(folder, "massif.out.1"));
  const program = bundle(path.join(folder, "read.cjs"));
  const msPrint = best(Number(options.rounds), () => runMsPrint(file));
  const all = best(Number(options.rounds), () => read(program, file, "all"));
  const peak = best(Number(options.rounds), () => read(program, file, "peak"));
  const index = best(Number(options.rounds), () => read(program, file, "none"));

  console.log(
    `${(fs.statSync(file).size / MB).toFixed(1)} MB, ${all.snapshots} snapshots, ${all.nodes} nodes in ${all.trees} trees`,
  );
  const columns = (name, ...cells) => console.log(name.padEnd(28), ...cells.map((cell) => cell.padStart(10)));
  columns("", "CPU s", "ms_print /", "running s", "ms_print /", "RSS MiB");
  columns("ms_print", msPrint.seconds.toFixed(2));
  const rows = { "index, then every tree": all, "index, then the peak's tree": peak, "index only": index };
  for (const [name, { seconds, running, rss }] of Object.entries(rows)) {
    const ratio = (time) => `${(msPrint.seconds / time).toFixed(1)}x`;
    columns(name, seconds.toFixed(2), ratio(seconds), running.toFixed(2), ratio(running), (rss / MIB).toFixed(0));
  }
  const verdicts = {
    [`a file is opened at least ${BARS.ratio}x faster than by ms_print, in a running process`]:
      msPrint.seconds / peak.running >= BARS.ratio,
    [`at most ${BARS.rss / MIB} MiB RSS`]: Object.values(rows).every(({ rss }) => rss <= BARS.rss),
  };
  for (const [bar, kept] of Object.entries(verdicts)) console.log(`${bar}: ${kept ? "kept" : "missed"}`);
  if (options.check && Object.values(verdicts).includes(false)) process.exitCode = 1;
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}

function generate(file) {
  const output = fs.openSync(file, "w");
  for (const piece of massifOut(SIZE)) fs.writeSync(output, piece);
  fs.closeSync(output);
  return file;
}

/** A program that reads a file and prints its own figures. */
function bundle(outfile) {
  const source = `
    import { openMassif } from "./src/massif/node/massifSource.ts";
    const [file, which, times] = process.argv.slice(2);
    async function read() {
      const source = await openMassif(file);
      let nodes = 0, trees = 0;
      for (const [index, { tree }] of source.file.snapshots.entries()) {
        if (tree.kind === "none" || which === "none" || (which === "peak" && tree.kind !== "peak")) continue;
        nodes += (await source.tree(index)).label.length;
        trees++;
      }
      if (source.file.problems.length > 0) throw new Error(JSON.stringify(source.file.problems[0]));
      return { snapshots: source.file.snapshots.length, nodes, trees };
    }
    async function main() {
      let figures, running;
      for (let time = 0; time < Number(times); time++) {
        const began = process.cpuUsage();
        figures = await read();
        const { user, system } = process.cpuUsage(began);
        running = (user + system) / 1e6;
      }
      console.log(JSON.stringify({ ...figures, running, rss: process.resourceUsage().maxRSS * 1024 }));
    }
    main();`;
  esbuild.buildSync({
    stdin: { contents: source, resolveDir: fileURLToPath(new URL("../..", import.meta.url)), loader: "ts" },
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    outfile,
    logLevel: "warning",
  });
  return outfile;
}

function best(rounds, run) {
  let fastest;
  for (let round = 0; round < rounds; round++) {
    const figures = run();
    const rss = Math.max(figures.rss ?? 0, fastest?.rss ?? 0);
    const least = (key) => Math.min(figures[key], fastest?.[key] ?? figures[key]);
    fastest = { ...figures, rss, seconds: least("seconds"), running: least("running") };
  }
  return fastest;
}

function runMsPrint(file) {
  return { seconds: timed("ms_print", [file], "/dev/null").seconds };
}

function read(program, file, which) {
  const output = path.join(folder, "figures.json");
  const figures = (times) => {
    const { seconds } = timed(process.execPath, [program, file, which, String(times)], output);
    return { ...JSON.parse(fs.readFileSync(output, "utf8")), seconds };
  };
  const [fresh, warm] = [figures(1), figures(3)];
  return { ...warm, seconds: fresh.seconds, rss: Math.max(fresh.rss, warm.rss) };
}

/** @returns CPU seconds of the program, as the shell's `times` gives them for its children */
function timed(command, args, output) {
  const script = '"$@" >"$OUTPUT" 2>/dev/null && times';
  const { status, stdout } = spawnSync("sh", ["-c", script, "sh", command, ...args], {
    encoding: "utf8",
    env: { ...process.env, OUTPUT: output },
  });
  if (status !== 0) throw new Error(`${command} ended with ${status}.`);
  const children = stdout.trim().split("\n").at(-1) ?? "";
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => 60 * Number(minutes) + Number(rest),
  );
  return { seconds: seconds.reduce((sum, part) => sum + part, 0) };
}
