// `npm test`: sets up what is missing, then runs every part, several at a time, and counts.
//   npm test -- unit helper           these parts (scripts/testing/plan.mjs lists them)
//   npm test -- "helper 3.6"          the helper on one Python
//   npm test -- src/a.test.ts …       these test files, of any part
//   npm run test:changed              what the changes since main touch, in a minute or two
//   npm run test:all                  everything on every Python, in full counts
import * as os from "node:os";
import * as path from "node:path";
import { findPythons, installNpmPackages, isCi, root } from "./setup.mjs";
import { touched } from "./testing/changed.mjs";
import { plan } from "./testing/plan.mjs";
import { endedLine, report } from "./testing/report.mjs";
import { beginLogs, logs, readNames, runAll, setUp } from "./testing/session.mjs";

const FLAGS = ["--all", "--changed"];

function readArguments() {
  const words = process.argv.slice(2);
  const chosen = { all: words.includes("--all"), ...readNames(words.filter((word) => !FLAGS.includes(word))) };
  if (!words.includes("--changed")) return chosen;
  const { parts, files, related, left } = touched();
  if (left.length > 0) console.log(`Not run, as it takes longer: ${left.join(", ")} (npm test -- PART).`);
  return { ...chosen, parts, files, related };
}

/** On a laptop a missing program skips what needs it; the tests themselves say which. In CI nothing may be missing. */
function outcomeOfMissing(missing) {
  const state = isCi ? "failed" : "skipped";
  const tests = missing.map((name) => ({ file: name, name: "", state, seconds: 0, message: "Not on this machine." }));
  const job = { name: "set-up", part: "set-up", alone: () => "npm test" };
  return { job, ok: !isCi, seconds: 0, processor: 0, tests, flaky: [] };
}

/** Milliseconds of all processors since the machine started: those without work, and all. */
function processorTimes() {
  const times = os.cpus().map((cpu) => cpu.times);
  const sum = (figures) => figures.reduce((before, figure) => before + figure, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((one) => Object.values(one))) };
}

const wanted = readArguments();
if (!wanted.all && wanted.files.length === 0) process.env.JETSON_MEMPROF_TESTS ??= "short";
const setUpBegan = performance.now();
installNpmPackages();
const pythons = findPythons();
const jobs = plan({ pythons, ...wanted });
beginLogs();
const missing = setUp(jobs);
console.log(`Set up in ${((performance.now() - setUpBegan) / 1000).toFixed(0)} s; ${jobs.length} jobs to run.`);

const [began, before] = [performance.now(), processorTimes()];
const outcomes = await runAll(jobs, pythons, (outcome, failures) =>
  console.log([endedLine(outcome), ...failures].join("\n")),
);
if (missing.length > 0) outcomes.unshift(outcomeOfMissing(missing));
const now = processorTimes();
const took = {
  seconds: (performance.now() - began) / 1000,
  busy: 1 - (now.idle - before.idle) / (now.all - before.all),
};
console.log(report(outcomes, took, path.relative(root, logs)).join("\n"));
const failed = outcomes.some(({ ok }) => !ok);
const passed = outcomes.some(({ tests }) => tests.some(({ state }) => state === "passed"));
process.exitCode = failed || !passed ? 1 : 0;
