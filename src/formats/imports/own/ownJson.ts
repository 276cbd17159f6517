/** Our own JSON (docs/schema/run.schema.json) read back: nothing that the run model holds by line is lost. */
import * as v from "valibot";
import { defined } from "../../../profile/defined.ts";
import {
  amount,
  change,
  checkSchema,
  damaged,
  index,
  lineNumber,
  parseObject,
  present,
  relativePath,
} from "../../../profile/files/jsonRecords.ts";
import {
  CUDA_FIGURES,
  type FigureName,
  LINE_FIGURES,
  SYSTEM_FIGURES,
  unnamed,
} from "../../../profile/lines/figureNames.ts";
import {
  type FileProfile,
  type LineRow,
  METRICS,
  type Metric,
  PHASES,
  type Phase,
  type Profile,
  type RunInfo,
} from "../../../profile/model.ts";
import type { Sample } from "../../../profile/samples/samples.ts";
import { UserError } from "../../../profile/userError.ts";
import { t } from "../../../words/t.ts";
import type { ImportedRun } from "../../model.ts";
import { importedKept } from "./ownJsonKept.ts";
import { importedInfo, ownRunSchema } from "./ownJsonRun.ts";

const figure = v.nullish(amount);
const moved = v.nullish(change);

const KINDS = { amount, change } as const;

/** What the figures of a kind are called in the file. */
function figuresSchema(names: Readonly<Record<string, FigureName>>) {
  const entries = Object.values(names).map(({ name, is, mayLack }) => {
    const kind: v.GenericSchema<unknown, number | null | undefined> = KINDS[is];
    return [name, mayLack ? v.nullish(kind) : kind] as const;
  });
  return Object.fromEntries(entries);
}

const lineSchema = v.object({
  ...figuresSchema(LINE_FIGURES),
  line: lineNumber,
  cuda: v.nullish(v.object(figuresSchema(CUDA_FIGURES))),
  system: v.nullish(v.object(figuresSchema(SYSTEM_FIGURES))),
});
const functionSchema = v.object({
  name: v.string(),
  first_line: index,
  def_line: lineNumber,
  last_line: lineNumber,
  calls: amount,
  time_ns: figure,
  net_bytes: moved,
  peak_bytes: figure,
});
const fileSchema = v.object({
  path: relativePath,
  sha256: v.nullish(v.string()),
  lines: v.pipe(
    v.array(lineSchema),
    v.check((lines) => areDistinct(lines.map(({ line }) => line)), "has a line twice"),
  ),
  functions: v.nullish(v.array(functionSchema)),
  source: v.nullish(v.string()),
});
const filesSchema = v.pipe(
  v.array(fileSchema),
  v.check((files) => areDistinct(files.map(({ path }) => path)), "has a file twice"),
);
const phaseSchema = v.object({
  pid: index,
  phase: v.picklist(PHASES),
  at_ms: amount,
  path: v.nullish(v.string()),
  line: v.nullish(lineNumber),
  rss_bytes: figure,
  mem_available_bytes: figure,
  nvmap_bytes: figure,
  allocated_bytes: figure,
  reserved_bytes: figure,
  device_used_bytes: figure,
});
const sampleSchema = v.object({
  at_ms: amount,
  hits: figure,
  rss_bytes: figure,
  rss_peak_bytes: figure,
  mem_available_bytes: figure,
  path: v.nullish(v.string()),
  line: v.nullish(index),
});
const documentSchema = v.object({
  run: ownRunSchema,
  since_ms: v.nullish(amount),
  metrics: v.nullish(v.array(v.string())),
  cuda: v.nullish(
    v.array(
      v.object({
        pid: index,
        noticed_by: v.picklist(["counter", "asking"]),
        peaks: v.picklist(["bounds", "exact"]),
      }),
    ),
  ),
  phases: v.nullish(v.array(phaseSchema)),
  files: filesSchema,
  by_process: v.nullish(v.array(v.object({ pid: index, files: filesSchema }))),
  timeline: v.nullish(v.array(sampleSchema)),
  moments: v.nullish(v.array(v.record(v.string(), v.unknown()))),
  kept: v.nullish(v.record(v.string(), v.unknown())),
});

function areDistinct(items: readonly unknown[]): boolean {
  return new Set(items).size === items.length;
}

/**
 * @param file the path shown in errors and notes
 * @throws UserError `import-damaged`, `run-damaged`, `part-of-run`, `schema-too-new`
 */
