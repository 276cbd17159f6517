/**
 * Gives a reader one damaged input after the other, each made from a seed, in a process of its own: one that crashes,
 * runs out of memory or does not come back is named by its seed. `JETSON_MEMPROF_SEED=<seed>` tries that input alone.
 */
import { spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { defined } from "../../../src/profile/defined.ts";
import { inFull } from "../../support/inFull.ts";
import { REPOSITORY } from "../../support/scene.ts";
import { record, times } from "../support/results.ts";
import { type Finding, inputOfSeed, type KeptInput, type Report, type Task } from "./child.ts";
import type { FuzzReader } from "./reader.ts";

const LONG_INPUTS = 1_000_000;
/** Processes of a long run: readers of files wait half of the time. */
const AT_ONCE = times(1, 2 * availableParallelism());
/** CPU time that one input may take, in milliseconds; none is larger than 64 KiB. */
const HANG_MS = 20_000;
/** So many looks in a row at an input that takes no CPU time either: nothing will ever come of it. */
const LOOK_MS = 200;
/** More between two looks is not the reader's: the machine stood still. */
const MOST_A_LOOK_MS = 5 * LOOK_MS;
const STUCK_LOOKS = 300;
/** A reader that keeps what it was given ends here. In MiB. */
const HEAP_MIB = 256;
const FIXTURES = join(REPOSITORY, "../shared/fixtures");
const KEPT = join(REPOSITORY, "test/faults/fuzz/kept");
const SEED = process.env["JETSON_MEMPROF_SEED"];
/** Where reading and writing small files costs least. */
const SCRATCH = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const HERE = fileURLToPath(new URL(".", import.meta.url));

/**
 * A test for each reader.
 * @param module exports them as `readers`
 */
export function fuzzEach(module: URL, readers: readonly FuzzReader[]): void {
  describe("damaged and hostile input, by seed", () => {
    it.each(readers.map((reader) => [reader.name, reader] as const))(
      "%s: no crash, no hang, no unbounded memory, nothing that views cannot show",
      (_, reader) => fuzz(fileURLToPath(module), reader),
      times(600_000, 24 * 3_600_000),
    );
  });
}

async function fuzz(module: string, reader: FuzzReader): Promise<void> {
  const report = await attempt(module, inFull ? reader : { ...reader, short: Math.ceil(reader.short / 4) });
  const { inputs, refused, slowestMs, rss } = report;
  if (SEED === undefined) record({ kind: "fuzz", reader: reader.name, inputs, refused, slowestMs, rss });
  expect(report.finding && told(reader, report.finding)).toBeUndefined();
  // An input that nothing is made of tries nothing.
  if (SEED === undefined) expect(inputs - refused).toBeGreaterThan(inputs / 50);
}

/**
 * @param hangMs CPU time that one input may take
 * @param atOnce processes that share the seeds
 */
export async function attempt(
  module: string,
  reader: FuzzReader,
  hangMs: number = HANG_MS,
  atOnce: number = AT_ONCE,
): Promise<Report> {
  const folder = mkdtempSync(join(SCRATCH, "memprof-fuzz-"));
  try {
    const bundle = join(folder, "fuzz.cjs");
    writeFileSync(bundle, await bundled(module));
    return await inChildren(bundle, folder, { reader, hangMs }, shares(taskOf(reader), atOnce));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Ends all of them at the first finding. */
async function inChildren(
  bundle: string,
  folder: string,
  attempt: Omit<Attempt, "task">,
  tasks: readonly Task[],
): Promise<Report> {
  const found = new AbortController();
  const reports = await Promise.all(
    tasks.map(async (task, at) => {
      const own = join(folder, String(at));
      mkdirSync(own);
      const report = await inChild(bundle, own, { ...attempt, task }, found.signal);
      if (report.finding !== undefined) found.abort();
      return report;
    }),
  );
  return reports.reduce(together);
}

/** Equal ones of its seeds; what once failed is the first one's. */
function shares(task: Task, atOnce: number): readonly Task[] {
  const size = Math.ceil(task.count / atOnce);
  const others = Array.from({ length: atOnce - 1 }, (_, at) => (at + 1) * size).filter((from) => from < task.count);
  return [
    { ...task, count: Math.min(size, task.count) },
    ...others.map((from) => ({
      ...task,
      kept: [],
      first: task.first + from,
      count: Math.min(size, task.count - from),
    })),
  ];
}

function together(one: Report, other: Report): Report {
  const slowest = one.slowestMs >= other.slowestMs ? one : other;
  return {
    ...slowest,
    ...defined({ finding: one.finding ?? other.finding }),
    inputs: one.inputs + other.inputs,
    refused: one.refused + other.refused,
    rss: Math.max(one.rss, other.rss),
  };
}

function taskOf({ name, short, fixtures = [] }: FuzzReader): Task {
  const files = fixtures.flatMap((fixture) => filesBelow(join(FIXTURES, fixture)));
  const keptFile = join(KEPT, `${slug(name)}.json`);
  const kept = existsSync(keptFile) ? (JSON.parse(readFileSync(keptFile, "utf8")) as KeptInput[]) : [];
  const all = { reader: name, fixtures: files };
  if (SEED === undefined) return { ...all, kept, first: 1, count: times(short, LONG_INPUTS) };
  const again = kept.filter(({ seed }) => seed === Number(SEED));
  return { ...all, kept: again, first: Number(SEED), count: again.length > 0 ? 0 : 1 };
}

function filesBelow(path: string): string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}

const bundles = new Map<string, Promise<Uint8Array>>();

/** The program that has a module's readers, made once for all of them. */
function bundled(module: string): Promise<Uint8Array> {
  const made = bundles.get(module) ?? bundle(module);
  bundles.set(module, made);
  return made;
}

async function bundle(module: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { readers } from ${JSON.stringify(module)};
import { fuzzInChild } from "./child.ts";
void fuzzInChild(readers);`,
      resolveDir: HERE,
    },
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["esbuild", "vitest"],
    logLevel: "silent",
    sourcemap: "inline",
    define: { "import.meta.url": JSON.stringify(pathToFileURL(module)) },
    write: false,
  });
  const [program] = outputFiles;
  if (program === undefined) throw new Error(`${module} was not bundled.`);
  return program.contents;
}

interface Attempt {
  readonly reader: FuzzReader;
  readonly task: Task;
  readonly hangMs: number;
}

async function inChild(
  bundle: string,
  folder: string,
  { reader, task, hangMs }: Attempt,
  enough: AbortSignal,
): Promise<Report> {
  const progressFile = join(folder, "progress");
  const progress = openSync(progressFile, "w+");
  const child = spawn(
    process.execPath,
    ["--enable-source-maps", `--max-old-space-size=${HEAP_MIB}`, bundle, JSON.stringify(task)],
    {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe", progress],
    },
  );
  enough.addEventListener("abort", () => child.kill("SIGKILL"));
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (output.stderr = (output.stderr + text).slice(-4000)));
  let [last, before, taken, looks, hung] = [0, 0, 0, 0, false];
  const watch = setInterval(() => {
    const seed = seedIn(progress);
    const cpu = cpuMs(child.pid);
    const more = Math.min(cpu - before, MOST_A_LOOK_MS);
    before = cpu;
    // Until the first input it only starts.
    if (seed !== last || seed === 0) [last, taken, looks] = [seed, 0, 0];
    else [taken, looks] = [taken + more, more > 0 ? 0 : looks + 1];
    if (taken > hangMs || looks > STUCK_LOOKS) hung = child.kill("SIGKILL");
  }, LOOK_MS);
  const ended = await new Promise<string>((resolve) => {
    child.on("close", (code, signal) => resolve(code === null ? `${signal}` : `exit status ${code}`));
  });
  clearInterval(watch);
  const seed = seedIn(progress);
  closeSync(progress);
  // Without an answer a promise was left that nothing will ever settle.
  if (ended === "exit status 0" && output.stdout !== "") return JSON.parse(output.stdout) as Report;
  const report = {
    inputs: Math.max(0, seed - task.first),
    refused: 0,
    slowestMs: hung ? hangMs : 0,
    slowestSeed: seed,
    rss: 0,
  };
  if (enough.aborted && ended === "SIGKILL" && !hung) return report;
  const what = hung ? `was not read within ${hangMs} ms` : `ended the process (${ended}): ${output.stderr}`;
  const finding = { seed, input: inputOfSeed(reader, task, seed), what };
  return { ...report, finding };
}

/** CPU time of a process so far; the kernel counts it in hundredths of a second. */
function cpuMs(pid: number | undefined): number {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11, 13) ?? [];
    return (Number(user) + Number(system)) * 10;
  } catch {
    return 0; // gone
  }
}

function seedIn(file: number): number {
  const bytes = Buffer.alloc(8);
  return readSync(file, bytes, 0, 8, 0) === 8 ? bytes.readDoubleLE() : 0;
}

/** Keeps the input where it can be looked at, and says how to try it again. */
function told(reader: FuzzReader, { seed, input, what }: Finding): string {
  const folder = join(REPOSITORY, "test/artifacts/faults/fuzz");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${slug(reader.name)}-${seed}.json`);
  const kept: KeptInput = { seed, input, found: what.split("\n")[0] ?? "" };
  writeFileSync(file, `${JSON.stringify([kept])}\n`);
  const again = `JETSON_MEMPROF_SEED=${seed} npx vitest run --project faults test/faults/fuzz -t '${reader.name}'`;
  return `${reader.name}, seed ${seed}: ${what}\nThe input: ${file} (in test/faults/fuzz/kept it is tried first in every run)\nAgain: ${again}`;
}

function slug(name: string): string {
  return (name.match(/[A-Za-z0-9]+/g) ?? []).join("-").toLowerCase();
}
