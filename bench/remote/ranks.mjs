/**
 * What ranks cost: how much CPU time each one of 1, 2, 4 and 16 takes more than without measuring, and how long it takes
 * from the last one's end until the run is at home. All of a run start at once, each executes 400 lines that keep memory
 * and a loop; the launcher is a shell script. In turns, on this machine. `--rounds N`; `--check` fails where collecting
 * 16 takes more than twice what collecting one does, or each of them costs more than the bar.
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { CHECK, readOptions } from "../support/options.mjs";
import { prepareRuns } from "./ourRuns.mjs";
import { median } from "./rounds.mjs";

const COLLECTING_BAR = 2;
/** Of a rank's added CPU time to that of a run that has one rank. */
const COST_BAR = 1.25;
const RANKS = [1, 2, 4, 16];
const { options } = readOptions({ ...CHECK, rounds: { type: "string", default: "5" } });

const LAUNCHER = `count=$1; shift
for rank in $(seq 0 $((count - 1))); do
    RANK=$rank WORLD_SIZE=$count "$@" &
done
wait
`;
const SCRIPT = `import os, time
began = time.process_time()
${Array.from({ length: 400 }, (_, at) => `kept${at} = bytearray(8192)`).join("\n")}
total = 0
for turn in range(300000):
    total += turn
with open(os.environ["TIMES"], "a") as times:
    times.write("%f\\n" % (time.process_time() - began))
`;

const RUNS = `
  import { readFileSync, rmSync, statSync } from "node:fs";
  import { join } from "node:path";
  import { profileRun } from "./src/remote/run/profileRun.ts";
  async function main() {
    const [ranks, projectFolder, scratch, helperFolder, TIMES] = process.argv.slice(2);
    const runsFolder = join(scratch, "runs");
    const request = {
      target: { kind: "local" }, projectFolder, entry: { kind: "script", path: "script.py" }, args: [], engine: "line",
      launch: ["sh", "launch.sh", ranks, "/usr/bin/python3"], exact: false, accelerator: true, environment: { TIMES },
      excludes: [], python: "/usr/bin/python3", boardFolder: join(scratch, "board"), runsFolder,
      outputLimit: 1 << 20, momentsIntervalMs: 1000,
    };
    const deps = { acceptRisk: async () => true, maySend: async () => true, helperFolder, onEvent() {} };
    const outcome = await profileRun(request, deps).done;
    const done = Date.now();
    if (outcome.kind !== "finished") throw outcome.error ?? new Error(outcome.kind);
    const run = JSON.parse(readFileSync(join(outcome.folder, "run.json"), "utf8"));
    const seen = new Set(run.processes.map(({ rank }) => rank)).size;
    if (seen !== Number(ranks)) throw new Error(\`\${seen} ranks were measured\`);
    console.log(JSON.stringify({ collectedMs: done - Date.parse(run.ended), bytes: statSync(join(outcome.folder, "lines.jsonl")).size }));
    rmSync(outcome.folder, { recursive: true });
  }
  void main();`;

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-bench-"));
const times = path.join(scratch, "times");
const env = { ...process.env, PATH: "/usr/sbin:/usr/bin:/sbin:/bin", TIMES: times };

/** @returns CPU seconds of each rank */
function timed(run) {
  fs.rmSync(times, { force: true });
  run();
  return fs.readFileSync(times, "utf8").trim().split("\n").map(Number);
}

function called(program, words) {
  const done = spawnSync(program, words, { encoding: "utf8", env, cwd: path.join(scratch, "project") });
  if (done.status !== 0) throw new Error(`${done.stderr}${done.stdout}`);
  return done.stdout;
}

try {
  const { program, project, helper } = await prepareRuns(RUNS, { "script.py": SCRIPT, "launch.sh": LAUNCHER }, scratch);
  const found = new Map(RANKS.map((ranks) => [ranks, { bare: [], measured: [], collected: [], bytes: 0 }]));
  for (let round = -1; round < Number(options.quick ? "1" : options.rounds); round++) {
    for (const [ranks, row] of found) {
      const bare = timed(() => called("sh", ["launch.sh", String(ranks), "/usr/bin/python3", "script.py"]));
      let said = "";
      const measured = timed(() => {
        said = called(process.execPath, [program, String(ranks), project, scratch, helper, times]);
      });
      // The first installs the helper.
      if (round < 0) continue;
      const { collectedMs, bytes } = JSON.parse(said.trim().split("\n").at(-1));
      row.bare.push(median(bare));
      row.measured.push(median(measured));
      row.collected.push(collectedMs);
      row.bytes = bytes;
    }
  }
  console.log("Medians. CPU: of one rank, with the engine in it.");
  console.log("ranks  CPU bare  CPU measured  added    collecting  line table");
  for (const [ranks, row] of found) {
    row.added = median(row.measured.map((one, at) => one - row.bare[at]));
    const figures = [
      String(ranks).padStart(5),
      `${(1000 * median(row.bare)).toFixed(1)} ms`.padStart(9),
      `${(1000 * median(row.measured)).toFixed(1)} ms`.padStart(13),
      `${(1000 * row.added).toFixed(1)} ms`.padStart(8),
      `${median(row.collected).toFixed(0)} ms`.padStart(11),
      `${(row.bytes / 1024).toFixed(0)} KiB`.padStart(11),
    ];
    console.log(figures.join(" "));
  }
  const most = found.get(16);
  const one = found.get(1);
  const collecting = median(most.collected) / median(one.collected);
  const cost = most.added / one.added;
  console.log(`collecting 16 ranks: ${collecting.toFixed(2)} times one (bar: ${COLLECTING_BAR})`);
  console.log(`a rank of 16 adds ${cost.toFixed(2)} times what one alone does (bar: ${COST_BAR})`);
  if (options.check && (collecting > COLLECTING_BAR || cost > COST_BAR)) process.exitCode = 1;
} finally {
  fs.rmSync(scratch, { recursive: true, force: true });
}
