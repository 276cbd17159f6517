/** lines.jsonl: the line table of every process of a run, folded as it grows. docs/run-folder.md has the format. */
import { defined } from "../defined.ts";
import { checkSchema, parseObject } from "../files/jsonRecords.ts";
import { LIMITS } from "../limits.ts";
import { type NumberedLoad, placedLoad, readLoad } from "../loads/loadRecords.ts";
import type { CudaReading, FileLoad, FileProfile, Metric, Phase, ProcessInfo, RunInfo } from "../model.ts";
import {
  type NumberedPhase,
  placedPhase,
  readCudaOn,
  readCudaRow,
  readPhase,
  readSystemRow,
} from "../torch/torchRecords.ts";
import { mergeFiles } from "./merge.ts";
import { type CounterLimits, createCounters } from "./table/counters.ts";
import { type FileCounters, profileOf } from "./table/fileProfile.ts";
import {
  eachRow,
  type FileHead,
  lineRow,
  readFile,
  readFunctionRow,
  readLineRow,
  readProcess,
  readThreads,
  type ThreadsAt,
} from "./table/records.ts";

/** What the records read so far amount to. */
export interface LineTableState {
  readonly runId?: string;
  readonly files: readonly FileProfile[];
  /** Of every process that has figures. */
  readonly tables: ReadonlyMap<number, readonly FileProfile[]>;
  /** Empty where one process alone has figures. */
  readonly byProcess: ReadonlyMap<number, readonly FileProfile[]>;
  readonly processes: readonly ProcessInfo[];
  /** What each thread was executing when last heard of. */
  readonly lastLines: RunInfo["lastLines"];
  readonly metrics: ReadonlySet<Metric>;
  readonly cuda: ReadonlyMap<number, CudaReading>;
  readonly phases: readonly Phase[];
  readonly loads: readonly FileLoad[];
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
  /** When the newest of the records was written, ms since the run began. */
  latest(): number;
  /** The path of a file number, as the samples use it. */
  path(file: number): string | undefined;
}

/** Far more than a board writes. */
const MOST_LOADS = 5_000;

/**
 * @param name the path shown in errors
 * @param until records of later are passed over, ms since the run began
 */
export function createLineTable(
  name: string,
  limits: CounterLimits = LIMITS,
  until = Number.POSITIVE_INFINITY,
): LineTable {
  const counters = createCounters(limits);
  const heads = new Map<number, FileHead>();
  const processes = new Map<number, ProcessInfo>();
  const threads = new Map<number, ThreadsAt["threads"]>();
  const cuda = new Map<number, CudaReading>();
  const phases = new Map<string, NumberedPhase>();
  const loads = new Map<string, NumberedLoad>();
  let systemRead = false;
  let runId: string | undefined;
  let complete = false;
  let latest = 0;

  function addHeader(record: Readonly<Record<string, unknown>>): void {
    checkSchema(record, name);
    if (typeof record["run"] === "string") runId = record["run"];
  }

  function addProcess(record: unknown): void {
    const process = readProcess(record);
    if (process !== undefined) counters.keep(processes, "processes", process.pid, process);
  }

  function addFile(record: unknown): void {
    const found = readFile(record);
    if (found !== undefined) counters.keep(heads, "files", found.file, found.head);
  }

  function addCudaOn(record: unknown): void {
    const found = readCudaOn(record);
    if (found !== undefined) counters.keep(cuda, "processes", found.pid, found.reading);
  }

  function addSystem(record: unknown): void {
    eachRow(record, readSystemRow, (pid, { file, line, figures }) => {
      systemRead = true;
      counters.put(pid, file, "system", line, figures);
    });
  }

  function addPhase(record: unknown): void {
    const phase = readPhase(record);
    if (phase !== undefined) counters.keep(phases, "processes", `${phase.pid} ${phase.phase}`, phase);
  }

  function addLoad(record: unknown): void {
    const load = readLoad(record);
    if (load === undefined) return;
    const key = `${load.pid} ${load.file} ${load.line} ${load.path}`;
    if (loads.size < MOST_LOADS || loads.has(key)) loads.set(key, load);
  }

  function addAt(record: unknown): void {
    const found = readThreads(record);
    if (found !== undefined) counters.keep(threads, "processes", found.pid, found.threads);
  }

  const path = (file: number): string | undefined => heads.get(file)?.path;

  async function filesOf(pid: number, files: ReadonlyMap<number, FileCounters>): Promise<readonly FileProfile[]> {
    const taken = { cuda: cuda.has(pid), system: systemRead };
    const result: FileProfile[] = [];
    for (const [number, head] of heads) {
      const found = files.get(number);
      if (found !== undefined) result.push(await profileOf(head, found, taken));
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
      const { t } = record;
      if (typeof t === "number") {
        if (t > until) return;
        latest = Math.max(latest, t);
      }
      switch (record["record"]) {
        case "header":
          addHeader(record);
          break;
        case "process":
          addProcess(record);
          break;
        case "file":
          addFile(record);
          break;
        case "rows":
          eachRow(record, readLineRow, (pid, row) => counters.put(pid, row[0], "lines", row[1], lineRow(row)));
          break;
        case "cuda-on":
          addCudaOn(record);
          break;
        case "cuda":
          eachRow(record, readCudaRow, (pid, row) => counters.put(pid, row.file, "cuda", row.line, row.figures));
          break;
        case "system":
          addSystem(record);
          break;
        case "phase":
          addPhase(record);
          break;
        case "load":
          addLoad(record);
          break;
        case "functions":
          eachRow(record, readFunctionRow, (pid, row) => counters.put(pid, row.file, "functions", row.key, row.counts));
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
      for (const [pid, files] of counters.byProcess) tables.push([pid, await filesOf(pid, files)]);
      return {
        ...defined({ runId }),
        files: mergeFiles(tables.map(([, files]) => files)),
        tables: new Map(tables),
        byProcess: new Map(tables.length > 1 ? tables : []),
        processes: [...processes.values()],
        lastLines: lastLines(),
        metrics: new Set<Metric>([
          "rss",
          ...(cuda.size > 0 ? ["cuda" as const] : []),
          ...(systemRead ? ["system" as const] : []),
        ]),
        cuda: new Map(cuda),
        cut: counters.cut,
        phases: [...phases.values()].map((phase) => placedPhase(phase, path)).sort((a, b) => a.t - b.t),
        loads: [...loads.values()].flatMap((load) => placedLoad(load, path) ?? []),
        complete,
      };
    },
    latest: () => latest,
    path,
    runId: () => runId,
  };
}
