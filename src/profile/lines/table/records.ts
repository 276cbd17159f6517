/** What the records of lines.jsonl say, each by itself. docs/run-folder.md has the format. */
import * as v from "valibot";
import {
  amount,
  change,
  index,
  isAmount,
  isChange,
  isIndex,
  isLineNumber,
  lineNumber,
  present,
  relativePath,
} from "../../files/jsonRecords.ts";
import type { FunctionRow, LineRow, ProcessInfo } from "../../model.ts";
import { processOf, processSchema } from "../../run/runParts.ts";

export type FunctionCounts = Pick<FunctionRow, "calls" | "timeNs" | "net" | "peak">;
export interface FileHead {
  readonly path: string;
  readonly sha256: string;
  readonly functions: readonly { name: string; key: number; def_line: number; last_line: number }[];
}

type Figure = number | null;
/** As in the file: file, line, hits, net, self, largest increment, peak, usage, uncertain, and of peak, which may lack. */
type Row = readonly [number, number, Figure, Figure, Figure, Figure, Figure, Figure, Figure, (Figure | undefined)?];
const functionRowSchema = v.tuple([index, index, amount, v.nullable(amount), v.nullable(change), v.nullable(amount)]);
const rowsSchema = v.object({ pid: index, rows: v.array(v.unknown()) });
const fileSchema = v.object({
  file: index,
  path: relativePath,
  sha256: v.nullish(v.string()),
  functions: v.nullish(
    v.array(v.object({ name: v.string(), key: index, def_line: lineNumber, last_line: lineNumber })),
  ),
});
const atSchema = v.object({
  pid: index,
  threads: v.array(v.object({ thread: v.string(), file: index, line: lineNumber })),
});

function read<const Schema extends v.GenericSchema>(
  schema: Schema,
  record: unknown,
): v.InferOutput<Schema> | undefined {
  const parsed = v.safeParse(schema, record);
  return parsed.success ? parsed.output : undefined;
}

/** Goes through those rows of a record that can be read. */
export function eachRow<Read>(
  record: unknown,
  readOne: (raw: unknown) => Read | undefined,
  use: (pid: number, row: Read) => void,
): void {
  const found = read(rowsSchema, record);
  if (found === undefined) return;
  for (const raw of found.rows) {
    const row = readOne(raw);
    if (row !== undefined) use(found.pid, row);
  }
}

/** What each thread of a process was executing. */
export type ThreadsAt = v.InferOutput<typeof atSchema>;
export const readThreads = (record: unknown): ThreadsAt | undefined => read(atSchema, record);

export function readProcess(record: unknown): ProcessInfo | undefined {
  const found = read(processSchema, record);
  return found && processOf(found);
}

export function readFile(record: unknown): { readonly file: number; readonly head: FileHead } | undefined {
  const found = read(fileSchema, record);
  if (found === undefined) return undefined;
  const { file, path, sha256, functions } = found;
  return { file, head: { path, sha256: sha256 ?? "", functions: functions ?? [] } };
}

export function readFunctionRow(
  raw: unknown,
): { readonly file: number; readonly key: number; readonly counts: FunctionCounts } | undefined {
  const row = read(functionRowSchema, raw);
  if (row === undefined) return undefined;
  const [file, key, calls, timeNs, net, peak] = row;
  return { file, key, counts: present({ calls, timeNs, net, peak }) };
}

/** As it stands in the file: `lineRow` makes of it what is kept. */
export const readLineRow = (raw: unknown): Row | undefined => (isRow(raw) ? raw : undefined);

function isRow(raw: unknown): raw is Row {
  if (!Array.isArray(raw) || raw.length < 9) return false;
  const isSize = (value: unknown) => value === null || isAmount(value);
  const isMove = (value: unknown) => value === null || isChange(value);
  return (
    isIndex(raw[0]) &&
    isLineNumber(raw[1]) &&
    isSize(raw[2]) &&
    isMove(raw[3]) &&
    isMove(raw[4]) &&
    isMove(raw[5]) &&
    isSize(raw[6]) &&
    isSize(raw[7]) &&
    isSize(raw[8]) &&
    (raw.length < 10 || isSize(raw[9]))
  );
}

/** Figure by figure, as a table has tens of thousands: `present` takes several times as long. */
export function lineRow([, line, hits, net, self, maxIncrement, peak, usage, uncertain, peakUncertain = null]: Row) {
  if (hits !== null && net !== null && self !== null && maxIncrement !== null && peak !== null) {
    // Nearly all rows: made at once, an object takes half the memory.
    if (usage !== null && usage !== 0 && uncertain !== null && peakUncertain !== null) {
      return { line, hits, net, self, maxIncrement, peak, usage, uncertain, peakUncertain };
    }
  }
  const row: { -readonly [Key in keyof LineRow]: LineRow[Key] } = { line };
  if (hits !== null) row.hits = hits;
  // No process has an RSS of 0: the line never ended (killed in it, forked out of it), so only its self is known.
  const ended = usage !== 0;
  if (ended && net !== null) row.net = net;
  if (self !== null) row.self = self;
  if (ended && maxIncrement !== null) row.maxIncrement = maxIncrement;
  if (ended && peak !== null) row.peak = peak;
  if (ended && usage !== null) row.usage = usage;
  if (uncertain !== null) row.uncertain = uncertain;
  if (ended && peakUncertain !== null) row.peakUncertain = peakUncertain;
  return row;
}
