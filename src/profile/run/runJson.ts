/** run.json: what ran, where, how it ended. docs/run-folder.md has the format. */
import * as v from "valibot";
import { sentences, t } from "../../words/t.ts";
import {
  amount,
  checkSchema,
  damaged,
  index,
  lineNumber,
  parseObject,
  present,
  relativePath,
} from "../files/jsonRecords.ts";
import { type MassifSettings, METRICS, type Metric, type RunInfo } from "../model.ts";
import { formatBytes } from "../text/format.ts";
import { timelineMeasure } from "../text/measuredElsewhere.ts";
import { UserError } from "../userError.ts";
import {
  boardSchema,
  exitOf,
  exitSchema,
  importedSchema,
  notebookSchema,
  outputSchema,
  processOf,
  processSchema,
} from "./runParts.ts";

const text = v.nullish(v.string());
const count = v.nullish(amount);

const massifSchema = v.object({
  valgrind: text,
  threshold: amount,
  depth: index,
  pages_as_heap: v.boolean(),
  gpu: v.boolean(),
  max_hits: index,
  lines: v.array(v.tuple([relativePath, lineNumber])),
});

const heapSchema = v.object({
  mean: v.pipe(amount, v.minValue(1)),
  state: v.nullish(v.picklist(["sampled", "refused"])),
  reason: text,
});

const runSchema = v.object({
  id: v.pipe(v.string(), v.regex(/^[A-Za-z0-9._-]+$/, "is not a run's id")),
  state: v.picklist(["running", "finished"]),
  engine: v.object({
    name: v.picklist(["line", "memory_profiler", "massif"]),
    exact: v.nullish(v.boolean()),
    accelerator: v.nullish(v.boolean()),
    massif: v.nullish(massifSchema),
    heap: v.nullish(heapSchema),
  }),
  imported: v.nullish(importedSchema),
  command: v.object({
    python: v.string(),
    script: text,
    module: text,
    args: v.nullish(v.array(v.string())),
    launch: v.nullish(v.array(v.string())),
  }),
  project_root: text,
  notebook: v.nullish(notebookSchema),
  started: text,
  ended: text,
  elapsed_ms: count,
  exit: v.nullish(exitSchema),
  last_lines: v.nullish(
    v.array(
      v.object({
        pid: index,
        thread: v.string(),
        path: v.string(),
        line: lineNumber,
        stack: v.nullish(v.array(v.tuple([v.string(), lineNumber]))),
      }),
    ),
  ),
  environment: v.nullish(v.record(v.string(), v.string())),
  board: v.nullish(boardSchema),
  versions: v.nullish(v.record(v.string(), v.nullish(v.string()))),
  metrics: v.nullish(v.array(v.string())),
  processes: v.nullish(v.array(processSchema)),
  output: v.nullish(v.object({ stdout: outputSchema, stderr: outputSchema })),
  files: v.nullish(v.array(v.object({ path: relativePath, sha256: text, source: v.nullish(relativePath) }))),
  warnings: v.nullish(v.array(v.object({ code: v.string(), message: v.string() }))),
});

/** A measured file as run.json names it; `source` is where its text lies in the run folder. */
export interface SourceFile {
  readonly path: string;
  readonly sha256?: string;
  readonly source?: string;
}

export interface DecodedRun {
  readonly run: RunInfo;
  /** The project's folder on the board. */
  readonly projectRoot?: string;
  readonly sources: readonly SourceFile[];
  /** What has been measured by line, as the board knew when it wrote this. */
  readonly metrics: readonly Metric[];
}

/** Of run.json what a list shows: far less to check where there are hundreds of runs. */
const listedSchema = v.pick(runSchema, [
  "id",
  "state",
  "engine",
  "imported",
  "command",
  "started",
  "elapsed_ms",
  "exit",
  "board",
  "metrics",
  "warnings",
]);

/** What a list shows of a run. */
export type ListedRun = Pick<
  RunInfo,
  "id" | "state" | "engine" | "imported" | "command" | "started" | "elapsedMs" | "exit" | "board" | "warnings"
>;

/**
 * @param file the path shown in errors
 * @throws UserError `run-damaged`, `schema-too-new`
 */
export function decodeListedRun(
  content: string,
  file: string,
): { readonly run: ListedRun; readonly metrics: readonly Metric[] } {
  const raw = checked(listedSchema, content, file);
  return { run: listedRun(raw), metrics: metricsOf(raw) };
}

/**
 * @param file the path shown in errors
 * @throws UserError `run-damaged`, `schema-too-new`
 */
