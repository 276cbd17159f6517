/** What the suite's trials came to. `scripts/faults.mjs` makes the tables of docs/reliability.md of these records. */
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "../../support/scene.ts";

/** A long run, for docs/reliability.md; the short one is part of every `npm test`. */
const LONG = process.env["JETSON_MEMPROF_FAULTS"] === "long";

/** How often something is tried: `short` in every test run, `long` in a long one. */
export function times(short: number, long: number): number {
  return LONG ? long : short;
}

export type FaultGroup = "link" | "board" | "hostile" | "network";

/** One fault, tried some times. Each trial counts at most once in a column; undefined: the column does not apply. */
export interface FaultResult {
  readonly kind: "fault";
  readonly group: FaultGroup;
  /** As a reader of docs/reliability.md understands it: "connection dropped while files are sent". */
  readonly fault: string;
  readonly trials: number;
  /** Something was recorded, or should have been, and is not there afterwards. */
  readonly lostProfiles: number | undefined;
  /** Output or records came twice. */
  readonly duplicatedOutput: number | undefined;
  /** A line was charged with what it did not take, or the one that took it was not. */
  readonly wrongLine: number | undefined;
}

/** One reader of untrusted input, given so many inputs. None may crash, hang or take memory without bound. */
export interface FuzzResult {
  readonly kind: "fuzz";
  readonly reader: string;
  readonly inputs: number;
  /** Refused in words; the others were read. */
  readonly refused: number;
  readonly slowestMs: number;
  /** Highest RSS of the process that read them, bytes. */
  readonly rss: number;
}

/** One load: what was measured, and the most it may be. */
export interface LoadResult {
  readonly kind: "load";
  readonly load: string;
  readonly measures: string;
  readonly value: number;
  readonly bar: number;
  /** Of value and bar; `bytes` are shown as MiB. */
  readonly unit: "bytes" | "ms";
}

/** Keeps a result; tests assert on their own. */
export function record(result: FaultResult | FuzzResult | LoadResult): void {
  const folder = join(REPOSITORY, "test/artifacts/faults");
  mkdirSync(folder, { recursive: true });
  // One write of one line: test files run side by side.
  appendFileSync(join(folder, "results.jsonl"), `${JSON.stringify(result)}\n`);
}
