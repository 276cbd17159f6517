/**
 * What a run in a container takes longer than the same run outside, by the clock, from the request to the end: a script
 * that does next to nothing, on this machine, in turns. podman's containers are those of the tests (no network, storage
 * of their own). `--rounds N`; `--check` fails where the medians lie further apart than the bar.
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { bundleText } from "../../scripts/bundleProgram.mjs";
import { CHECK, readOptions } from "../support/options.mjs";

const BAR_S = 1;
const { options } = readOptions({ ...CHECK, rounds: { type: "string", default: "9" } });

const RUNS = `
  import { mkdirSync, writeFileSync } from "node:fs";
  import { join } from "node:path";
  import { parseInside } from "./src/remote/container/place.ts";
  import { profileRun } from "./src/remote/run/profileRun.ts";
  import { containerEngine } from "./test/support/containers.ts";
  async function main() {
    const [rounds, scratch, helperFolder] = process.argv.slice(2);
    const engine = containerEngine();
    if (engine === undefined) throw new Error("no container can be started here");
    const taken = { outside: [], container: [], image: [] };
    try {
      const projectFolder = join(scratch, "project");
      mkdirSync(projectFolder);
      writeFileSync(join(projectFolder, "script.py"), "kept = bytearray(20 << 20)\\n");
      const request = {
        target: { kind: "local" }, projectFolder, entry: { kind: "script", path: "script.py" }, args: [], engine: "line",
        exact: false, accelerator: true, environment: {}, excludes: [], python: "/usr/bin/python3",
        boardFolder: join(scratch, "board"), runsFolder: join(scratch, "runs"), outputLimit: 1 << 20, momentsIntervalMs: 1000,
      };
      const deps = { acceptRisk: async () => true, maySend: async () => true, helperFolder, onEvent() {} };
      const places = {
        outside: {},
        container: { inside: parseInside("container:" + engine.idle()) },
        image: { inside: parseInside("image:" + engine.image) },
      };
      for (let round = -1; round < Number(rounds); round++) {
        for (const [place, inside] of Object.entries(places)) {
          const began = performance.now();
          const outcome = await profileRun({ ...request, ...inside }, deps).done;
          const seconds = (performance.now() - began) / 1000;
          if (outcome.kind !== "finished") throw outcome.error ?? new Error(outcome.kind);
          // The first installs the helper.
          if (round >= 0) taken[place].push(seconds);
        }
      }
    } finally {
      await engine.close();
    }
    console.log(JSON.stringify(taken));
  }
  void main();`;

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-bench-"));
try {
  const program = await bundleText(RUNS, "runs", scratch);
  const helper = fileURLToPath(new URL("../../python-helper", import.meta.url));
  const words = [program, options.quick ? "2" : options.rounds, scratch, helper];
  // The board's Python is the system's in each case: outside it is named, and a shim that is found first takes 0.2 s more.
  const env = { ...process.env, PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
  const done = spawnSync(process.execPath, words, { encoding: "utf8", env });
  if (done.status !== 0) throw new Error(done.stderr);
  const taken = JSON.parse(done.stdout.trim().split("\n").at(-1));
  const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
  const outside = median(taken.outside);
  console.log(`outside: ${outside.toFixed(2)} s (${taken.outside.length} runs)`);
  let missed = false;
  for (const place of ["container", "image"]) {
    const more = median(taken[place]) - outside;
    missed ||= more > BAR_S;
    console.log(`${place}: ${median(taken[place]).toFixed(2)} s, ${more.toFixed(2)} s more (bar: ${BAR_S} s)`);
  }
  if (options.check && missed) process.exitCode = 1;
} finally {
  fs.rmSync(scratch, { recursive: true, force: true });
}
