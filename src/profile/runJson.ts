/** run.json: what ran, where, how it ended. docs/run-folder.md has the format. */
import * as v from "valibot";
import { formatBytes } from "./format.ts";
import { amount, checkSchema, damaged, index, lineNumber, parseObject, present, relativePath } from "./jsonRecords.ts";
import { type Exit, type MassifSettings, METRICS, type Metric, type RunInfo } from "./model.ts";
import { UserError } from "./userError.ts";

const text = v.nullish(v.string());
const count = v.nullish(amount);

const exitSchema = v.variant("kind", [
  v.object({ kind: v.literal("exited"), code: v.pipe(v.number(), v.integer()) }),
  v.object({ kind: v.literal("signalled"), signal: v.string() }),
  v.object({
    kind: v.literal("out-of-memory"),
    signal: v.string(),
    evidence: text,
    kernel_log: v.nullish(v.array(v.string())),
  }),
  v.object({ kind: v.literal("cancelled"), signal: text }),
  v.object({ kind: v.literal("not-started"), message: v.string() }),
  v.object({ kind: v.literal("lost") }),
]);

const outputSchema = v.object({ bytes: amount, kept: amount });

export const processSchema = v.object({
  pid: index,
  kind: v.picklist(["main", "fork", "spawn"]),
  label: v.string(),
  implementation: v.nullish(
    v.picklist(["accelerator", "pure", "memory_profiler", "massif-lines", "massif-functions", "massif-plain"]),
  ),
});

const massifSchema = v.object({
  valgrind: text,
  threshold: amount,
  depth: index,
  pages_as_heap: v.boolean(),
  gpu: v.boolean(),
  max_hits: index,
  lines: v.array(v.tuple([relativePath, lineNumber])),
});

const runSchema = v.object({
  id: v.pipe(v.string(), v.regex(/^[A-Za-z0-9._-]+$/, "is not a run's id")),
  state: v.picklist(["running", "finished"]),
  engine: v.object({
    name: v.picklist(["line", "memory_profiler", "massif"]),
    exact: v.nullish(v.boolean()),
    accelerator: v.nullish(v.boolean()),
    massif: v.nullish(massifSchema),
  }),
  command: v.object({ python: v.string(), script: text, module: text, args: v.nullish(v.array(v.string())) }),
  project_root: text,
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
  board: v.nullish(
    v.object({
      model: text,
      l4t: text,
      kernel: text,
      machine: text,
      hostname: text,
      cpus: count,
      mem_total: count,
      compatible: text,
      simulated: text,
    }),
  ),
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

/**
 * @param file the path shown in errors
 * @throws UserError `run-damaged`, `schema-too-new`
 */
export function decodeRun(content: string, file: string): DecodedRun {
  const record = parseObject(content);
  if (record === undefined) {
    throw new UserError(
      "run-damaged",
      `${file} is cut off or is not JSON.`,
      "Reconnect to the run where it is still on the board, or profile the script again.",
    );
  }
  checkSchema(record, file);
  const parsed = v.safeParse(runSchema, record);
  if (!parsed.success) throw damaged(file, parsed.issues);
  const raw = parsed.output;
  const { mem_total, ...board } = raw.board ?? {};
  return present({
    projectRoot: raw.project_root,
    sources: (raw.files ?? []).map(present),
    metrics: METRICS.filter((metric) => metric === "rss" || raw.metrics?.includes(metric)),
    run: present({
      id: raw.id,
      state: raw.state,
      engine: present({
        name: raw.engine.name,
        exact: raw.engine.exact ?? false,
        accelerator: raw.engine.accelerator ?? false,
        massif: raw.engine.massif ? massifSettings(raw.engine.massif) : undefined,
      }),
      command: present({ ...raw.command, args: raw.command.args ?? [] }),
      started: raw.started,
      ended: raw.ended,
      elapsedMs: raw.elapsed_ms,
      exit: raw.exit ? exitOf(raw.exit) : undefined,
      lastLines: (raw.last_lines ?? []).map(({ stack, ...at }) =>
        present({ ...at, stack: stack?.map(([path, line]) => ({ path, line })) }),
      ),
      environment: raw.environment ?? {},
      board: present({ ...board, memTotal: mem_total }),
      versions: present(raw.versions ?? {}) as Record<string, string>,
      processes: (raw.processes ?? []).map(present),
      output: raw.output,
      warnings: raw.warnings ?? [],
    }),
  });
}

function exitOf(raw: v.InferOutput<typeof exitSchema>): Exit {
  if (raw.kind !== "out-of-memory") return present(raw) as Exit;
  const { kernel_log: kernelLog, ...rest } = raw;
  return present({ ...rest, kernelLog }) as Exit;
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
        { code: "run-damaged", message: `${reason} What ran and how it ended is not known; the figures are.` },
      ],
    },
  };
}

/** How people call a run: the script and its arguments. */
export function runTitle(run: RunInfo): string {
  const { script, module, args } = run.command;
  const entry = script ?? (module === undefined ? run.id : `-m ${module}`);
  return [entry, ...args.map((part) => (/^[\w@%+=:,./\\-]+$/.test(part) ? part : JSON.stringify(part)))].join(" ");
}

/** The highest RSS of a run's main process; under massif that is valgrind's whole process. */
export function peakText(run: RunInfo, rssPeak: number): string {
  return `peak ${formatBytes(rssPeak)}${run.engine.name === "massif" ? " with valgrind" : ""}`;
}
