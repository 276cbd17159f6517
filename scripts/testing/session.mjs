// What `npm test` and `npm run test:stress` have in common: setting up, and running jobs side by side.
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { installSystemPackages, root } from "../setup.mjs";
import { ensureWorkbenchHost, HOSTS } from "../workbench-host.mjs";
import { keepInMemory } from "./keepInMemory.mjs";
import { withoutShims } from "./path.mjs";
import { PARTS, partOf } from "./plan.mjs";
import { runJobs } from "./pool.mjs";
import { failureLines } from "./report.mjs";
import { notRun, runJob } from "./runJob.mjs";

/** The parts in which the RSS of a Python is looked at. */
const MEASURING = new Set(["helper", "integration", "faults", "workbench"]);

/** Where the logs and all failures of a run lie. */
export const logs = path.join(root, "test/artifacts/logs");

/**
 * Test files and names of parts, told apart; ends the process where a name is neither.
 * @param {readonly string[]} names
 * @returns {{parts: string[], files: string[]}}
 */
export function readNames(names) {
  const files = names.filter((name) => partOf(name) !== undefined);
  const parts = names.filter((name) => !files.includes(name));
  const wrong = parts.filter((name) => !PARTS.includes(name.split(" ")[0] ?? ""));
  const missing = files.filter(
    (name) => !fs.existsSync(path.join(root, name.split(".py:")[0])) && !name.includes(".py:"),
  );
  if (wrong.length + missing.length > 0) {
    console.error(`No part and no test file: ${[...wrong, ...missing].join(", ")}. The parts are ${PARTS.join(", ")}.`);
    process.exit(2);
  }
  return { parts, files };
}

/**
 * Installs what the jobs need, and takes shims out of their PATH.
 * @param {readonly import("./plan.mjs").TestJob[]} jobs
 * @returns {string[]} the names of what is missing on this machine
 */
export function setUp(jobs) {
  const wanted = new Set(jobs.map((job) => job.part.split(" ")[0]));
  const missing = installSystemPackages(wanted);
  // The newest VS Code is left to `npm run test:all`.
  const hosts = Object.keys(HOSTS).filter((host) => host !== "newest" || process.env.JETSON_MEMPROF_TESTS !== "short");
  if (wanted.has("workbench")) for (const host of hosts) ensureWorkbenchHost({ host });
  process.env.PATH = withoutShims(process.env.PATH ?? "");
  return missing;
}

/**
 * Runs the jobs, and keeps each failure in failures.txt.
 * @param {readonly import("./plan.mjs").TestJob[]} jobs
 * @param {readonly {path: string}[]} pythons that the jobs may measure with
 * @param {(outcome: import("./report.mjs").Outcome, failures: string[]) => void} onEnd of each job, with the lines of
 *   what failed in it
 * @returns {Promise<import("./report.mjs").Outcome[]>}
 */
export async function runAll(jobs, pythons, onEnd) {
  const start = async (job) => {
    const outcome = await runJob(job, logs);
    const failed = outcome.tests.filter(({ state }) => state === "failed");
    const failures = failed.flatMap((test) => failureLines(job, test, 60));
    if (failures.length > 0) fs.appendFileSync(path.join(logs, "failures.txt"), `${failures.join("\n")}\n`);
    onEnd(outcome, failures);
    return outcome;
  };
  const keeper = jobs.some(({ part }) => MEASURING.has(part.split(" ")[0])) ? keepInMemory(pythons) : undefined;
  try {
    await keeper?.ready;
    // Two places for each core keep the processors busy: a job waits for a process or a page now and then.
    return await runJobs(jobs, 2 * os.availableParallelism(), start, notRun);
  } finally {
    keeper?.end();
  }
}

/** Empties the folder of logs. */
export function beginLogs() {
  fs.rmSync(logs, { recursive: true, force: true });
  fs.mkdirSync(logs, { recursive: true });
}
