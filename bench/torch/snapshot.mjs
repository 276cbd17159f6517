/**
 * Writes a snapshot of PyTorch's allocator of 200 MB (the same each time, shaped like a training loop's) and opens it as
 * the language server does, each time in a process of its own: the file read into columns, then the page's document with
 * totals, maximum and the memory over time, then its first picture. Prints the time until the document is there and the
 * highest RSS, the best of the rounds. `--check` fails where a bar is missed, `--file FILE` takes a real file, `--rounds
 * N` counts the rounds, `--compare` also reads it with Python's own pickle.
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as esbuild from "esbuild";

const MB = 1e6;
const MIB = 2 ** 20;
/** Gives a file of a little more than 200 MB. */
const EVENTS = 1_330_000;
const BARS = { seconds: 5 };

const { values: options } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    compare: { type: "boolean", default: false },
    file: { type: "string" },
    rounds: { type: "string", default: "3" },
  },
});

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
import pickle, resource, sys, time
began = time.monotonic()
with open(sys.argv[1], "rb") as file:
    pickle.load(file)
rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print("%.2f s, RSS %.0f MiB, without any figure worked out" % (time.monotonic() - began, rss))`;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "snapshot-bench-"));
try {
  const file = options.file ?? generate();
  const program = bundle("open.cjs", OPEN);
  const rounds = Array.from({ length: Number(options.rounds) }, () =>
    JSON.parse(run(process.execPath, [program, file])),
  );
  const least = (key) => Math.min(...rounds.map((round) => round[key]));
  const rss = Math.max(...rounds.map((round) => round.rss));
  console.log(`${(fs.statSync(file).size / MB).toFixed(1)} MB, ${rounds[0].events} events`);
  console.log(`opened (document with totals and maximum): ${least("seconds").toFixed(2)} s`);
  console.log(`first picture, 16,000 layers: ${least("picture").toFixed(2)} s more`);
  console.log(`CPU of the whole process: ${least("cpu").toFixed(2)} s; RSS ${(rss / MIB).toFixed(0)} MiB`);
  if (options.compare) console.log(`Python's pickle.load: ${run("python3", ["-c", PYTHON, file]).trim()}`);
  const kept = least("seconds") <= BARS.seconds;
  console.log(`opened in at most ${BARS.seconds} s: ${kept ? "kept" : "missed"}`);
  if (options.check && !kept) process.exitCode = 1;
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}

function generate() {
  const file = path.join(folder, "allocator.1.0.pickle");
  run(process.execPath, [bundle("generate.cjs", GENERATE), file, String(EVENTS)]);
  return file;
}

function bundle(name, contents) {
  const outfile = path.join(folder, name);
  esbuild.buildSync({
    stdin: { contents, resolveDir: fileURLToPath(new URL("../..", import.meta.url)), loader: "ts" },
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    outfile,
    logLevel: "warning",
  });
  return outfile;
}

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
  return stdout;
}
