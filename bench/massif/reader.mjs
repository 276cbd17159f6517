/**
 * Reads a massif.out file of 50 MB, and one of 5 MB, with ms_print, with massif-visualizer's parser where it can be built,
 * and with this project's reader, in turns. CPU seconds of all threads. Everybody checks that all snapshots were found.
 *
 *   massif-read/open       every line checked, then the peak's tree, in a process that runs already and has read it
 *                          three times before, as a language server does that has been in use
 *   massif-read/first      the same for the first file that such a process opens
 *   massif-read/fresh      the same in a process of its own, the start of Node included, as in a terminal
 *   massif-read/all-trees  every line checked, then every tree, in a process of its own
 *
 * The peers read every tree in a process of their own: they have no other way. `--file FILE` takes a real file instead.
 * `--out FILE`, `--rounds N`, `--quick` and names of rows as bench/README.md says; `--check` fails where a goal is missed.
 */
import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { bundleText } from "../../scripts/bundleProgram.mjs";
import { absentOf, environmentOf, versionsOf } from "../peers/peers.mjs";
import { CHECK, readOptions } from "../support/options.mjs";
import { version, writeRows } from "../support/result.mjs";
import { massifOut } from "./generate.mjs";

const MB = 1e6;
const SIZES = [5 * MB, 50 * MB];
const QUICK_SIZES = [1 * MB];
const GOAL = 15;
const OURS = "jetson-memprof";
const MS_PRINT = "ms_print";
const VISUALIZER = "massif-visualizer";
const ROWS = {
  "massif-read/open": {
    title: "Opening a file, in a process that runs",
    measures:
      "CPU seconds to check every line and read the peak's tree, in a process that has read it three times before",
  },
  "massif-read/first": {
    title: "The first file that a process opens",
    measures: "CPU seconds to check every line and read the peak's tree, for the first time in a process that runs",
  },
  "massif-read/fresh": {
    title: "Opening a file, in a process of its own",
    measures: "CPU seconds of the whole process, its start included, that checks every line and reads the peak's tree",
  },
  "massif-read/all-trees": {
    title: "Reading every tree, in a process of its own",
    measures: "CPU seconds of the whole process, its start included, that checks every line and reads every tree",
  },
};

const NOTES = [
  "ms_print also formats the tables and trees that it prints; ours keeps them as arrays for the flame graph, without text.",
  "The file is made up, the same each time, shaped like a PyTorch run at --threshold=0.01: a tree with every second snapshot.",
];

/** Why a row is behind. */
const WHY = {
  open: [],
  first: ["About half of the time V8 compiles the reader, while it reads: the same code then takes half as long."],
  fresh: ["Starting Node takes 0.05 to 0.08 s, and V8 compiles the reader while it reads."],
  all: [
    "Trees are read when they are shown: the file is gone over once to check it and once more for its trees.",
    "massif-visualizer's parser is compiled beforehand, reads the file once and does not check that sums add up.",
  ],
};

const { options, names: positionals } = readOptions({ ...CHECK, file: { type: "string" } });
const names = positionals.length > 0 ? positionals : Object.keys(ROWS);
const unknown = names.filter((name) => !(name in ROWS));
if (unknown.length > 0)
  throw new Error(`There is no row ${unknown.join(", ")}; there are ${Object.keys(ROWS).join(", ")}.`);
const rounds = Number(options.rounds ?? (options.quick ? 1 : 5));

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "massif-reader-"));
try {
  const program = await bundleText(reading(), "read", folder);
  const files = options.file !== undefined ? [options.file] : (options.quick ? QUICK_SIZES : SIZES).map(generate);
  const sizes = files.map((file) => fs.statSync(file).size / MB);
  const found = [];
  for (const file of files) found.push(await measured(program, file));
  const rows = names.map((name) => row(name, sizes, found));
  if (options.out !== undefined) writeRows(options.out, rows);
  for (const { row: name, contestants } of rows) {
    const medians = contestants.map((each) => `${each.name} ${median(each.runs[each.runs.length - 1]).toFixed(3)} s`);
    console.log(`${name.padEnd(24)} ${medians.join("  ")}  ${ratio(contestants).toFixed(1)} x`);
  }
  if (options.check && rows.some((each) => ratio(each.contestants) < GOAL)) process.exitCode = 1;
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}

function generate(size) {
  const file = path.join(folder, `massif.out.${size}`);
  const output = fs.openSync(file, "w");
  for (const piece of massifOut(size)) fs.writeSync(output, piece);
  fs.closeSync(output);
  return file;
}

/** A program that reads a file as often as it is asked to on its input, and answers with its CPU seconds. */
function reading() {
  return `
    import { createInterface } from "node:readline";
    import { openMassif } from "./src/massif/node/massifSource.ts";
    const [file, which] = process.argv.slice(2);
    async function read() {
      const source = await openMassif(file);
      let nodes = 0;
      for (const [index, { tree }] of source.file.snapshots.entries()) {
        if (tree.kind === "peak" || (which === "all" && tree.kind !== "none")) nodes += (await source.tree(index)).label.length;
      }
      if (source.file.problems.length > 0) throw new Error(JSON.stringify(source.file.problems[0]));
      return { snapshots: source.file.snapshots.length, nodes };
    }
    async function main() {
      for await (const _ of createInterface({ input: process.stdin })) {
        const began = process.cpuUsage();
        const figures = await read();
        const { user, system } = process.cpuUsage(began);
        console.log(JSON.stringify({ ...figures, seconds: (user + system) / 1e6 }));
      }
    }
    main();`;
}

