// Which jobs a run of the tests has: the parts, and what of the helper's tests runs on which Python.
import * as fs from "node:fs";
import * as path from "node:path";
import { root } from "../setup.mjs";
import { readSuite, readVitest } from "./results.mjs";

/** The parts, in the order of the table; `setup.mjs` says what each needs of the system. */
export const PARTS = [
  "check",
  "audit",
  "accelerator",
  "build",
  "package",
  "unit",
  "helper",
  "aarch64",
  "integration",
  "faults",
  "workbench",
];

const artifacts = path.join(root, "test/artifacts");
const HELPER_TESTS = "python-helper/tests";
const VITEST = "node_modules/vitest/vitest.mjs";

/** What the longest job needs: others wait for it, so that that one gets a place first. */
const LONGEST = ["package"];

/** A job that has written nothing for so many seconds hangs, and is ended: a story's file takes three minutes. */
const QUIET = 20 * 60;

/**
 * @typedef {import("./pool.mjs").Job & {
 *   steps: readonly (readonly string[])[],
 *   env: Readonly<Record<string, string>>,
 *   quiet: number,
 *   report?: {file: string, read: (text: string) => import("./results.mjs").Test[]},
 *   alone: (test: import("./results.mjs").Test) => string,
 *   again?: (file: string) => TestJob,
 *   mayBeSkipped?: "on a laptop" | "always",
 *   mayBeEmpty?: boolean,
 * }} TestJob `steps` are commands, one after the other; `alone` is how a test is run by itself; `again` makes the job
 *   that gives a file its second try; `mayBeSkipped`: where it is no failure that SKIPPED is its exit status; `mayBeEmpty`: that it runs no test is none
 */

const node = (...args) => [process.execPath, ...args];
const alwaysThePart = (part) => () => `npm test -- ${part}`;

function job(name, part, more) {
  const defaults = { places: 1, needs: [], env: {}, quiet: QUIET, alone: alwaysThePart(part) };
  return { name, part, ...defaults, ...more };
}

