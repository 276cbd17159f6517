// Runs one job and says what its tests did.
import * as fs from "node:fs";
import * as path from "node:path";
import { isCi, SKIPPED } from "../setup.mjs";
import { runLogged } from "./processes.mjs";
import { plain, readReport } from "./results.mjs";

const TAIL_LINES = 25;
/** More story files than this are not run again: then something is wrong with the product or the machine. */
const MOST_AGAIN = 2;

/**
 * @param {import("./plan.mjs").TestJob} job
 * @param {string} logs the folder for its log
 * @returns {Promise<import("./report.mjs").Outcome>}
 */
export async function runJob(job, logs) {
  const began = performance.now();
  const first = await attempt(job, logs);
  const { tests, flaky, processor } = job.again ? await secondTry(job, first, logs) : { ...first, flaky: [] };
  const ok = tests.every(({ state }) => state !== "failed");
  return { job, ok, seconds: (performance.now() - began) / 1000, processor, tests, flaky };
}

/** What stands for a job that could not be started. */
export function notRun(job, need) {
  const message = `Not run, as ${need} failed.`;
  return { job, ok: false, seconds: 0, processor: 0, flaky: [], tests: [one(job, "failed", 0, message)] };
}

function one(job, state, seconds, message) {
  return { file: job.name, line: undefined, name: "", state, seconds, message };
}

/** @returns {Promise<{tests: import("./results.mjs").Test[], processor: number}>} */
async function attempt(job, logs) {
  const log = path.join(logs, `${job.name.replace(/[^\w.]+/g, "-")}.log`);
  const began = performance.now();
  if (job.report) fs.rmSync(job.report.file, { force: true });
  let end = { status: 0, signal: null, hung: false, processor: 0 };
  let processor = 0;
  for (const step of job.steps) {
    end = await runLogged(step, { log, env: job.env, quiet: job.quiet });
    processor += end.processor;
    if (end.status !== 0) break;
  }
  return { tests: testsOf(job, end, (performance.now() - began) / 1000, log), processor };
}

function testsOf(job, end, seconds, log) {
  const tests = job.report ? readReport(job.report.file, job.report.read) : [];
  if (end.status === 0 && !job.report) return [one(job, "passed", seconds, "")];
  if (end.status === 0) return tests.length > 0 || job.mayBeEmpty ? tests : [empty(job, log)];
  if (end.status === SKIPPED && (job.mayBeSkipped === "always" || (job.mayBeSkipped && !isCi)))
    return [one(job, "skipped", seconds, "")];
  // A runner may fail though each test passed, as for an error that nobody caught.
  if (tests.some(({ state }) => state === "failed")) return tests;
  return [...tests, one(job, "failed", 0, `${howItEnded(job, end)}\n${tail(log)}`)];
}

function empty(job, log) {
  return one(job, "failed", 0, `It ended well but no test was run.\n${tail(log)}`);
}

function howItEnded(job, { status, signal, hung }) {
  if (hung) return `It hung: ended after ${job.quiet} s without a word.`;
  return `It ended with ${status === null ? signal : `status ${status}`}.`;
}

function tail(log) {
  return plain(fs.readFileSync(log, "utf8")).trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
}

/** Gives the files that failed, when they are few, one more try each. */
async function secondTry(job, first, logs) {
  const files = [...new Set(first.tests.filter(({ state }) => state === "failed").map(({ file }) => file))];
  if (files.length === 0 || files.length > MOST_AGAIN || files.includes(job.name)) return { ...first, flaky: [] };
  let { tests, processor } = first;
  const flaky = [];
  for (const file of files) {
    const second = await attempt(job.again(file), logs);
    processor += second.processor;
    if (second.tests.some(({ state }) => state === "failed")) continue;
    flaky.push(...first.tests.filter((test) => test.file === file && test.state === "failed"));
    tests = [...tests.filter((test) => test.file !== file), ...second.tests];
  }
  return { tests, flaky, processor };
}
