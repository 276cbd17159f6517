/** lines.jsonl: the line table of every process of a run, folded as it grows. docs/run-folder.md has the format. */
import * as v from "valibot";
import { inTurns } from "../files/inTurns.ts";
import {
  amount,
  change,
  checkSchema,
  index,
  isAmount,
  isChange,
  isIndex,
  isLineNumber,
  lineNumber,
  parseObject,
  present,
  relativePath,
} from "../files/jsonRecords.ts";
import { LIMITS, type Limits } from "../limits.ts";
import type {
  CudaFigures,
  CudaReading,
  FileProfile,
  FunctionRow,
  LineRow,
  Metric,
  Phase,
  ProcessInfo,
  RunInfo,
  SystemFigures,
} from "../model.ts";
import { processSchema } from "../run/runParts.ts";
import {
  type NumberedPhase,
  placedPhase,
  readCudaOn,
  readCudaRow,
  readPhase,
  readSystemRow,
} from "../torch/torchRecords.ts";
import { mergeFiles } from "./merge.ts";

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

type TableName = "lines" | "cuda" | "system" | "functions";
type FunctionCounts = Pick<FunctionRow, "calls" | "timeNs" | "net" | "peak">;
interface FileCounters {
  readonly lines: Map<number, LineRow>;
  readonly cuda: Map<number, CudaFigures>;
  readonly system: Map<number, SystemFigures>;
  readonly functions: Map<number, FunctionCounts>;
  /** What these came to last, until they change: of many files few do between two looks at a run that goes on. */
  profile?: { readonly file: FileProfile; readonly head: FileHead; readonly taken: Taken } | undefined;
}
interface FileHead {
  readonly path: string;
  readonly sha256: string;
  readonly functions: readonly { name: string; key: number; def_line: number; last_line: number }[];
}

/** What the records read so far amount to. */
export interface LineTableState {
  readonly runId?: string;
  readonly files: readonly FileProfile[];
  /** Empty where one process alone has figures. */
  readonly byProcess: ReadonlyMap<number, readonly FileProfile[]>;
  readonly processes: readonly ProcessInfo[];
  /** What each thread was executing when last heard of. */
  readonly lastLines: RunInfo["lastLines"];
  readonly metrics: ReadonlySet<Metric>;
  readonly cuda: ReadonlyMap<number, CudaReading>;
  readonly phases: readonly Phase[];
  readonly complete: boolean;
  /** The file has more than is kept. */
  readonly cut: boolean;
}

export interface LineTable {
  /**
   * Takes one line of the file. Records it does not know are passed over.
   * @throws UserError `schema-too-new`, `run-damaged`
   */
  add(line: string): void;
  /** In short turns; nothing may be added meanwhile. */
  state(): Promise<LineTableState>;
  /** The run's id, once the header was read. */
  runId(): string | undefined;
  /** The path of a file number, as the samples use it. */
  path(file: number): string | undefined;
}

