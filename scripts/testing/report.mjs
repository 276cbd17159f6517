// What is said at the end of a run of the tests; its last 60 lines tell everything.
import { plain } from "./results.mjs";

const SLOWEST = 10;
/** Lines for the failures: with the table and the slowest files sixty in all. */
const FAILURE_LINES = 25;
const MESSAGE_LINES = 8;
/** What a click waited for stands in the later lines of its message. */
const FLAKY_MESSAGE_LINES = 12;

/**
 * @typedef {object} Outcome
 * @property {import("./plan.mjs").TestJob} job
 * @property {boolean} ok
 * @property {number} seconds
 * @property {number} processor seconds of it
 * @property {import("./results.mjs").Test[]} tests
 * @property {import("./results.mjs").Test[]} flaky what failed at the first try in files that passed at the second
 */

const count = (tests, state) => tests.filter((test) => test.state === state).length;
const seconds = (value) => `${value.toFixed(0)} s`;

/** One line of a job that has ended. */
export function endedLine({ job, ok, seconds: took, tests }) {
  const failed = count(tests, "failed");
  const skipped = count(tests, "skipped");
  const counts = [`${count(tests, "passed")} passed`, failed && `${failed} failed`, skipped && `${skipped} skipped`];
  return `${ok ? "✓" : "✗"} ${job.name}: ${counts.filter(Boolean).join(", ")} in ${seconds(took)}`;
}

/** Where a failed test is, what it said and how it is run by itself. */
export function failureLines(job, test, most = MESSAGE_LINES) {
  return [
    `FAILED ${job.part}: ${placeOf(test)} ${test.name}`,
    ...messageLines(test, most),
    `    alone: ${job.alone(test)}`,
  ];
}

const placeOf = ({ file, line }) => (line === undefined ? file : `${file}:${line}`);

function messageLines({ message }, most) {
  const lines = plain(message).split("\n");
  return [
    ...lines.slice(0, most).map((line) => `    ${line.slice(0, 200)}`),
    ...(lines.length > most ? ["    …"] : []),
  ];
}

/** The first that failed of each file: often the others failed because of it. */
function flakyLines(tests) {
  const firsts = tests.filter((test, at) => tests.findIndex(({ file }) => file === test.file) === at);
  return firsts.flatMap((test) => [
    `flaky: ${placeOf(test)} ${test.name} (its file passed at the second try)`,
    ...messageLines(test, FLAKY_MESSAGE_LINES),
  ]);
}

function table(outcomes) {
  const rows = new Map();
  for (const { job, seconds: took, processor, tests } of outcomes) {
    const row = rows.get(job.part) ?? { passed: 0, failed: 0, skipped: 0, took: 0, processor: 0 };
    for (const state of ["passed", "failed", "skipped"]) row[state] += count(tests, state);
    rows.set(job.part, { ...row, took: row.took + took, processor: row.processor + processor });
  }
  const line = (name, ...cells) => `${name.padEnd(20)}${cells.map((cell) => String(cell).padStart(9)).join("")}`;
  return [
    line("part", "passed", "failed", "skipped", "time", "of CPU"),
    ...[...rows].map(([name, row]) =>
      line(name, row.passed, row.failed, row.skipped, seconds(row.took), seconds(row.processor)),
    ),
  ];
}

function slowest(tests) {
  const files = new Map();
  for (const { part, file, seconds: took } of tests) {
    const key = `${file} (${part})`;
    files.set(key, (files.get(key) ?? 0) + took);
  }
  const longest = [...files].sort((a, b) => b[1] - a[1]).slice(0, SLOWEST);
  return longest.map(([name, took]) => `${seconds(took).padStart(7)}  ${name}`);
}

/**
 * @param {readonly Outcome[]} outcomes
 * @param {{seconds: number, busy: number}} took in all; which share of the machine's processor time was used meanwhile
 * @param {string} logs where the whole logs lie
 * @returns {string[]} lines
 */
export function report(outcomes, took, logs) {
  const tests = outcomes.flatMap(({ job, tests: own }) => own.map((test) => ({ ...test, job, part: job.part })));
  const failed = tests.filter(({ state }) => state === "failed");
  // The more failed, the fewer lines each can have.
  const each = Math.max(1, Math.min(MESSAGE_LINES, Math.floor(FAILURE_LINES / Math.max(1, failed.length)) - 3));
  const failures = failed.flatMap((test) => failureLines(test.job, test, each));
  const left = failures.length - FAILURE_LINES;
  return [
    "",
    "Slowest files:",
    ...slowest(tests),
    "",
    ...table(outcomes),
    "",
    ...failures.slice(0, FAILURE_LINES),
    ...(left > 0 ? [`… and ${left} lines more in ${logs}/failures.txt`] : []),
    ...outcomes.flatMap(({ flaky }) => flakyLines(flaky)),
    `Parts ran side by side: ${seconds(took.seconds)} in all, the processors ${Math.round(100 * took.busy)} % busy. Logs: ${logs}`,
    `${count(tests, "passed")} passed, ${failed.length} failed, ${count(tests, "skipped")} skipped`,
  ];
}
