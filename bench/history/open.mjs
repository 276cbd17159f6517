/**
 * How long the language server takes to list a project of 1,000 runs, and of a tenth of them: the request
 * jetsonMemprof/runs of a server that has just started, without and with the index of an earlier one, and again in the
 * same server. The disk's cache is warm, as the runs were just written. `--out FILE` takes the rows as bench/README.md
 * says. `--check` fails where opening a history that was opened before takes more than the bar in the best round, as what
 * else the machine does only adds to it; `--runs N` takes another number of runs, `--rounds N` counts the rounds,
 * `--quick` is 100 runs in two rounds.
 */
import { fork } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { bundlePrograms } from "../../scripts/bundleProgram.mjs";
import { CHECK, readOptions } from "../support/options.mjs";
import { version, writeRows } from "../support/result.mjs";
import { makeRuns } from "./makeRuns.mjs";

const BAR_MS = 200;
const { options, names: positionals } = readOptions({
  ...CHECK,
  runs: { type: "string", default: "1000" },
  rounds: { type: "string", default: "7" },
});
const most = options.quick ? 100 : Number(options.runs);
const rounds = options.quick ? 2 : Number(options.rounds);
const sizes = [most / 10, most];
const CASES = [
  { name: "opened", title: "A history opened by a server that has just started", bar: BAR_MS },
  { name: "again", title: "A history asked for again", bar: BAR_MS },
  { name: "first", title: "A history opened for the first time, without an index" },
];

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "history-"));
try {
  await bundlePrograms({ server: "src/server/main.ts" }, folder);
  const projects = sizes.map((count) => ({ count, runs: makeRuns(path.join(folder, `project-${count}`), count) }));
  // A run that changed in the last seconds is not trusted to look different when it changes again.
  await new Promise((resolve) => setTimeout(resolve, 3_500));
  const times = projects.map(() => ({ first: [], opened: [], again: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const [at, project] of projects.entries()) {
      fs.rmSync(path.join(path.dirname(project.runs), "runs-index.json"), { force: true });
      times[at].first.push((await list(project, 1))[0]);
      const [opened, again] = await list(project, 2);
      times[at].opened.push(opened);
      times[at].again.push(again);
    }
  }
  const rows = CASES.map(({ name, title, bar }) => ({
    row: `history/${name}`,
    title,
    measures: "Time by the clock until the language server's answer is here",
    unit: "ms",
    better: "less",
    ours: "ours",
    ...(bar === undefined ? {} : { goal: { kind: "bound", atMost: bar, at: most } }),
    work: { unit: "runs", sizes },
    contestants: [
      { name: "ours", version, command: "node bench/history/open.mjs", runs: times.map((each) => each[name]) },
    ],
    notes: "The disk's cache is warm",
  })).filter(({ row }) => positionals.length === 0 || positionals.includes(row));
  const least = (name) => Math.min(...times[1][name]);
  for (const { name, title } of CASES) console.log(`${title}, ${most} runs: at least ${least(name).toFixed(0)} ms`);
  if (options.out) writeRows(options.out, rows);
  if (options.check && Math.max(least("opened"), least("again")) > BAR_MS) process.exitCode = 1;
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}

/** Milliseconds of each of the `times` requests to one server. */
async function list({ runs, count }, times) {
  const server = fork(path.join(folder, "server.cjs"), ["--node-ipc"], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const waiting = new Map();
  server.on("message", ({ id, result, error }) => {
    if (error) console.error(error);
    waiting.get(id)?.(result);
  });
  let last = 0;
  const ask = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++last, resolve);
      server.send({ jsonrpc: "2.0", id: last, method, params });
    });
  try {
    await ask("initialize", { processId: process.pid, rootUri: null, capabilities: {} });
    server.send({ jsonrpc: "2.0", method: "initialized", params: {} });
    const taken = [];
    for (let time = 0; time < times; time++) {
      const began = performance.now();
      const entries = await ask("jetsonMemprof/runs", { folders: [runs] });
      taken.push(performance.now() - began);
      if (entries.length !== count) throw new Error(`${entries.length} of ${count} runs were listed`);
    }
    await ask("shutdown");
    return taken;
  } finally {
    server.kill();
  }
}
