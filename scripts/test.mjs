// `npm test`: sets up what is missing, then runs every part and counts. Parts can be named: `npm test -- unit helper`.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { findPythons, installNpmPackages, installSystemPackages, isCi, root, run, SKIPPED } from "./setup.mjs";

const wanted = process.argv.slice(2);
const artifacts = path.join(root, "test/artifacts");
const results = [];

/** Runs one part; `body` returns { passed, failed, skipped, told? } or throws. `told`: each failed test, by its name. */
function part(name, body) {
  if (wanted.length > 0 && !wanted.includes(name)) return;
  console.log(`\n── ${name} ${"─".repeat(Math.max(0, 76 - name.length))}`);
  const start = Date.now();
  let counts;
  try {
    counts = body();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    counts = { passed: 0, failed: 1, skipped: 0, told: [firstLine(String(error))] };
  }
  results.push({ name, seconds: (Date.now() - start) / 1000, ...counts });
}

function command(program, args, options) {
  run(program, args, options);
  return { passed: 1, failed: 0, skipped: 0 };
}

function emulated() {
  const result = spawnSync(process.execPath, ["scripts/test-aarch64.mjs"], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const skipped = result.status === SKIPPED && !isCi;
  return {
    passed: result.status === 0 ? 1 : 0,
    failed: result.status === 0 || skipped ? 0 : 1,
    skipped: skipped ? 1 : 0,
  };
}

function vitest(project) {
  const output = path.join(artifacts, `vitest-${project}.json`);
  fs.rmSync(output, { force: true });
  const args = ["run", "--project", project, "--reporter=default", "--reporter=json", `--outputFile.json=${output}`];
  const result = spawnSync(process.execPath, [path.join(root, "node_modules/vitest/vitest.mjs"), ...args], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  // A runner that died has no report, or one that says nothing of the files it never reached: both count as a failure.
  if (!fs.existsSync(output)) return { passed: 0, failed: 1, skipped: 0 };
  const report = JSON.parse(fs.readFileSync(output, "utf8"));
  const failed = report.numFailedTests + (report.testResults.some(failedToLoad) ? 1 : 0);
  return {
    passed: report.numPassedTests,
    failed: result.status !== 0 && failed === 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
    told: report.testResults.flatMap(failedTests),
  };
}

function failedTests(file) {
  const name = path.relative(root, file.name);
  if (failedToLoad(file)) return [`${name}: ${firstLine(file.message)}`];
  return file.assertionResults
    .filter((test) => test.status === "failed")
    .map((test) => `${name} > ${test.fullName}: ${firstLine(test.failureMessages.join("\n"))}`);
}

function firstLine(text) {
  return text.split("\n", 1)[0].slice(0, 300);
}

function failedToLoad(file) {
  return file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed");
}

function unittest(python) {
  const result = spawnSync(python.path, ["-B", "-m", "unittest", "discover", "-s", "tests"], {
    cwd: path.join(root, "python-helper"),
    encoding: "utf8",
    stdio: ["ignore", "inherit", "pipe"],
    maxBuffer: 64 << 20,
  });
  process.stderr.write(result.stderr ?? "");
  const ran = Number(/^Ran (\d+) tests?/m.exec(result.stderr ?? "")?.[1] ?? 0);
  const number = (word) => Number(new RegExp(`${word}=(\\d+)`).exec(result.stderr ?? "")?.[1] ?? 0);
  const skipped = number("skipped");
  const failed = number("failures") + number("errors") + number("unexpected successes");
  const broken = result.status !== 0 && failed === 0 ? 1 : 0;
  const told = [...(result.stderr ?? "").matchAll(/^(?:FAIL|ERROR|UNEXPECTED SUCCESS): .*/gm)].map(([line]) => line);
  return { passed: ran - skipped - failed, failed: failed + broken + (ran === 0 ? 1 : 0), skipped, told };
}

/** Not being able to ask the registry is told, and no failure: the packages are no worse for it. */
function audit() {
  const { status } = spawnSync(process.execPath, ["scripts/audit.mjs"], { cwd: root, stdio: "inherit" });
  return {
    passed: status === 0 ? 1 : 0,
    failed: status === 0 || status === SKIPPED ? 0 : 1,
    skipped: status === SKIPPED ? 1 : 0,
  };
}

installNpmPackages();
const missing = installSystemPackages();
fs.mkdirSync(artifacts, { recursive: true });

if (missing.length > 0) {
  // On a laptop a missing program skips what needs it; the tests themselves say which. In CI nothing may be missing.
  results.push({
    name: `missing: ${missing.join(", ")}`,
    seconds: 0,
    passed: 0,
    failed: isCi ? 1 : 0,
    skipped: isCi ? 0 : 1,
  });
}

part("check", () => {
  run(process.execPath, ["node_modules/@biomejs/biome/bin/biome", "check", "."]);
  run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "."]);
  return command(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "webview"]);
});
part("audit", audit);
part("accelerator", () => command(process.execPath, ["scripts/build-accel.mjs"]));
part("build", () => command(process.execPath, ["scripts/build.mjs"]));
part("unit", () => vitest("unit"));
for (const python of findPythons()) part(`helper ${python.version}`, () => unittest(python));
part("helper aarch64", emulated);
part("integration", () => vitest("integration"));
part("faults", () => vitest("faults"));
part("package", () => command(process.execPath, ["scripts/package.mjs"]));
part("workbench", () => vitest("workbench"));

console.log(
  `\n${"part".padEnd(28)}${"passed".padStart(8)}${"failed".padStart(8)}${"skipped".padStart(9)}${"time".padStart(9)}`,
);
const total = { passed: 0, failed: 0, skipped: 0 };
for (const result of results) {
  const columns = ["passed", "failed", "skipped"].map((key) => {
    total[key] += result[key];
    return String(result[key]).padStart(key === "skipped" ? 9 : 8);
  });
  console.log(`${result.name.padEnd(28)}${columns.join("")}${`${result.seconds.toFixed(0)} s`.padStart(9)}`);
}
for (const { name, told = [] } of results) for (const line of told) console.log(`\nfailed in ${name}: ${line}`);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