function vitest(project, { name = project, command = "run", files = [], args = [], ...more }) {
  const file = path.join(artifacts, `vitest-${name.replace(/\W+/g, "-")}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  return job(name, project, {
    steps: [node(VITEST, command, "--watch=false", "--project", project, ...reporters, ...args, ...files)],
    report: { file, read: readVitest },
    alone: (test) => `npm test -- ${test.file}`,
    ...more,
  });
}

const VALGRIND = ["test_massif_process.py", "test_massif_truth.py", "test_board_massif.py"];
/** One run under valgrind that would show that the frames, the lines or the trees of a Python are not read rightly. */
const VALGRIND_SMOKE = "test_massif_process.py:Process.test_chosen_lines";
/** The ground truth as scripts are measured unless asked otherwise. */
const TRUTH_SMOKE = "test_engine_truth.py:Truth.test_accelerator_default";
/** What can differ from one Python to the next: the rest uses the standard library alone. */
const DIFFERS = /^test_(imports|engine_.*|heap_lines|massif_parts)\.py$/;
/** Of it, what rests on more than lines, frames and threads, so that few stand for all. */
const RULES = /^test_engine_(accounts|cuda)\.py$/;
/** That a Python unpacks, compiles and takes up a helper. */
const BOOTSTRAP_SMOKE = "test_board_bootstrap.py:Bootstrapping.test_install_and_use";
/** Beside it, on the newest that a JetPack has: notebooks, fixtures, and one run on a board. */
const ON_NEWEST = /^test_(notebook_\w+|truth_fixtures|board_run|board_bootstrap)\.py$/;
/** That of JetPack 7. */
const NEWEST = "3.12";
/** No JetPack has these, and their frames and line events are those of the versions beside them. */
const SELDOM = ["3.7", "3.9", "3.13"];
/** Later ones no JetPack has either, but the frames of each are its own. They are seldom found. */
const LATER_THAN_MINOR = 13;

const differs = (name) => DIFFERS.test(name) && !RULES.test(name);

/** What runs on the Pythons beside the reference; see docs/testing.md. */
const TIERS = {
  oldest: { valgrind: [VALGRIND_SMOKE], has: () => true },
  newest: { valgrind: [VALGRIND_SMOKE], has: (name) => ON_NEWEST.test(name) || differs(name) },
  between: {
    valgrind: [],
    has: differs,
    besides: [BOOTSTRAP_SMOKE],
  },
  later: {
    valgrind: [VALGRIND_SMOKE],
    has: differs,
    besides: [BOOTSTRAP_SMOKE],
  },
  seldom: {
    valgrind: [],
    has: (name) => /^test_(imports|massif_parts)\.py$/.test(name),
    besides: [TRUTH_SMOKE, BOOTSTRAP_SMOKE],
  },
};

function tierOf(python, pythons) {
  if (python === pythons[0]) return TIERS.oldest;
  if (python === (pythons.find(({ version }) => version === NEWEST) ?? pythons.at(-1))) return TIERS.newest;
  if (python.minor > LATER_THAN_MINOR) return TIERS.later;
  return SELDOM.includes(python.version) ? TIERS.seldom : TIERS.between;
}

function helperFiles() {
  return fs.readdirSync(path.join(root, HELPER_TESTS)).filter((name) => /^test_.*\.py$/.test(name) && !isShared(name));
}

const isShared = (name) => name === "test_board_common.py";

/** The Python on which everything runs: Debian's own, which has torch; else the newest. */
function referenceOf(pythons) {
  return pythons.find((python) => python.path === "/usr/bin/python3") ?? pythons.at(-1);
}

/** {valgrind, rest, trials} for one Python: test files, and how often something is tried at random moments. */
function filesFor(python, pythons, all) {
  const rest = helperFiles().filter((name) => !VALGRIND.includes(name));
  const trials = all ? 100 : 25;
  if (all || python === referenceOf(pythons)) return { valgrind: VALGRIND, rest, trials };
  const { valgrind, has, besides = [] } = tierOf(python, pythons);
  return { valgrind, rest: [...rest.filter(has), ...besides], trials };
}

function suite(python, name, files, more) {
  const file = path.join(artifacts, `${name.replace(/[^\w.]+/g, "-")}.jsonl`);
  return job(name, `helper ${python.version}`, {
    steps: [[python.path, "-B", `${HELPER_TESTS}/suite.py`, "--report", file, ...files]],
    report: { file, read: readSuite },
    alone: (test) => `${python.path} -B ${HELPER_TESTS}/suite.py ${path.basename(test.file)}:${test.name}`,
    needs: ["accelerator"],
    after: LONGEST,
    ...more,
  });
}

/** Those under valgrind first: they are the longest, one after the other. Then those with the most files. */
function helperJobs(pythons, all, chosen) {
  const suites = pythons.flatMap((python) => {
    const name = `helper ${python.version}`;
    if (chosen.length > 0) return [{ python, name, files: chosen, more: {} }];
    const { valgrind, rest, trials } = filesFor(python, pythons, all);
    const env = { JETSON_MEMPROF_TRIALS: String(trials) };
    const board = rest.filter((file) => /^test_(board|cuda)_/.test(file));
    const engine = rest.filter((file) => !board.includes(file));
    return [
      { python, name: `${name} valgrind`, files: valgrind, more: { lane: "valgrind", env } },
      { python, name: `${name} engine`, files: engine, more: { env } },
      { python, name: `${name} board`, files: board, more: { env } },
    ];
  });
  const weight = ({ files, more }) => (more.lane === "valgrind" ? 1_000 : files.length);
  return suites
    .filter(({ files }) => files.length > 0)
    .sort((a, b) => weight(b) - weight(a))
    .map(({ python, name, files, more }) => suite(python, name, files, more));
}

function unitOf(sources) {
  const args = ["--maxWorkers=2", "--passWithNoTests"];
  return vitest("unit", { command: "related", files: sources, places: 2, args, mayBeEmpty: true });
}

const tsc = (folder) => node("node_modules/typescript/bin/tsc", "-p", folder);

/** In three, as two of them run side by side and none of them holds up the others for long. */
function integration(files) {
  const of = (name, wanted) =>
    vitest("integration", {
      name,
      files: wanted,
      needs: ["accelerator"],
      after: LONGEST,
      // In one process: files import the same, which takes a second of the processor for each in one of its own.
      args: ["--no-file-parallelism", "--no-isolate"],
    });
  if (files.length > 0) return [of("integration", files)];
  const folder = "test/integration/";
  const apart = ["remote/", "webview/"];
  const rest = fs.readdirSync(path.join(root, folder)).filter((name) => !apart.includes(`${name}/`));
  return [
    of("integration remote", [`${folder}remote/`]),
    of("integration webview", [`${folder}webview/`]),
    of(
      "integration programs",
      rest.map((name) => folder + name),
    ),
  ];
}

function check() {
  return job("check", "check", {
    steps: [
      node("node_modules/@biomejs/biome/bin/biome", "check", "."),
      node("scripts/testing/clocks.mjs"),
      tsc("."),
      tsc("webview"),
    ],
  });
}

function workbench(files) {
  const env = { JETSON_MEMPROF_VSIX: vsixFile() };
  const of = (name, wanted) => vitest("workbench", { name, files: wanted, env, needs: ["package"], places: 2 });
  return {
    ...of("workbench", files),
    again: (file) => of(`workbench again ${path.basename(file, ".test.ts")}`, [file]),
  };
}

function vsixFile() {
  const { name, version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  return path.join(root, "dist", `${name}-${version}.vsix`);
}

/** Which part a test file belongs to; undefined for a file that is none. */
export function partOf(file) {
  if (/^python-helper\/tests\/test_\w+\.py(:\S+)?$/.test(file)) return "helper";
  if (!/\.test\.(ts|mjs)$/.test(file)) return undefined;
  if (/^(src|webview|scripts|bench)\//.test(file)) return "unit";
  return /^test\/(integration|faults|workbench)\//.exec(file)?.[1];
}

/**
 * @param {object} wanted
 * @param {readonly {path: string, version: string}[]} wanted.pythons oldest first
 * @param {boolean} wanted.all everything on every Python
 * @param {readonly string[]} wanted.parts of PARTS, or "helper 3.6"; none for all
 * @param {readonly string[]} wanted.files test files that stand for the whole of their part
 * @param {readonly string[]} [wanted.related] sources whose unit tests stand for all of them; with it, files of the
 *   helper's run on the reference Python only
 * @returns {TestJob[]} the longest first, as far as what they need allows
 */
export function plan({ pythons, all, parts, files, related }) {
  const of = (part) => files.filter((file) => partOf(file) === part);
  const chosen = of("helper").map((file) => file.slice(HELPER_TESTS.length + 1));
  const versions = parts.filter((part) => part.startsWith("helper "));
  const hasAll = parts.length + files.length === 0;
  const isWanted = (one) => {
    const part = one.part.split(" ")[0];
    if (hasAll || parts.includes(one.part) || parts.includes(part)) return true;
    if (part === "unit" && related !== undefined && related.length > 0) return true;
    // "helper 3.6" beside a file of the helper's means that file on that Python.
    return of(part).length > 0 && !(part === "helper" && versions.length > 0);
  };
  const jobs = [
    job("accelerator", "accelerator", { steps: [node("scripts/build-accel.mjs")] }),
    job("build", "build", { steps: [node("scripts/build.mjs")], needs: ["accelerator"] }),
    job("package", "package", { steps: [node("scripts/package.mjs")], needs: ["build"] }),
    check(),
    job("audit", "audit", { steps: [node("scripts/audit.mjs")], mayBeSkipped: "always" }),
    workbench(of("workbench")),
    ...integration(of("integration")),
    vitest("faults", { files: of("faults"), needs: ["build"], after: LONGEST, places: 2 }),
    ...helperJobs(related ? [referenceOf(pythons)] : pythons, all, chosen),
    related ? unitOf(related) : vitest("unit", { files: of("unit"), places: 2, args: ["--maxWorkers=2"] }),
    job("aarch64", "aarch64", {
      steps: [node("scripts/test-aarch64.mjs")],
      needs: ["accelerator"],
      lane: "valgrind",
      mayBeSkipped: "on a laptop",
    }),
  ];
  return withNeeds(jobs.filter(isWanted), jobs);
}

/** Together with what they need, in the order of `all`. */
function withNeeds(wanted, all) {
  const needed = new Set(wanted);
  for (const one of needed) for (const other of all) if (one.needs.includes(other.name)) needed.add(other);
  return all.filter((one) => needed.has(one));
}
