/** A measured row as it is kept in docs/benchmarks/: the program's row, and where and when it was measured. */
import * as v from "valibot";
import { parseRow, type Row } from "./row.ts";

const measured = v.object({
  /** ISO 8601, UTC, when the program began. */
  date: v.string(),
  /** Of the project; `+` at its end where files were changed. */
  commit: v.string(),
  machine: v.object({ cpu: v.string(), cores: v.number(), memoryMiB: v.number(), kernel: v.string() }),
  /** Load averages of one minute: before anything was measured, and after this row's program. */
  load: v.object({ before: v.number(), after: v.number() }),
  /** Of the whole program, with the others of its rows. */
  seconds: v.number(),
});

export type Measured = v.InferOutput<typeof measured>;

export interface Result {
  readonly row: Row;
  readonly measured: Measured;
}

/** Other processes took part of the machine when it was measured. */
export const QUIET_LOAD = 0.5;

export function isQuiet({ load }: Measured): boolean {
  return load.before <= QUIET_LOAD;
}

/** What is kept in a file, to be read by parseResult. */
export function serialized(written: unknown, when: Measured): string {
  return `${JSON.stringify({ ...v.parse(v.looseObject({}), written), measured: when }, undefined, 2)}\n`;
}

/** @param value a row as the program wrote it, beside `measured` @throws Error where it is not as agreed */
export function parseResult(value: unknown): Result {
  const { measured: when, ...row } = v.parse(v.looseObject({ measured }), value);
  return { row: parseRow(row), measured: when };
}

/** `line-time/hot` lies in `line-time-hot.json`. */
export function fileOf(row: string): string {
  return `${row.replace("/", "-")}.json`;
}
