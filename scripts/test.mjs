// `npm test`: sets up what is missing, then runs every part, several at a time, and counts.
//   npm test -- unit helper           these parts (scripts/testing/plan.mjs lists them)
//   npm test -- "helper 3.6"          the helper on one Python
//   npm test -- src/a.test.ts …       these test files, of any part
//   npm run test:all                  everything on every Python, in full counts
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { findPythons, installNpmPackages, installSystemPackages, isCi, root } from "./setup.mjs";
import { PARTS, partOf, plan } from "./testing/plan.mjs";
import { runJobs } from "./testing/pool.mjs";
import { endedLine, failureLines, report } from "./testing/report.mjs";
import { notRun, runJob } from "./testing/runJob.mjs";
import { ensureWorkbenchHost } from "./workbench-host.mjs";

const artifacts = path.join(root, "test/artifacts");
const logs = path.join(artifacts, "logs");

function readArguments() {
  const all = process.argv.includes("--all");
  const names = process.argv.slice(2).filter((name) => name !== "--all");
  const files = names.filter((name) => partOf(name) !== undefined);
  const parts = names.filter((name) => !files.includes(name));
  const wrong = parts.filter((name) => !PARTS.includes(name.split(" ")[0] ?? ""));
  if (wrong.length > 0) {
    console.error(`No part and no test file: ${wrong.join(", ")}. The parts are ${PARTS.join(", ")}.`);
    process.exit(2);
  }
  return { all, parts, files };
}

/** @returns {string[]} the names of what is missing on this machine */
function setUp(jobs) {
  const wanted = new Set(jobs.map((job) => job.part.split(" ")[0]));
  const missing = installSystemPackages(wanted);
  if (wanted.has("workbench")) ensureWorkbenchHost();
  return missing;
}

/** On a laptop a missing program skips what needs it; the tests themselves say which. In CI nothing may be missing. */
function outcomeOfMissing(missing) {
  const state = isCi ? "failed" : "skipped";
  const tests = missing.map((name) => ({ file: name, name: "", state, seconds: 0, message: "Not on this machine." }));
  const job = { name: "set-up", part: "set-up", alone: () => "npm test" };
  return { job, ok: !isCi, seconds: 0, tests, flaky: [] };
}

function sayEnd(outcome) {
  console.log(endedLine(outcome));
  for (const test of outcome.tests.filter(({ state }) => state === "failed")) {
    const lines = failureLines(outcome.job, test, 60);
    console.log(lines.join("\n"));
    fs.appendFileSync(path.join(logs, "failures.txt"), `${lines.join("\n")}\n`);
  }
}

const wanted = readArguments();
const setUpBegan = performance.now();
installNpmPackages();
const jobs = plan({ pythons: findPythons(), ...wanted });
fs.rmSync(logs, { recursive: true, force: true });
fs.mkdirSync(logs, { recursive: true });
const missing = setUp(jobs);
console.log(`Set up in ${((performance.now() - setUpBegan) / 1000).toFixed(0)} s; ${jobs.length} jobs to run.`);

const began = performance.now();
// One place more than there are cores: most jobs wait for a process or a page now and then.
const outcomes = await runJobs(
  jobs,
  os.availableParallelism() + 1,
  async (job) => {
    const outcome = await runJob(job, logs);
    sayEnd(outcome);
    return outcome;
  },
  notRun,
);
if (missing.length > 0) outcomes.unshift(outcomeOfMissing(missing));
const lines = report(outcomes, (performance.now() - began) / 1000, path.relative(root, logs));
console.log(lines.join("\n"));
const failed = outcomes.some(({ ok }) => !ok);
const passed = outcomes.some(({ tests }) => tests.some(({ state }) => state === "passed"));
process.exitCode = failed || !passed ? 1 : 0;
