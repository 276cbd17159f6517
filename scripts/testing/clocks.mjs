// Finds what makes a test depend on how busy the machine is: clocks in what it asks, sleeps, short time-outs.
//   node scripts/testing/clocks.mjs      part of `npm run check`
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../setup.mjs";

/** A wait that ends sooner may fail on a busy machine; milliseconds. */
const SHORTEST_TIMEOUT = 20_000;

/** What may stay: part of the line, and why no busy machine can fail it. */
const ALLOWED = [
  { file: "test/workbench/stories/newUser.test.ts", text: "performance.now()", why: "printed, not asserted" },
  { file: "test/faults/board/clock.test.ts", text: "-Date.now() / 1000 + 30", why: "sets the board's clock" },
  { file: "test/faults/board/clock.test.ts", text: "const earlier = Date.now()", why: "an order of three readings" },
  {
    file: "test/faults/board/disk.test.ts",
    text: "await delay(roomAfter",
    why: "how long a disk stays full; nothing is asserted of it",
  },
  { file: "test/faults/board/kill.test.ts", text: "await delay(random.below(", why: "any moment must do for a kill" },
  { file: "test/faults/board/kill.test.ts", text: "await delay(800)", why: "a pause that is at least so long" },
  { file: "test/faults/board/reboot.test.ts", text: "await delay(random.below(", why: "any moment must do for a cut" },
  {
    file: "test/integration/webview/massifStates.test.ts",
    text: "clock.pauseAt(Date.now()",
    why: "sets the page's own clock",
  },
  {
    file: "python-helper/tests/test_board_moments.py",
    text: "before <= unix_s <= time.time()",
    why: "an order of three readings, however far apart",
  },
  {
    file: "python-helper/tests/test_board_moments.py",
    text: '"elapsed_ms"], (time.monotonic() - began)',
    why: "a part takes less than the whole, however long that is",
  },
  {
    file: "python-helper/tests/test_board_torch.py",
    text: 'before < spec["began"] < float(now)',
    why: "an order of three readings, however far apart",
  },
  {
    file: "python-helper/tests/test_board_cancel.py",
    text: "assertGreater(time.monotonic() - began, 4.5)",
    why: "a lower bound: a busy machine only adds to it",
  },
];

const SLEEP = /\b(setTimeout|waitForTimeout|delay)\(/;
const SCRIPT_CLOCK = /\b(Date|performance)\.now\(\)/;
const SCRIPT_TIMEOUT = /\btimeout: ([\d_]+)/;
/** Without a bound of its own it gives up after a second. */
const WAIT_WITHOUT_BOUND = /\bvi\.waitFor\(.*\)\);\s*$/;
const PYTHON_CLOCK = /\btime\.(monotonic|time|perf_counter)\(\)/;
const PYTHON_TIMEOUT = /\btimeout=([\d.]+)/;
const PYTHON_ASSERTION = /\.assert\w+\(/;

/**
 * @param {string} file relative to the project, with slashes
 * @param {string} text of it
 * @returns {{line: number, why: string}[]}
 */
export function findClocks(file, text) {
  const fault = file.endsWith(".py") ? faultsOfPython(text) : faultOfScript;
  return text.split("\n").flatMap((content, at) => {
    const why = fault(content);
    const isAllowed = ALLOWED.some((one) => one.file === file && content.includes(one.text));
    return why === undefined || isAllowed ? [] : [{ line: at + 1, why }];
  });
}

function faultOfScript(content) {
  if (SCRIPT_CLOCK.test(content)) return "asks a clock: count operations, bytes or CPU time";
  if (SLEEP.test(content)) return "sleeps: wait for an event or a state";
  if (WAIT_WITHOUT_BOUND.test(content)) return "gives up after 1000 ms";
  const timeout = Number(SCRIPT_TIMEOUT.exec(content)?.[1]?.replaceAll("_", ""));
  return timeout < SHORTEST_TIMEOUT ? `gives up after ${timeout} ms` : undefined;
}

/** A test may take the time; only what it asserts may not depend on it. */
function faultsOfPython(text) {
  const taken = new Set([...text.matchAll(/^\s*(\w+) = [^#\n]*time\.\w+\(\) - /gm)].map((match) => match[1]));
  const names = taken.size > 0 ? new RegExp(`\\b(${[...taken].join("|")})\\b`) : undefined;
  return (content) => {
    if (PYTHON_ASSERTION.test(content) && (PYTHON_CLOCK.test(content) || names?.test(content)))
      return "asserts how long something took: use a clock of the test's own, or CPU time";
    const timeout = Number(PYTHON_TIMEOUT.exec(content)?.[1]) * 1000;
    return timeout < SHORTEST_TIMEOUT ? `gives up after ${timeout} ms` : undefined;
  };
}

function testFiles() {
  const patterns = ["*.test.ts", "*.test.mjs", "python-helper/tests/*.py"];
  const listed = spawnSync("git", ["ls-files", "-co", "--exclude-standard", "--", ...patterns], {
    cwd: root,
    encoding: "utf8",
  });
  if (listed.status !== 0) throw new Error(`git could not list the tests: ${listed.error ?? listed.stderr}`);
  return listed.stdout.split("\n").filter((file) => file !== "" && !file.endsWith("/clocks.test.mjs"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = testFiles().filter((file) => fs.existsSync(path.join(root, file)));
  const found = files.flatMap((file) =>
    findClocks(file, fs.readFileSync(path.join(root, file), "utf8")).map(({ line, why }) => `${file}:${line} ${why}`),
  );
  for (const line of found) console.error(line);
  if (found.length > 0)
    console.error("No test may depend on how busy the machine is: docs/testing.md says what to do.");
  process.exitCode = found.length > 0 ? 1 : 0;
}
