/** `npm run bench`: runs the programs one after the other, keeps their rows and draws the page. Run at the root. */
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, tmpdir, totalmem, type } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { formatDuration } from "../../src/profile/text/format.ts";
import { formatFigure, formatGoal, formatGrowth, formatVerdict } from "./figures.ts";
import { bestPeer, figureOf, growthOf, judge, oursOf } from "./judge.ts";
import { page } from "./page.ts";
import { type Choice, choose } from "./programs.ts";
import { fileOf, isQuiet, type Measured, parseResult, type Result, serialized } from "./result.ts";
import { parseRows, type Row, type Written } from "./row.ts";

const RESULTS = "docs/benchmarks";
const PAGE = "docs/benchmarks.md";

interface Options {
  readonly quick: boolean;
  readonly rounds?: string;
}

/** The rows of one program. */
interface Kept {
  readonly rows: readonly Written[];
  readonly measured: Measured;
}

interface Outcome extends Kept {
  /** What did not come to a row, in words. */
  readonly failures: readonly string[];
}

function main(): number {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      page: { type: "boolean", default: false },
      rounds: { type: "string" },
    },
  });
  const before = load();
  const outcomes = values.page
    ? []
    : choose(positionals).map((choice) => {
        const outcome = measure(choice, values, before);
        // At once: what was measured stays where a later program is broken off.
        if (!values.quick) keep(outcome);
        return outcome;
      });
  if (!values.quick) draw();
  const failures = outcomes.flatMap((outcome) => outcome.failures);
  for (const failure of failures) console.error(failure);
  const judged = values.page ? stored() : outcomes.flatMap(({ rows }) => rows);
  const missed = judged.filter(({ row }) => judge(row).some(({ verdict }) => verdict.kind === "missed"));
  if (values.check) for (const { row } of missed) console.error(`${row.row}: its goal is missed`);
  return failures.length > 0 || (values.check && missed.length > 0) ? 1 : 0;
}

function measure({ program, rows }: Choice, { quick, rounds }: Options, before: number): Outcome {
  const folder = mkdtempSync(join(tmpdir(), "jmp-bench-"));
  const out = join(folder, "rows.json");
  const wanted = rows.length === program.rows.length ? [] : rows;
  const [command = "", ...words] = program.command;
  const args = [
    ...words,
    "--out",
    out,
    ...(quick ? ["--quick"] : []),
    ...(rounds ? ["--rounds", rounds] : []),
    ...wanted,
  ];
  console.log(`\n== ${[command, ...args].join(" ")}`);
  try {
    const began = new Date();
    const ended = spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"] });
    const seconds = (Date.now() - began.getTime()) / 1000;
    const measured = {
      date: began.toISOString(),
      commit: commit(),
      machine: machine(),
      load: { before, after: load() },
      seconds,
    };
    console.log(`   took ${formatDuration(seconds * 1000)}${isQuiet(measured) ? "" : "; the machine had other work"}`);
    return read(out, rows, measured, failureOf(ended));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function failureOf({ error, status, signal }: SpawnSyncReturns<Buffer>): string | undefined {
  if (error !== undefined) return error.message;
  return status === 0 ? undefined : `ended with ${status ?? signal}`;
}

function read(out: string, expected: readonly string[], measured: Measured, failure: string | undefined): Outcome {
  const written: unknown = existsSync(out) ? JSON.parse(readFileSync(out, "utf8")) : [];
  const { rows, wrong } = parseRows(written);
  for (const { row } of rows) tell(row);
  const missing = expected.filter((name) => !rows.some(({ row }) => row.row === name));
  const strangers = rows.filter(({ row }) => !expected.includes(row.row)).map(({ row }) => row.row);
  return {
    rows,
    measured,
    failures: [
      ...wrong.map((word) => `Not as bench/README.md has it, left out: ${word}`),
      ...missing.map(
        (name) =>
          `${name} was not measured${failure === undefined ? "" : `: its program ${failure}`}. What was measured before is kept.`,
      ),
      ...strangers.map((name) => `${name} is not in bench/programs.json.`),
      ...(failure !== undefined && missing.length === 0 ? [`The program of ${expected.join(", ")} ${failure}.`] : []),
    ],
  };
}

function tell(row: Row): void {
  const judged = judge(row);
  const at = judged[0]?.size ?? 0;
  const peer = bestPeer(row, at);
  const words = [
    formatFigure(figureOf(row, oursOf(row), at), row.unit),
    ...(peer === undefined ? [] : [`${peer.name} ${formatFigure(figureOf(row, peer, at), row.unit)}`]),
    ...judged.map((each) => `${formatGoal(each, row.unit, row.work.unit)}: ${formatVerdict(each).replaceAll("*", "")}`),
    ...[growthOf(row, oursOf(row))].filter(({ kind }) => kind === "grown").map(formatGrowth),
  ];
  console.log(`   ${row.row}: ${words.join("; ")}`);
}

function keep({ rows, measured }: Kept): void {
  mkdirSync(RESULTS, { recursive: true });
  for (const { row, written } of rows) writeFileSync(join(RESULTS, fileOf(row.row)), serialized(written, measured));
}

function stored(): readonly Result[] {
  if (!existsSync(RESULTS)) return [];
  const files = readdirSync(RESULTS).filter((file) => file.endsWith(".json"));
  return files.map((file) => {
    try {
      return parseResult(JSON.parse(readFileSync(join(RESULTS, file), "utf8")));
    } catch (error) {
      throw new Error(`${RESULTS}/${file} holds no row as bench/README.md has it`, { cause: error });
    }
  });
}

function draw(): void {
  const { markdown, pictures } = page(stored(), (name) => {
    const file = join(RESULTS, "text", `${name}.md`);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  });
  writeFileSync(PAGE, markdown);
  for (const [name, picture] of pictures) writeFileSync(join(RESULTS, name), picture);
}

function machine(): Measured["machine"] {
  const cores = cpus();
  const kernel = `${type()} ${release()}`;
  return {
    cpu: cores[0]?.model.trim() ?? "unknown",
    cores: cores.length,
    memoryMiB: Math.round(totalmem() / 2 ** 20),
    kernel,
  };
}

function load(): number {
  return loadavg()[0] ?? 0;
}

/** With `+` where files that are measured were changed since; `unknown` outside of a repository. */
function commit(): string {
  const git = (...args: readonly string[]) => spawnSync("git", args, { encoding: "utf8" });
  const { status, stdout } = git("rev-parse", "--short", "HEAD");
  if (status !== 0) return "unknown";
  return `${stdout.trim()}${git("diff", "--quiet", "HEAD", "--", ".", ":!docs").status === 0 ? "" : "+"}`;
}

process.exitCode = main();
