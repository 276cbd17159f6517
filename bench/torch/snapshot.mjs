/**
 * Writes a snapshot of PyTorch's allocator of 200 MB (the same each time, shaped like a training loop's), and one of a
 * tenth of it, and for the rows of their own one of 1 GB, and opens them as the language server does, each time in a process of its own: the file read into columns,
 * then the page's document with totals, maximum and the memory over time, then its first picture. Python's own pickle
 * reads the same files in turn. `--out FILE` takes the rows as bench/README.md says. `--check` fails where a bar is missed
 * in the best round, `--rounds N` counts the rounds, `--quick` opens a small file once.
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { bundleText } from "../../scripts/bundleProgram.mjs";
import { CHECK, readOptions } from "../support/options.mjs";
import { version, writeRows } from "../support/result.mjs";

const MIB = 2 ** 20;
/** The larger one gives a file of a little more than 200 MB. */
const EVENTS = [133_000, 1_330_000];
const BAR_S = 5;
/** The same for a file of 1 GB, which has rows of its own, with at most so much memory. */
const LARGE = [6_650_000];
const LARGE_BAR = { seconds: 15, mib: 1024 };

const { options, names: positionals } = readOptions({ ...CHECK, rounds: { type: "string", default: "3" } });

const GENERATE = `
  import * as fs from "node:fs";
  import { writePickle } from "./src/torch/pickle/testing.ts";
  import { trainingSnapshot } from "./src/torch/snapshot/testing.ts";
  const [file, events] = process.argv.slice(2);
  const handle = fs.openSync(file, "w");
  const value = trainingSnapshot({ seed: 1, events: Number(events), frames: 55, places: 400 });
  writePickle(value, (piece) => fs.writeSync(handle, piece));
  fs.closeSync(handle);`;

const OPEN = `
  import { createSnapshotDocuments } from "./src/server/torch/snapshotDocuments.ts";
  async function main() {
    const [file] = process.argv.slice(2);
    const { signal } = new AbortController();
    const documents = createSnapshotDocuments();
    const began = performance.now();
    const { devices } = await documents.document(file, signal);
    const opened = performance.now();
    const [{ device, events }] = devices;
    const query = { about: "memory", device, from: 0, to: events, layers: 16_000, points: 4_000 };
    await documents.answer(file, query, signal);
    const { user, system } = process.cpuUsage();
    console.log(JSON.stringify({
      events,
      seconds: (opened - began) / 1000,
      picture: (performance.now() - opened) / 1000,
      cpu: (user + system) / 1e6,
      rss: process.resourceUsage().maxRSS * 1024,
    }));
  }
  main();`;

const PYTHON = `
import json, pickle, resource, sys, time
began = time.monotonic()
with open(sys.argv[1], "rb") as file:
    pickle.load(file)
seconds = time.monotonic() - began
print(json.dumps({"seconds": seconds, "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))`;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "snapshot-bench-"));
try {
  const sizes = options.quick ? EVENTS.slice(0, 1) : EVENTS;
  const rounds = options.quick ? 1 : Number(options.rounds);
  const generate = await bundleText(GENERATE, "generate", folder);
  const open = await bundleText(OPEN, "open", folder);
  const wanted = (prefix) =>
    positionals.length === 0 || positionals.some((name) => name === prefix || name === `${prefix}-memory`);
  const measure = (events) => {
    const file = path.join(folder, `allocator.${events}.pickle`);
    run(process.execPath, [generate, file, String(events)]);
    const each = Array.from({ length: rounds }, () => ({
      ours: JSON.parse(run(process.execPath, [open, file])),
      pickle: JSON.parse(run("python3", ["-c", PYTHON, file])),
    }));
    const bytes = fs.statSync(file).size;
    fs.rmSync(file);
    return { bytes, rounds: each };
  };
  const groups = [
    { name: "torch/snapshot", sizes, bar: { seconds: BAR_S } },
    ...(options.quick ? [] : [{ name: "torch/snapshot-large", sizes: LARGE, bar: LARGE_BAR }]),
  ].filter(({ name }) => wanted(name));
  const rows = groups.flatMap((group) => {
    const measured = group.sizes.map(measure);
    if (!report(measured.at(-1), group.bar) && options.check) process.exitCode = 1;
    return rowsOf(group, measured);
  });
  if (options.out) {
    writeRows(
      options.out,
      rows.filter(({ row }) => positionals.length === 0 || positionals.includes(row)),
    );
  }
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}

/** @returns whether the bars are kept in the best round */
function report({ bytes, rounds }, bar) {
  const least = (key) => Math.min(...rounds.map(({ ours }) => ours[key]));
  console.log(`${(bytes / 1e6).toFixed(1)} MB, ${rounds[0].ours.events} events`);
  console.log(`opened (document with totals and maximum): ${least("seconds").toFixed(2)} s`);
  console.log(`first picture, 16,000 layers: ${least("picture").toFixed(2)} s more`);
  console.log(
    `CPU of the whole process: ${least("cpu").toFixed(2)} s, highest RSS ${(least("rss") / MIB).toFixed(0)} MiB`,
  );
  const isQuick = least("seconds") <= bar.seconds;
  console.log(`opened in at most ${bar.seconds} s: ${isQuick ? "kept" : "missed"}`);
  if (bar.mib === undefined) return isQuick;
  const isSmall = least("rss") <= bar.mib * MIB;
  console.log(`in at most ${bar.mib} MiB: ${isSmall ? "kept" : "missed"}`);
  return isQuick && isSmall;
}

function rowsOf({ name, sizes, bar }, measured) {
  const figures = (figure) => ({
    better: "less",
    ours: "ours",
    work: { unit: "events", sizes },
    contestants: [
      {
        name: "ours",
        version,
        command: "node bench/torch/snapshot.mjs",
        runs: measured.map(({ rounds }) => rounds.map(({ ours }) => figure(ours))),
      },
      {
        name: "pickle.load",
        version: run("python3", ["-V"]).replace("Python", "").trim(),
        command: "python3 -c 'import pickle, sys; pickle.load(open(sys.argv[1], \"rb\"))' FILE",
        runs: measured.map(({ rounds }) => rounds.map(({ pickle }) => figure(pickle))),
        notes: "Reads the file only, nothing is worked out",
      },
    ],
    notes: `${measured.length === 1 ? "A file" : "Files"} of ${measured.map(({ bytes }) => `${(bytes / 1e6).toFixed(0)} MB`).join(" and ")}, stacks of 55 frames`,
  });
  const size = name.endsWith("-large") ? " of 1 GB" : "";
  return [
    {
      row: name,
      title: `A snapshot of PyTorch's allocator${size} is opened`,
      measures: "Time by the clock until the document is there: read, totals, maximum, memory over time",
      unit: "s",
      goal: { kind: "bound", atMost: bar.seconds, at: sizes.at(-1) },
      ...figures(({ seconds }) => seconds),
    },
    {
      row: `${name}-memory`,
      title: `A snapshot of PyTorch's allocator${size}: memory`,
      measures: "Highest RSS of the process that opens it",
      unit: "MiB",
      ...(bar.mib === undefined ? {} : { goal: { kind: "bound", atMost: bar.mib, at: sizes.at(-1) } }),
      ...figures(({ rss }) => rss / MIB),
    },
  ];
}

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
  return stdout;
}