/** Seconds of each round by row and contestant, for one file. */
async function measured(program, file) {
  const expected = { snapshots: countOf(file, "snapshot="), nodes: undefined };
  const seconds = { [MS_PRINT]: [], [VISUALIZER]: [], open: [], first: [], fresh: [], all: [] };
  const visualizer = visualizerProgram();
  for (let round = 0; round < rounds; round++) {
    seconds[MS_PRINT].push(spent("ms_print", [file], (out) => checkPrinted(out, expected.snapshots)));
    if (visualizer !== undefined) {
      seconds[VISUALIZER].push(spent(visualizer, [file], (out) => checkCount(Number(out), expected.snapshots)));
    }
    const running = await openedAgain(program, file, expected.snapshots);
    seconds.first.push(running[0]);
    seconds.open.push(running.at(-1));
    for (const [name, which] of [
      ["fresh", "peak"],
      ["all", "all"],
    ]) {
      const check = (out) => checkCount(JSON.parse(out).snapshots, expected.snapshots);
      seconds[name].push(spent(process.execPath, [program, file, which], check, "once\n"));
    }
  }
  return seconds;
}

/** The file opened by one process several times. @returns CPU seconds of each time */
async function openedAgain(program, file, snapshots) {
  const child = spawn(process.execPath, [program, file, "peak"], { stdio: ["pipe", "pipe", "inherit"] });
  const seconds = [];
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  for (let time = 0; time < 4; time++) {
    child.stdin.write("again\n");
    const answer = await answers.next();
    if (answer.done) throw new Error("The reader ended.");
    const figures = JSON.parse(answer.value);
    checkCount(figures.snapshots, snapshots);
    seconds.push(figures.seconds);
  }
  child.stdin.end();
  await new Promise((resolve) => child.on("close", resolve));
  return seconds;
}

/** @returns CPU seconds of the program, as the shell's `times` gives them for its children */
function spent(command, args, check, input = "") {
  const output = path.join(folder, "output");
  const { status, stdout, stderr } = spawnSync("sh", ["-c", '"$@" >"$OUTPUT" && times', "sh", command, ...args], {
    encoding: "utf8",
    input,
    env: { ...process.env, OUTPUT: output },
  });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
  check(fs.readFileSync(output, "latin1"));
  const children = stdout.trim().split("\n").at(-1) ?? "";
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, minutes, rest]) => sum + 60 * minutes + +rest, 0);
}

function countOf(file, beginning) {
  return fs.readFileSync(file, "latin1").split(`\n${beginning}`).length - 1;
}

/** Each line of ms_print's tables begins with a snapshot's number. */
function checkPrinted(text, snapshots) {
  checkCount(
    new Set([...text.matchAll(/^ +(\d+) +[\d,]+ +[\d,]+ +[\d,]+ +[\d,]+ +[\d,]+$/gm)].map(([, n]) => n)).size,
    snapshots,
  );
}

function checkCount(found, snapshots) {
  if (found !== snapshots) throw new Error(`${found} of ${snapshots} snapshots were read.`);
}

function visualizerProgram() {
  return versionsOf(VISUALIZER)[VISUALIZER] === undefined
    ? undefined
    : path.join(environmentOf(VISUALIZER), "bin/massif-parse");
}

function row(name, sizes, found) {
  const kind = { "massif-read/all-trees": "all" }[name] ?? name.split("/")[1];
  const ofKind = (which) => found.map((seconds) => seconds[which]);
  const visualizer = versionsOf(VISUALIZER)[VISUALIZER];
  return {
    row: name,
    ...ROWS[name],
    unit: "s",
    better: "less",
    ours: OURS,
    // Judged at the larger file: what a process does once counts less there.
    goal: [MS_PRINT, VISUALIZER].map((than) => ({ kind: "factor", than, atMost: 1 / GOAL, at: sizes.at(-1) })),
    work: { unit: "MB of massif.out", sizes },
    contestants: [
      { name: OURS, version, command: `node bench/massif/reader.mjs ${name}`, runs: ofKind(kind) },
      { name: MS_PRINT, version: msPrintVersion(), command: "ms_print FILE", runs: ofKind(MS_PRINT) },
      ...(visualizer === undefined
        ? []
        : [{ name: VISUALIZER, version: visualizer, command: "massif-parse FILE", runs: ofKind(VISUALIZER) }]),
    ],
    notes: [...NOTES, ...WHY[kind]],
    absent: Object.entries(absentOf(VISUALIZER)).map(([peer, why]) => ({ name: peer, why })),
  };
}

function msPrintVersion() {
  return spawnSync("valgrind", ["--version"], { encoding: "utf8" }).stdout.trim().replace("valgrind-", "");
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** ms_print's time by ours, for the larger file. */
function ratio([ours, msPrint]) {
  return median(msPrint.runs.at(-1)) / median(ours.runs.at(-1));
}
