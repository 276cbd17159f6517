/**
 * What many boards at once cost the computer that collects from them: a process of its own runs a small script on 1, 10,
 * 30 and 100 simulated boards at the same time, each over SSH with a folder of its own, and then reads what a sweep says
 * of all of them. Its memory has the simulated boards' SSH servers in it, so that of real ones is less. `--rounds N`;
 * `--check` fails where memory grows by more than the bar for each board.
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { CHECK, readOptions } from "../support/options.mjs";
import { prepareRuns } from "./ourRuns.mjs";
import { median } from "./rounds.mjs";

const MIB = 2 ** 20;
const BAR_MIB = 8;
const BOARDS = [1, 10, 30, 100];
const { options } = readOptions({ ...CHECK, rounds: { type: "string", default: "3" } });

const SCRIPT = `import time
kept = [bytearray(1 << 20) for _ in range(8)]
print("x" * 10000)
time.sleep(1)
`;

const RUNS = `
  import { join } from "node:path";
  import { profileRun } from "./src/remote/run/profileRun.ts";
  import { readSweepRun } from "./src/sweep/node/readRun.ts";
  import { sweepOf } from "./src/sweep/sweepOf.ts";
  async function main() {
    const [boards, projectFolder, scratch, helperFolder] = process.argv.slice(2);
    const names = Array.from({ length: Number(boards) }, (_, at) => "board-" + at);
    const deps = {
      prompter: { confirmHostKey: async () => true, secret: async () => undefined, keyboardInteractive: async () => undefined },
      acceptRisk: async () => true, maySend: async () => true, mayReach: async () => true, helperFolder, onEvent() {},
    };
    const began = performance.now();
    const outcomes = await Promise.all(names.map((name) => profileRun({
      target: { kind: "loopback" }, projectFolder, entry: { kind: "script", path: "script.py" }, args: [], engine: "line",
      exact: false, accelerator: true, environment: {}, excludes: [], python: "/usr/bin/python3",
      boardFolder: join(scratch, name), runsFolder: join(scratch, "runs"), outputLimit: 1 << 20, momentsIntervalMs: 1000,
    }, deps).done));
    const collected = performance.now();
    const failed = outcomes.find(({ kind }) => kind !== "finished");
    if (failed !== undefined) throw failed.error ?? new Error(failed.kind);
    const rssMost = process.resourceUsage().maxRSS * 1024;
    const runs = await Promise.all(outcomes.map(({ folder }, at) => readSweepRun(folder, { board: names[at] })));
    const sweep = sweepOf({ id: "g", title: "script.py", board: "board", runs });
    const read = performance.now();
    const wrong = sweep.points.filter(({ state, peaks }) => state !== "fits" || !(peaks.rss?.median > 8 << 20));
    if (wrong.length > 0 || sweep.points.length !== names.length) throw new Error(wrong.length + " boards lack a figure");
    console.log(JSON.stringify({ collectedMs: collected - began, readMs: read - collected, rssMost }));
    process.exit(0);
  }
  void main();`;

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-bench-"));
try {
  const { program, project, helper } = await prepareRuns(RUNS, { "script.py": SCRIPT }, scratch);
  const env = { ...process.env, HOME: scratch, PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
  const found = new Map(BOARDS.map((boards) => [boards, []]));
  for (let round = 0; round < Number(options.quick ? "1" : options.rounds); round++) {
    for (const [boards, rows] of found) {
      const place = fs.mkdtempSync(path.join(scratch, "boards-"));
      const done = spawnSync(process.execPath, [program, String(boards), project, place, helper], {
        encoding: "utf8",
        env,
      });
      if (done.status !== 0) throw new Error(`${done.stderr}${done.stdout}`);
      rows.push(JSON.parse(done.stdout.trim().split("\n").at(-1)));
      fs.rmSync(place, { recursive: true, force: true });
    }
  }
  console.log("boards  all collected  for each  highest RSS  the table of all");
  for (const [boards, rows] of found) {
    const of = (name) => median(rows.map((row) => row[name]));
    const figures = [
      String(boards).padStart(6),
      `${(of("collectedMs") / 1000).toFixed(1)} s`.padStart(14),
      `${(of("collectedMs") / boards / 1000).toFixed(2)} s`.padStart(9),
      `${(of("rssMost") / MIB).toFixed(0)} MiB`.padStart(12),
      `${of("readMs").toFixed(0)} ms`.padStart(17),
    ];
    console.log(figures.join(" "));
  }
  const rss = (boards) => median(found.get(boards).map(({ rssMost }) => rssMost));
  const [few, many] = [BOARDS[0], BOARDS.at(-1)];
  const each = (rss(many) - rss(few)) / (many - few) / MIB;
  console.log(`each board more: ${each.toFixed(2)} MiB of the collecting process (bar: ${BAR_MIB})`);
  if (options.check && each > BAR_MIB) process.exitCode = 1;
} finally {
  fs.rmSync(scratch, { recursive: true, force: true });
}
