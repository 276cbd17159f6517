/** The process that reads: its memory is the reader's, and it may be killed. Bundled with the reader by driver.ts. */
import { readFileSync, writeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { UserError } from "../../../src/profile/userError.ts";
import { seeded } from "../support/random.ts";
import { type Corpus, LARGEST_INPUT, mutated } from "./mutate.ts";
import type { FuzzReader, Outcome, Sample } from "./reader.ts";

/** Told on its command line, as JSON. */
export interface Task {
  readonly reader: string;
  /** Paths of samples from outside the project. */
  readonly fixtures: readonly string[];
  /** Inputs that once failed; tried first. */
  readonly kept: readonly KeptInput[];
  readonly first: number;
  readonly count: number;
}

export interface KeptInput {
  readonly seed: number;
  /** One character, U+0000 to U+00FF, for each byte. */
  readonly input: string;
  /** What was wrong, for people. */
  readonly found: string;
}

/** The answer, as one line of JSON on standard output. */
export interface Report {
  readonly inputs: number;
  readonly refused: number;
  readonly slowestMs: number;
  /** The input that took longest. */
  readonly slowestSeed: number;
  /** Highest RSS, bytes. */
  readonly rss: number;
  readonly finding?: Finding;
}

export interface Finding {
  readonly seed: number;
  readonly input: string;
  readonly what: string;
}

/** What one input may add to the highest RSS: garbage of those before it, and so much for each byte of its own. */
const MOST_ADDED = 96 * 2 ** 20;
const MOST_FOR_A_BYTE = 512;
/** CPU time; less than what counts as a hang, as the seed stays the same meanwhile. */
const SHRINKING_MS = 5_000;
/** So much of a real sample: whole ones are large, and most of what is in them repeats. */
const FIXTURE_BYTES = 8 * 1024;
/** Inputs in one turn of the event loop. */
const TURN = 1_000;
/** Says which input is being read, so that it is known after a kill. */
const PROGRESS = 3;

export async function fuzzInChild(readers: readonly FuzzReader[]): Promise<void> {
  const task = JSON.parse(process.argv[2] ?? "") as Task;
  const reader = readers.find(({ name }) => name === task.reader);
  if (reader === undefined) throw new Error(`There is no reader "${task.reader}".`);
  process.stdout.write(`${JSON.stringify(await tryAll(reader, task))}\n`);
}

async function tryAll(reader: FuzzReader, task: Task): Promise<Report> {
  const corpora = corporaOf(reader, task.fixtures);
  const totals = { inputs: 0, refused: 0, slowestMs: 0, slowestSeed: 0 };
  const report = (finding?: Finding): Report => ({
    ...totals,
    rss: highestRss(),
    ...(finding === undefined ? {} : { finding }),
  });
  for (const { seed, input } of inputsOf(task, corpora)) {
    // What Node does between turns, as to give up what timers and signals held, is done now and then.
    if (seed % TURN === 0) await setImmediate();
    tell(seed);
    const before = highestRss();
    const begun = performance.now();
    const outcome = await tryOne(reader, seed, input);
    const took = performance.now() - begun;
    if (outcome instanceof Error) {
      return report(findingOf(seed, await shrunk(reader, seed, input), outcome.stack ?? String(outcome)));
    }
    totals.inputs++;
    if (outcome === "refused") totals.refused++;
    if (took > totals.slowestMs) Object.assign(totals, { slowestMs: took, slowestSeed: seed });
    const added = highestRss() - before;
    if (added > MOST_ADDED + MOST_FOR_A_BYTE * input.length) {
      return report(findingOf(seed, input, `${input.length} bytes of input took ${added} bytes of memory`));
    }
  }
  return report();
}

/** An error is a finding. */
async function tryOne(reader: FuzzReader, seed: number, input: Uint8Array): Promise<Outcome | Error> {
  try {
    const answer = reader.read(input, seeded(~seed));
    // Most readers are synchronous: a million turns of the event loop are spared.
    return typeof answer === "string" ? answer : await answer;
  } catch (error) {
    return error instanceof UserError ? "refused" : (error as Error);
  }
}

/** What is left of an input when every part is taken out without which it still fails. */
async function shrunk(reader: FuzzReader, seed: number, input: Uint8Array): Promise<Uint8Array> {
  const begun = process.cpuUsage();
  const goesOn = (): boolean => {
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1000 < SHRINKING_MS;
  };
  let small = Buffer.from(input);
  for (let size = small.length >> 1; size > 0; size >>= 1) {
    for (let at = 0; at < small.length && goesOn(); ) {
      const smaller = Buffer.concat([small.subarray(0, at), small.subarray(at + size)]);
      if ((await tryOne(reader, seed, smaller)) instanceof Error) small = smaller;
      else at += size;
    }
  }
  return small;
}

function* inputsOf({ kept, first, count }: Task, corpora: Corpora): Generator<{ seed: number; input: Uint8Array }> {
  for (const { seed, input } of kept) yield { seed, input: Buffer.from(input, "latin1") };
  for (let seed = first; seed < first + count; seed++) yield { seed, input: inputOf(seed, corpora) };
}

interface Corpora {
  readonly own: Corpus;
  readonly real: Corpus | undefined;
}

/** A seed gives the same input with and without the real samples, but for each fourth. */
function inputOf(seed: number, { own, real }: Corpora): Uint8Array {
  return mutated(real !== undefined && seed % 4 === 3 ? real : own, seeded(seed));
}

function corporaOf({ samples: [first, ...others], pieces = [] }: FuzzReader, fixtures: readonly string[]): Corpora {
  const text = (sample: Sample): string => Buffer.from(sample).toString("latin1").slice(0, LARGEST_INPUT);
  const [real, ...more] = fixtures.map((file) => text(readFileSync(file)).slice(0, FIXTURE_BYTES));
  const own: Corpus = { samples: [text(first), ...others.map(text)], pieces: pieces.map(text) };
  return { own, real: real === undefined ? undefined : { ...own, samples: [real, ...more] } };
}

function findingOf(seed: number, input: Uint8Array, what: string): Finding {
  return { seed, input: Buffer.from(input).toString("latin1"), what };
}

function highestRss(): number {
  return process.resourceUsage().maxRSS * 1024;
}

const progress = Buffer.alloc(8);
function tell(seed: number): void {
  progress.writeDoubleLE(seed);
  writeSync(PROGRESS, progress, 0, 8, 0);
}

/** The input of a seed that ended the process, made again. */
export function inputOfSeed(reader: FuzzReader, task: Task, seed: number): string {
  const found = task.kept.find((one) => one.seed === seed);
  return found?.input ?? Buffer.from(inputOf(seed, corporaOf(reader, task.fixtures))).toString("latin1");
}
