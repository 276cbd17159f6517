// What a job's tests did, read from the report of its runner.
import * as fs from "node:fs";
import * as path from "node:path";
import { root } from "../setup.mjs";

/**
 * @typedef {object} Test
 * @property {string} file relative to the project
 * @property {number | undefined} line
 * @property {string} name
 * @property {"passed" | "failed" | "skipped"} state
 * @property {number} seconds
 * @property {string} message why it failed; empty otherwise
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: the colors of a terminal
const COLORS = /\x1b\[[0-9;]*m/g;

/** @param {string} text */
export function plain(text) {
  return text.replace(COLORS, "");
}

const relative = (file) => path.relative(root, file).split(path.sep).join("/");

/**
 * Of vitest's JSON report.
 * @param {string} text
 * @returns {Test[]} with one for each file that could not be loaded
 */
export function readVitest(text) {
  return JSON.parse(text).testResults.flatMap((result) => {
    const file = relative(result.name);
    const tests = result.assertionResults.map((test) => {
      const message = said(plain(test.failureMessages?.[0] ?? ""));
      return {
        file,
        line: lineIn(message, result.name),
        name: [...test.ancestorTitles, test.title].join(" > "),
        state: test.status === "passed" || test.status === "failed" ? test.status : "skipped",
        seconds: (test.duration ?? 0) / 1000,
        message: withoutStack(message),
      };
    });
    if (result.status !== "failed" || tests.some(({ state }) => state === "failed")) return tests;
    const message = plain(result.message || "The file could not be loaded, or what it sets up or ends failed.");
    return [...tests, { file, line: undefined, name: "(the file)", state: "failed", seconds: 0, message }];
  });
}

/** Of a test that took longer than it may, vitest's report has only the name of a stack. */
const said = (message) => message.replace(/^Error: STACK_TRACE_ERROR/, "The test did not end in its time.");

function lineIn(message, file) {
  const at = message.indexOf(`${file}:`);
  return at < 0 ? undefined : Number(/^\d+/.exec(message.slice(at + file.length + 1))?.[0]);
}

function withoutStack(message) {
  return message
    .split("\n")
    .filter((line) => !/^\s+at /.test(line))
    .join("\n")
    .trim();
}

/**
 * Of tests/suite.py; a test that began and has no end was running when the process ended.
 * @param {string} text
 * @returns {Test[]}
 */
export function readSuite(text) {
  const open = new Map();
  const tests = [];
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const { file: name, test, began, state, seconds, message, line: at } = JSON.parse(line);
    const file = `python-helper/tests/${name}`;
    const key = `${file} ${test}`;
    if (began) {
      open.set(key, { file, name: test });
      continue;
    }
    open.delete(key);
    tests.push({ file, line: at ?? undefined, name: test, state, seconds, message });
  }
  const message = "The process ended in the middle of this test.";
  for (const one of open.values()) tests.push({ ...one, line: undefined, state: "failed", seconds: 0, message });
  return tests;
}

/**
 * The report at `file`, or none where the runner did not come to write it.
 * @param {string} file
 * @param {(text: string) => Test[]} read
 * @returns {Test[]}
 */
export function readReport(file, read) {
  if (!fs.existsSync(file)) return [];
  try {
    return read(fs.readFileSync(file, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
