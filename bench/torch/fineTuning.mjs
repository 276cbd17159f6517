/**
 * What-ifs of fine-tuning against real runs on the CPU: a small language model is profiled as it is, then with each
 * change made for real (fine_tuning.py), and what the account of that run holds stands beside the estimate. Sequences are
 * compared by the measured peak (RSS), all else by the account's bytes. `--python` names one with PyTorch; a model whose
 * libraries it lacks is left out, by name. `--check` fails where a measured figure lies outside the estimate's bounds.
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { bundlePrograms } from "../../scripts/bundleProgram.mjs";
import { CHECK, readOptions } from "../support/options.mjs";

const MIB = 2 ** 20;
const { options, names } = readOptions({ ...CHECK, python: { type: "string", default: "/usr/bin/python3" } });

/** Each with what it needs, and its changes: the what-if, and the arguments that make it real. */
const LORA = [
  ["lora:8", ["--lora", "8"]],
  ["lora:32", ["--lora", "32"]],
];
const LENGTHS = [
  ["sequence:80", ["--length", "80"]],
  ["sequence:320", ["--length", "320"]],
];
const PACKED = [
  ["lora+4bit:8", ["--lora", "8", "--four-bit", "nested"]],
  ["lora+4bit:8", ["--lora", "8", "--four-bit", "plain"]],
  ["8bit-optimizer", ["--optimizer", "bitsandbytes"]],
];
const SCENES = [
  { name: "plain", args: [], needs: [], changes: [...LORA, ["8bit-optimizer", ["--optimizer", "shape"]], ...LENGTHS] },
  { name: "llama", args: ["--net", "llama"], needs: ["transformers", "peft"], changes: [...LORA, ...LENGTHS] },
  { name: "llama-sdpa", args: ["--net", "llama", "--attention", "sdpa"], needs: ["transformers"], changes: LENGTHS },
  { name: "gpt2", args: ["--net", "gpt2"], needs: ["transformers", "peft"], changes: [...LORA, ...LENGTHS] },
  {
    name: "llama-packed",
    args: ["--net", "llama"],
    needs: ["transformers", "peft", "bitsandbytes"],
    changes: PACKED,
  },
  {
    name: "llama-torchao",
    args: ["--net", "llama"],
    needs: ["transformers", "torchao"],
    changes: [["8bit-optimizer", ["--optimizer", "torchao"]]],
  },
];

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-bench-"));
const root = fileURLToPath(new URL("../..", import.meta.url));

function has(module) {
  return spawnSync(options.python, ["-c", `import ${module}`], { stdio: "ignore" }).status === 0;
}

function memprof(...words) {
  const done = spawnSync(process.execPath, [path.join(scratch, "dist/cli.cjs"), ...words, "--json"], {
    cwd: path.join(scratch, "project"),
    encoding: "utf8",
    env: { ...process.env, HOME: scratch },
    maxBuffer: 2 ** 28,
  });
  if (done.status !== 0) throw new Error(`${words.join(" ")}\n${done.stderr}\n${done.stdout.slice(-2000)}`);
  return JSON.parse(done.stdout);
}

function profiled(args) {
  const target = ["--target", "local", "--python", options.python, "--quiet", "--out", path.join(scratch, "runs")];
  return memprof("model", "fine_tuning.py", ...target, ...args);
}

/** What the account of a run holds, of the kind that the what-if is about. */
function held(kind, { layers, optimizers, steps }) {
  const [{ total }] = layers;
  const state = optimizers.reduce((sum, { bytes, other_bytes }) => sum + bytes + other_bytes, 0);
  if (kind === "8bit-optimizer") return state;
  if (kind === "sequence") {
    const later = steps.slice(1).filter((step) => step.memory_peak_bytes !== undefined);
    return Math.max(...later.map((step) => step.memory_peak_bytes - step.memory_before_bytes));
  }
  return total.total_bytes - total.optimizer_bytes + state;
}

let wrong = 0;
try {
  fs.symlinkSync(path.join(root, "python-helper"), path.join(scratch, "python-helper"));
  fs.mkdirSync(path.join(scratch, "project"));
  for (const file of ["bench/torch/fine_tuning.py", "python-helper/tests/model_zoo.py"]) {
    fs.copyFileSync(path.join(root, file), path.join(scratch, "project", path.basename(file)));
  }
  await bundlePrograms({ cli: "src/cli/main.ts" }, path.join(scratch, "dist"));
  console.log("| model | change | now | estimate (bounds) | measured | estimate is off by |");
  console.log("|---|---|---|---|---|---|");
  for (const { name, args, needs, changes } of SCENES) {
    if (names.length > 0 && !names.includes(name)) continue;
    const missing = needs.filter((module) => !has(module));
    if (missing.length > 0) {
      console.log(`| ${name} | not run: no ${missing.join(", ")} | | | | |`);
      continue;
    }
    const base = profiled(args);
    for (const [change, more] of changes) {
      const [kind] = change.split(":");
      const { estimates, refused } = memprof("whatif", path.join(scratch, "runs", base.run.id), change);
      const [estimate] = estimates;
      if (estimate === undefined) {
        console.log(`| ${name} | ${change} | ${refused[0]?.reason} | | | |`);
        wrong += 1;
        continue;
      }
      let measured;
      try {
        measured = held(kind, profiled([...args, ...more]));
      } catch (error) {
        // Libraries that do not run on this machine.
        console.log(
          `| ${name} | ${change} (${more.join(" ")}) | not run: ${String(error.message).split("\n").at(-1)} | | | |`,
        );
        console.error(error.message);
        continue;
      }
      const { bytes, low_bytes: low, high_bytes: high } = estimate.changed;
      const inside = measured >= low * 0.99 && measured <= high * 1.01;
      if (!inside) wrong += 1;
      const off = `${((bytes / measured - 1) * 100).toFixed(1)} %${inside ? "" : ", outside of the bounds"}`;
      const mib = (size) => (size / MIB).toFixed(2);
      console.log(
        `| ${name} | \`${change}\` (${more.join(" ")}) | ${mib(estimate.now.bytes)} | ${mib(bytes)} (${mib(low)} to ${mib(high)}) | ${mib(measured)} | ${off} |`,
      );
    }
  }
} finally {
  fs.rmSync(scratch, { recursive: true, force: true });
}
if (options.check && wrong > 0) process.exitCode = 1;
