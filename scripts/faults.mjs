// `npm run test:faults`: runs the fault suite and prints what it came to. `--long`: more trials; `--add`: joins the
// results with those that stand in docs/reliability.md; `--write`: into docs/reliability.md, and docs/reliability.json
// from which it is drawn. Names of folders: only those.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { installNpmPackages, installSystemPackages, root, run } from "./setup.mjs";

const FLAGS = ["--long", "--add", "--write"];
const suiteFolder = path.join(root, "test/faults");
const args = process.argv.slice(2);
const folders = args.filter((arg) => !FLAGS.includes(arg));
const unknown = folders.filter((name) => !/^[a-z]+$/.test(name) || !fs.existsSync(path.join(suiteFolder, name)));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(" ")}. There are ${FLAGS.join(", ")} and the folders of test/faults.`);
  process.exit(2);
}
const [long, add] = [args.includes("--long"), args.includes("--add")];
const results = path.join(root, "test/artifacts/faults/results.jsonl");
const kept = path.join(root, "docs/reliability.json");

installNpmPackages();
installSystemPackages(new Set(["faults"]));
run(process.execPath, ["scripts/build.mjs"]);
fs.rmSync(results, { force: true });
const started = performance.now();
const suite = spawnSync(
  process.execPath,
  [
    path.join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--project",
    "faults",
    ...folders.map((name) => `test/faults/${name}/`),
  ],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...(long ? { JETSON_MEMPROF_FAULTS: "long" } : {}) },
  },
);

const rows = rowsOf([...(add ? readKept() : []), ...readResults()]);
const tables = `${circumstances()}\n\n${tablesOf(rows)}`;
console.log(`\n${tables}`);
if (args.includes("--write") && suite.status === 0) write(tables, rows);
else if (args.includes("--write")) console.error("\nNot written: the suite did not pass.");
process.exitCode = suite.status ?? 1;

/** What somebody needs to know who wants to see the same. */
function circumstances() {
  const minutes = Math.max(1, Math.round((performance.now() - started) / 60_000));
  const cpu = os.cpus()[0]?.model.trim() ?? "unknown processor";
  const python = spawnSync("python3", ["--version"], { encoding: "utf8" }).stdout?.trim() ?? "no Python";
  return [
    `${new Date().toISOString().slice(0, 10)}, ${long ? "long" : "short"} form, ${minutes} min${add ? ", and what earlier runs came to ([when and on what](reliability.json))" : ""}:`,
    `${os.availableParallelism()} cores of ${cpu}, ${(os.totalmem() / 2 ** 30).toFixed(1)} GiB,`,
    `Linux ${os.release()} (${os.machine()}), Node ${process.versions.node}, ${python}.`,
  ].join(" ");
}

/** Each with the day and the machine. */
function readResults() {
  if (!fs.existsSync(results)) return [];
  const [day, machine] = [new Date().toISOString().slice(0, 10), os.cpus()[0]?.model.trim() ?? "unknown processor"];
  return fs
    .readFileSync(results, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ({ ...JSON.parse(line), day, machine }));
}

function readKept() {
  return fs.existsSync(kept) ? JSON.parse(fs.readFileSync(kept, "utf8")) : [];
}

/** One row for each name, in the tables' order. */
function rowsOf(all) {
  const faults = together(all, "fault", (one) => `${one.group}: ${one.fault}`, {
    trials: sum,
    lostProfiles: sum,
    duplicatedOutput: sum,
    wrongLine: sum,
  });
  // Runs of a reader begin with the same seeds: what one has tried, the longer one has too.
  const longest = all.filter(
    (one) =>
      one.kind !== "fuzz" ||
      one === all.filter(({ reader }) => reader === one.reader).reduce((a, b) => (b.inputs >= a.inputs ? b : a)),
  );
  return [
    ...faults,
    ...together(longest, "fuzz", (one) => one.reader, {}),
    ...together(all, "load", (one) => `${one.load}, ${one.measures}`, { value: most }),
  ];
}

function tablesOf(all) {
  const [faults, fuzz, load] = ["fault", "fuzz", "load"].map((kind) => all.filter((one) => one.kind === kind));
  const columns = ["trials", "lostProfiles", "duplicatedOutput", "wrongLine"];
  const total = columns.map((column) => count(faults.map((one) => one[column]).reduce(sum, undefined)));
  const trials = faults.map((one) => [`${one.group}: ${one.fault}`, ...columns.map((column) => count(one[column]))]);
  return [
    "### Faults\n",
    table(
      ["fault", "trials", "lost profiles", "duplicated output", "wrong line blamed"],
      [...trials, ["**all**", ...total.map((value) => `**${value}**`)]],
    ),
    "\n### Readers of untrusted input\n",
    table(
      ["reader", "inputs", "refused in words", "slowest (ms)", "highest RSS (MiB)"],
      fuzz.map((one) => [one.reader, count(one.inputs), count(one.refused), one.slowestMs.toFixed(1), mib(one.rss)]),
    ),
    "\n### Load\n",
    table(
      ["load", "what is measured", "highest", "bar"],
      load.map((one) => [one.load, one.measures, amount(one.value, one.unit), amount(one.bar, one.unit)]),
    ),
  ].join("\n");
}

/** Results of one kind in the order of their names; several of one name are one, each figure joined in its own way. */
function together(all, kind, nameOf, join) {
  const byName = new Map();
  for (const one of all.filter((result) => result.kind === kind)) {
    const before = byName.get(nameOf(one)) ?? {};
    const figures = Object.entries(join).map(([figure, how]) => [figure, how(before[figure], one[figure])]);
    byName.set(nameOf(one), { ...one, ...Object.fromEntries(figures) });
  }
  return [...byName].sort(([a], [b]) => a.localeCompare(b, "en")).map(([, one]) => one);
}

/** What does not apply stays so. */
function sum(a, b) {
  return a === undefined ? b : b === undefined ? a : a + b;
}

function most(a, b) {
  return a === undefined ? b : Math.max(a, b);
}

function count(value) {
  return value === undefined ? "–" : value.toLocaleString("en");
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, column) => (column === 0 ? "---" : "---:"));
  const cells = (row) => row.map((cell) => cell.replaceAll("|", "\\|"));
  return [line(head), line(rule), ...rows.map((row) => line(cells(row)))].join("\n");
}

function mib(bytes) {
  return (bytes / 2 ** 20).toFixed(1);
}

function amount(value, unit) {
  return unit === "bytes" ? `${mib(value)} MiB` : `${value.toFixed(1)} ms`;
}

function write(text, rows) {
  fs.writeFileSync(kept, `[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`);
  const file = path.join(root, "docs/reliability.md");
  const [begin, end] = ["<!-- tables -->", "<!-- end of tables -->"];
  const page = fs.readFileSync(file, "utf8");
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  if (before === -1 || after === -1) throw new Error(`${file} has no place for the tables.`);
  fs.writeFileSync(file, `${page.slice(0, before + begin.length)}\n${text}\n${page.slice(after)}`);
}