export function decodeRun(content: string, file: string): DecodedRun {
  const raw = checked(runSchema, content, file);
  return present({
    projectRoot: raw.project_root,
    sources: (raw.files ?? []).map(present),
    metrics: metricsOf(raw),
    run: present({
      ...listedRun(raw),
      ended: raw.ended,
      lastLines: (raw.last_lines ?? []).map(({ stack, ...at }) =>
        present({ ...at, stack: stack?.map(([path, line]) => ({ path, line })) }),
      ),
      notebook: raw.notebook && { ...raw.notebook, cells: raw.notebook.cells.map(present) },
      environment: raw.environment ?? {},
      versions: present(raw.versions ?? {}) as Record<string, string>,
      processes: (raw.processes ?? []).map(processOf),
      output: raw.output,
    }),
  });
}

function checked<T extends v.GenericSchema>(schema: T, content: string, file: string): v.InferOutput<T> {
  const record = parseObject(content);
  if (record === undefined) {
    throw new UserError(
      "run-damaged",
      t("{0} is cut off or is not JSON.", file),
      t("Reattach to the run where it is still on the board, or profile the script again."),
    );
  }
  checkSchema(record, file);
  const parsed = v.safeParse(schema, record);
  if (!parsed.success) throw damaged(file, parsed.issues);
  return parsed.output;
}

function metricsOf({ metrics }: v.InferOutput<typeof listedSchema>): readonly Metric[] {
  return METRICS.filter((metric) => metric === "rss" || metrics?.includes(metric));
}

function listedRun(raw: v.InferOutput<typeof listedSchema>): ListedRun {
  const { mem_total, ...board } = raw.board ?? {};
  return present({
    id: raw.id,
    state: raw.state,
    engine: present({
      name: raw.engine.name,
      exact: raw.engine.exact ?? false,
      accelerator: raw.engine.accelerator ?? false,
      massif: raw.engine.massif ? massifSettings(raw.engine.massif) : undefined,
      heap: raw.engine.heap ? present(raw.engine.heap) : undefined,
    }),
    imported: raw.imported ? present(raw.imported) : undefined,
    command: present({ ...raw.command, args: raw.command.args ?? [] }),
    started: raw.started,
    elapsedMs: raw.elapsed_ms,
    exit: raw.exit ? exitOf(raw.exit) : undefined,
    board: present({ ...board, memTotal: mem_total }),
    warnings: raw.warnings ?? [],
  });
}

function massifSettings(raw: v.InferOutput<typeof massifSchema>): MassifSettings {
  const { pages_as_heap: pagesAsHeap, max_hits: maxHits, lines, ...rest } = raw;
  return present({ ...rest, pagesAsHeap, maxHits, lines: lines.map(([path, line]) => ({ path, line })) });
}

/** What is left to say of a run whose run.json is missing or cut off while its figures can be read. */
export function runWithoutDescription(id: string, reason: string): DecodedRun {
  return {
    sources: [],
    metrics: ["rss"],
    run: {
      id,
      state: "finished",
      engine: { name: "line", exact: false, accelerator: false },
      command: { python: "", args: [] },
      exit: { kind: "lost" },
      lastLines: [],
      environment: {},
      board: {},
      versions: {},
      processes: [],
      warnings: [
        {
          code: "run-damaged",
          message: sentences(reason, t("What ran and how it ended is unknown; the figures are known.")),
        },
      ],
    },
  };
}

/** How people call a run: the script and its arguments. */
export function runTitle(run: Pick<RunInfo, "id" | "command">): string {
  const { script, module, args, launch = [] } = run.command;
  const entry = script ?? (module === undefined ? run.id : `-m ${module}`);
  const word = (part: string) => (/^[\w@%+=:,./\\-]+$/.test(part) ? part : JSON.stringify(part));
  return [...launch.map(word), entry, ...args.map(word)].join(" ");
}

/** Of a run whose recording broke off nobody knows how high it went after that. */
export function highestText({ exit }: Pick<RunInfo, "exit">, bytes: number): string {
  return exit?.kind === "lost" ? t("at least {0}", formatBytes(bytes)) : formatBytes(bytes);
}

/** The highest RSS of a run's main process; under massif that is valgrind's whole process. Of an imported run, what it measured. */
export function peakText(
  run: Pick<RunInfo, "imported" | "exit"> & { readonly massif: boolean },
  rssPeak: number,
): string {
  const measure = timelineMeasure(run);
  const highest = highestText(run, rssPeak);
  if (measure !== undefined) return t("peak {0} ({1})", highest, measure);
  return run.massif ? t("peak {0} with valgrind", highest) : t("peak {0}", highest);
}
