// Which tests the changes since main touch: those that a minute or two are enough for.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { root } from "../setup.mjs";
import { partOf } from "./plan.mjs";

const HELPER_TESTS = "python-helper/tests";

/**
 * @typedef {object} Touched
 * @property {string[]} parts
 * @property {string[]} files test files
 * @property {string[]} related sources whose unit tests are to run, as vitest finds them by their imports
 * @property {string[]} left parts that may be touched too and take longer
 */

/** Of this checkout: what differs from where it left main, committed or not. */
export function touched() {
  const base = git("merge-base", "HEAD", "main").trim();
  const listed = git("diff", "--name-only", base) + git("ls-files", "-o", "--exclude-standard");
  const files = listed.split("\n").filter((file) => file !== "" && fs.existsSync(path.join(root, file)));
  const tests = git("ls-files", "-co", "--exclude-standard", "--", `${HELPER_TESTS}/test_*.py`, "test/integration");
  return testsOf(files, tests.split("\n").filter(Boolean), (file) => fs.readFileSync(path.join(root, file), "utf8"));
}

function git(...args) {
  const result = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (result.status !== 0) throw new Error(`git ${args.join(" ")} failed: ${result.error?.message ?? result.stderr}`);
  return result.stdout;
}

/**
 * @param {readonly string[]} changed relative to the project
 * @param {readonly string[]} tests the helper's and the integration tests there are
 * @param {(file: string) => string} read
 * @returns {Touched}
 */
export function testsOf(changed, tests, read) {
  const files = new Set(changed.filter((file) => partOf(file) !== undefined && partOf(file) !== "unit"));
  const related = changed.filter((file) => /^(src|webview|scripts)\/.*\.(ts|mjs)$/.test(file));
  const left = new Set();
  const add = (found, part) => {
    for (const file of found) files.add(file);
    if (found.length === 0) left.add(part);
  };
  for (const file of changed) {
    const page = /^webview\/(\w+)\//.exec(file)?.[1];
    const module = /^python-helper\/jetson_memprof\/(?:\w+\/)*(\w+)\.py$/.exec(file)?.[1];
    if (page) add(testsOfPage(page, tests), "integration");
    else if (file.startsWith("webview/")) left.add("integration");
    if (module) add(testsOfModule(module, tests, read), "helper");
    else if (/^python-helper\/(?!tests\/test_)/.test(file)) left.add("helper");
    if (/^src\/(remote|cli|server)\//.test(file)) left.add("integration");
    if (/^(src\/editor|test\/workbench\/support)\//.test(file)) left.add("workbench");
  }
  return { parts: ["check"], files: [...files], related, left: [...left] };
}

function testsOfPage(page, tests) {
  return tests.filter((file) => file.startsWith(`test/integration/webview/${page}`) && file.endsWith(".test.ts"));
}

/** Those that import the module, or only its package to replace something in it. */
function testsOfModule(module, tests, read) {
  const imports = new RegExp(`^\\s*(from|import) .*\\b${module}\\b`, "m");
  return tests.filter((file) => partOf(file) === "helper" && imports.test(read(file)));
}