/** @param name the path shown in errors */
export function createLineTable(name: string, limits: Omit<Limits, "samples" | "samplesRead"> = LIMITS): LineTable {
  const heads = new Map<number, FileHead>();
  const counters = new Map<number, Map<number, FileCounters>>();
  const processes = new Map<number, ProcessInfo>();
  const threads = new Map<number, v.InferOutput<typeof atSchema>["threads"]>();
  const cuda = new Map<number, CudaReading>();
  const phases = new Map<string, NumberedPhase>();
  let systemRead = false;
  let runId: string | undefined;
  let complete = false;
  let lines = 0;
  let tables = 0;
  let cut = false;

  /** Undefined where there are too many. */
  function countersOf(pid: number, file: number): FileCounters | undefined {
    const files = counters.get(pid) ?? new Map<number, FileCounters>();
    let found = files.get(file);
    if (found === undefined) {
      if (tables >= limits.files || (!counters.has(pid) && counters.size >= limits.processes)) {
        cut = true;
        return undefined;
      }
      tables++;
      found = { lines: new Map(), cuda: new Map(), system: new Map(), functions: new Map() };
      files.set(file, found);
      counters.set(pid, files);
    }
    // It is asked for to be changed.
    found.profile = undefined;
    return found;
  }

  function put<T>(pid: number, file: number, what: TableName, key: number, row: T): void {
    const table = countersOf(pid, file)?.[what] as Map<number, T> | undefined;
    if (table === undefined) return;
    if (!table.has(key)) {
      if (lines >= limits.lines) {
        cut = true;
        return;
      }
      lines++;
    }
    table.set(key, row);
  }

  /** For each process. */
  function keep<K, T>(map: Map<K, T>, key: K, value: T): void {
    if (map.size >= limits.processes && !map.has(key)) cut = true;
    else map.set(key, value);
  }

  function addRows(record: unknown): void {
    const parsed = v.safeParse(rowsSchema, record);
    if (!parsed.success) return;
    for (const raw of parsed.output.rows) {
      if (isRow(raw)) put(parsed.output.pid, raw[0], "lines", raw[1], lineRow(raw));
    }
  }

  function addCuda(record: unknown): void {
    const parsed = v.safeParse(rowsSchema, record);
    if (!parsed.success) return;
    for (const row of parsed.output.rows.map(readCudaRow)) {
      if (row !== undefined) put(parsed.output.pid, row.file, "cuda", row.line, row.figures);
    }
  }

  function addSystem(record: unknown): void {
    const parsed = v.safeParse(rowsSchema, record);
    if (!parsed.success) return;
    for (const row of parsed.output.rows.map(readSystemRow)) {
      if (row === undefined) continue;
      systemRead = true;
      put(parsed.output.pid, row.file, "system", row.line, row.figures);
    }
  }

  function addCudaOn(record: unknown): void {
    const found = readCudaOn(record);
    if (found !== undefined) keep(cuda, found.pid, found.reading);
  }

  function addPhase(record: unknown): void {
    const phase = readPhase(record);
    if (phase !== undefined) keep(phases, `${phase.pid} ${phase.phase}`, phase);
  }

  function addFunctions(record: unknown): void {
    const parsed = v.safeParse(rowsSchema, record);
    if (!parsed.success) return;
    for (const raw of parsed.output.rows) {
      const row = v.safeParse(functionRowSchema, raw);
      if (!row.success) continue;
      const [file, key, calls, timeNs, net, peak] = row.output;
      put(parsed.output.pid, file, "functions", key, present({ calls, timeNs, net, peak }));
    }
  }

  function addFile(record: Readonly<Record<string, unknown>>): void {
    if (heads.size >= limits.files && !heads.has(record["file"] as number)) {
      cut = true;
      return;
    }
    const parsed = v.safeParse(fileSchema, record);
    if (!parsed.success) return;
    const { file, path, sha256, functions } = parsed.output;
    heads.set(file, { path, sha256: sha256 ?? "", functions: functions ?? [] });
  }

  function addProcess(record: unknown): void {
    const parsed = v.safeParse(processSchema, record);
    if (parsed.success) keep(processes, parsed.output.pid, present(parsed.output));
  }

  function addAt(record: unknown): void {
    const parsed = v.safeParse(atSchema, record);
    if (parsed.success) keep(threads, parsed.output.pid, parsed.output.threads);
  }

  const path = (file: number): string | undefined => heads.get(file)?.path;

  async function filesOf(pid: number, files: ReadonlyMap<number, FileCounters>): Promise<readonly FileProfile[]> {
    const taken = { cuda: cuda.has(pid), system: systemRead };
    const result: FileProfile[] = [];
    for (const [number, head] of heads) {
      const found = files.get(number);
      if (found === undefined) continue;
      if (found.profile?.head !== head || !areEqual(found.profile.taken, taken)) {
        found.profile = { file: await fileProfile(head, found, taken), head, taken };
      }
      result.push(found.profile.file);
    }
    return result;
  }

  function lastLines(): RunInfo["lastLines"] {
    return [...threads].flatMap(([pid, list]) =>
      list.flatMap(({ thread, file, line }) => {
        const name = path(file);
        return name === undefined ? [] : [{ pid, thread, path: name, line }];
      }),
    );
  }

  return {
    add(line) {
      const record = parseObject(line);
      if (record === undefined) return;
      switch (record["record"]) {
        case "header":
          checkSchema(record, name);
          if (typeof record["run"] === "string") runId = record["run"];
          break;
        case "process":
          addProcess(record);
          break;
        case "file":
          addFile(record);
          break;
        case "rows":
          addRows(record);
          break;
        case "cuda-on":
          addCudaOn(record);
          break;
        case "cuda":
          addCuda(record);
          break;
        case "system":
          addSystem(record);
          break;
        case "phase":
          addPhase(record);
          break;
        case "functions":
          addFunctions(record);
          break;
        case "at":
          addAt(record);
          break;
        case "end":
          complete = true;
          break;
      }
    },
    async state() {
      const tables: (readonly [number, readonly FileProfile[]])[] = [];
      for (const [pid, files] of counters) tables.push([pid, await filesOf(pid, files)]);
      return {
        ...(runId === undefined ? {} : { runId }),
        files: mergeFiles(tables.map(([, files]) => files)),
        byProcess: new Map(tables.length > 1 ? tables : []),
        processes: [...processes.values()],
        lastLines: lastLines(),
        metrics: new Set<Metric>([
          "rss",
          ...(cuda.size > 0 ? ["cuda" as const] : []),
          ...(systemRead ? ["system" as const] : []),
        ]),
        cuda: new Map(cuda),
        cut,
        phases: [...phases.values()].map((phase) => placedPhase(phase, path)).sort((a, b) => a.t - b.t),
        complete,
      };
    },
    path,
    runId: () => runId,
  };
}

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
function lineRow([, line, hits, net, self, maxIncrement, peak, usage, uncertain, peakUncertain = null]: Row) {
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

/** Which measures were taken in a process. */
interface Taken {
  readonly cuda: boolean;
  readonly system: boolean;
}

const NO_CUDA: CudaFigures = {
  net: 0,
  self: 0,
  uncertain: 0,
  maxIncrement: 0,
  peak: 0,
  peakMost: 0,
  reservedNet: 0,
  reservedSelf: 0,
  reservedPeak: 0,
};

function areEqual(a: Taken, b: Taken): boolean {
  return a.cuda === b.cuda && a.system === b.system;
}

async function fileProfile(head: FileHead, counters: FileCounters, taken: Taken): Promise<FileProfile> {
  const functions = head.functions.map((place): FunctionRow => {
    const counts = counters.functions.get(place.key) ?? { calls: 0, timeNs: 0 };
    return { name: place.name, key: place.key, defLine: place.def_line, lastLine: place.last_line, ...counts };
  });
  return {
    path: head.path,
    sha256: head.sha256,
    lines: await lineRows(counters, taken),
    functions,
  };
}

/**
 * A line that ran where CUDA was measured, and has no row of it, moved nothing there. The board's memory is read now and
 * then only: what a line without a row moved of it is not known. A forked worker's line may have moved it without having
 * begun in the worker: then it has no other figures.
 */
async function lineRows({ lines, cuda, system }: FileCounters, taken: Taken): Promise<LineRow[]> {
  const numbers = new Set(lines.keys());
  for (const measure of [cuda, system]) for (const line of measure.keys()) numbers.add(line);
  return await inTurns(
    [...numbers].sort((a, b) => a - b),
    (line) => {
      const row = lines.get(line) ?? { line, hits: 0 };
      if (!taken.cuda && !taken.system) return row;
      const whole: { -readonly [Key in keyof LineRow]: LineRow[Key] } = { ...row };
      if (taken.cuda) whole.cuda = cuda.get(line) ?? NO_CUDA;
      const board = system.get(line);
      if (board !== undefined) whole.system = board;
      return whole;
    },
  );
}