export function importOwnJson(text: string, file: string): ImportedRun {
  const record = parseObject(text.replace(/^\uFEFF/, ""));
  if (record === undefined) {
    throw new UserError(
      "import-damaged",
      t("{0} is cut off or is not JSON.", file),
      t("Export the run again as JSON."),
    );
  }
  checkSchema(record, file);
  const parsed = v.safeParse(documentSchema, record);
  if (!parsed.success) throw damaged(file, parsed.issues);
  const document = parsed.output;
  if (typeof document.since_ms === "number") {
    throw new UserError(
      "part-of-run",
      t("{0} has what lines took since a moment of their run, not the run.", file),
      t("Export the run itself: jetson-memprof export RUN --format json"),
    );
  }
  const { run, origin, complete, notes } = importedInfo(document.run, file.split(/[\\/]/).at(-1) ?? file);
  const files = document.files.map(fileOf);
  const profile: Omit<Profile, "run"> & { readonly run: Omit<RunInfo, "id"> } = {
    run,
    ...defined({ origin }),
    files,
    byProcess: new Map((document.by_process ?? []).map((table) => [table.pid, table.files.map(fileOf)])),
    metrics: new Set<Metric>(METRICS.filter((metric) => metric === "rss" || document.metrics?.includes(metric))),
    cuda: new Map((document.cuda ?? []).map(({ pid, noticed_by, peaks }) => [pid, { noticedBy: noticed_by, peaks }])),
    phases: (document.phases ?? []).map(phaseOf),
    complete,
  };
  const { kept, notes: notKept } = importedKept(document.kept ?? {});
  const numbers = new Map(files.map(({ path }, number) => [path, number]));
  const stacks = run.engine.name === "massif" ? [t("The call stacks of massif are not in a JSON export.")] : [];
  return {
    format: "jetson-memprof",
    profile,
    samples: (document.timeline ?? []).map((sample) => sampleOf(sample, numbers)),
    moments: document.moments ?? [],
    verbatim: new Map(),
    sources: new Map(
      document.files.flatMap(({ path, source }) => (typeof source === "string" ? [[path, source] as const] : [])),
    ),
    kept,
    notes: [...notes, ...stacks, ...notKept],
  };
}

function fileOf(raw: v.InferOutput<typeof fileSchema>): FileProfile {
  return {
    path: raw.path,
    sha256: raw.sha256 ?? "",
    lines: raw.lines.map(lineOf),
    functions: (raw.functions ?? []).map((row) =>
      present({
        name: row.name,
        key: row.first_line,
        defLine: row.def_line,
        lastLine: row.last_line,
        calls: row.calls,
        timeNs: row.time_ns,
        net: row.net_bytes,
        peak: row.peak_bytes,
      }),
    ),
  };
}

function lineOf({ line, cuda, system, ...others }: v.InferOutput<typeof lineSchema>): LineRow {
  const figures: Readonly<Record<string, number | null | undefined>> = others;
  return present({
    line,
    ...unnamed(LINE_FIGURES, ({ name }) => figures[name]),
    cuda: cuda && unnamed(CUDA_FIGURES, ({ name }) => cuda[name]),
    system: system && unnamed(SYSTEM_FIGURES, ({ name }) => system[name]),
  });
}

function phaseOf(raw: v.InferOutput<typeof phaseSchema>): Phase {
  return present({
    pid: raw.pid,
    phase: raw.phase,
    t: raw.at_ms,
    at: raw.path == null || raw.line == null ? undefined : { path: raw.path, line: raw.line },
    rss: raw.rss_bytes,
    memAvailable: raw.mem_available_bytes,
    nvmap: raw.nvmap_bytes,
    allocated: raw.allocated_bytes,
    reserved: raw.reserved_bytes,
    deviceUsed: raw.device_used_bytes,
  });
}

function sampleOf(raw: v.InferOutput<typeof sampleSchema>, numbers: ReadonlyMap<string, number>): Sample {
  const file = raw.path == null ? undefined : numbers.get(raw.path);
  return present({
    t: raw.at_ms,
    hits: raw.hits,
    rss: raw.rss_bytes,
    rssPeak: raw.rss_peak_bytes,
    memAvailable: raw.mem_available_bytes,
    at: file === undefined || raw.line == null ? undefined : ([file, raw.line] as const),
  });
}
