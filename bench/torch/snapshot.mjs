/**
 * Writes a snapshot of PyTorch's allocator of 200 MB (the same each time, shaped like a training loop's), and one of a
 * tenth of it, and opens them as the language server does, each time in a process of its own: the file read into columns,
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
  const measured = sizes.map((events) => {
    const file = path.join(folder, `allocator.${events}.pickle`);
    run(process.execPath, [generate, file, String(events)]);
    const each = Array.from({ length: rounds }, () => ({
      ours: JSON.parse(run(process.execPath, [open, file])),
      pickle: JSON.parse(run("python3", ["-c", PYTHON, file])),
    }));
    const bytes = fs.statSync(file).size;
    fs.rmSync(file);
    return { bytes, rounds: each };
  });
  const rows = rowsOf(sizes, measured).filter(({ row }) => positionals.length === 0 || positionals.includes(row));
  const last = measured.at(-1);
  const least = (key) => Math.min(...last.rounds.map(({ ours }) => ours[key]));
  console.log(`${(last.bytes / 1e6).toFixed(1)} MB, ${last.rounds[0].ours.events} events`);
  console.log(`opened (document with totals and maximum): ${least("seconds").toFixed(2)} s`);
  console.log(`first picture, 16,000 layers: ${least("picture").toFixed(2)} s more`);
  console.log(`CPU of the whole process: ${least("cpu").toFixed(2)} s`);
  const kept = least("seconds") <= BAR_S;
  console.log(`opened in at most ${BAR_S} s: ${kept ? "kept" : "missed"}`);
  if (options.out) writeRows(options.out, rows);
  if (options.check && !kept) process.exitCode = 1;
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}

function rowsOf(sizes, measured) {
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
    notes: `Files of ${measured.map(({ bytes }) => `${(bytes / 1e6).toFixed(0)} MB`).join(" and ")}, stacks of 55 frames`,
  });
  return [
    {
      row: "torch/snapshot",
      title: "A snapshot of PyTorch's allocator is opened",
      measures: "Time by the clock until the document is there: read, totals, maximum, memory over time",
      unit: "s",
      goal: { kind: "bound", atMost: BAR_S, at: sizes.at(-1) },
      ...figures(({ seconds }) => seconds),
    },
    {
      row: "torch/snapshot-memory",
      title: "A snapshot of PyTorch's allocator: memory",
      measures: "Highest RSS of the process that opens it",
      unit: "MiB",
      ...figures(({ rss }) => rss / MIB),
    },
  ];
}

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
  return stdout;
}
