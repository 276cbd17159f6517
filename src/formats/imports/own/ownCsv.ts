/** Our own CSV (docs/export.md) read back: the figures by line, and the lines' texts. */
import * as v from "valibot";
import { isAmount, isChange, present, relativePath } from "../../../profile/files/jsonRecords.ts";
import {
  COLUMN_PREFIX,
  CUDA_FIGURES,
  type FigureName,
  LINE_FIGURES,
  SYSTEM_FIGURES,
  unnamed,
} from "../../../profile/lines/figureNames.ts";
import {
  type FileProfile,
  IMPORT_FORMATS,
  type ImportedFrom,
  type LineRow,
  type Metric,
} from "../../../profile/model.ts";
import { UserError } from "../../../profile/userError.ts";
import { phrase, t } from "../../../words/t.ts";
import { IMPORTED_COLUMNS } from "../../exports/csv.ts";
import type { ImportedRun } from "../../model.ts";
import { damagedFile } from "../importer.ts";

/** A CSV has the figures of all processes added up. */
const PID = 1;
/** No source is longer; a number that is comes from a damaged row. */
const MOST_LINE = 1_000_000;
/** Of all files together, texts are taken over up to here: a few rows can name very large line numbers. */
const MOST_TEXT_LINES = 5_000_000;

/** As ownRunSchema in ownJsonRun.ts has it. */
const originSchema = v.object({
  format: v.picklist(IMPORT_FORMATS),
  measures: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
});

/** Whether a file may be one of ours, by its first line. */
export function isOwnCsv(text: string): boolean {
  return /^\uFEFF?"?file"?,"?line"?,/.test(text) && /^.*net_bytes/.test(text);
}

/**
 * Rows that cannot be read are passed over, and a note says how many.
 * @param file the path shown in errors and notes
 * @throws UserError `import-damaged`
 */
export function importOwnCsv(text: string, file: string): ImportedRun {
  const { records, damagedAt } = csvRecords(text.replace(/^\uFEFF/, ""));
  const [header = [], ...rows] = records;
  const place = new Map(header.map((name, column) => [name.trim(), column]));
  if (!place.has("file") || !place.has("line")) {
    throw new UserError(
      "import-damaged",
      t('{0} has no columns "file" and "line" in its first line.', file),
      t("Only CSV files that Jetson Memory Profiler exported can be imported."),
    );
  }
  const files = new Map<string, { readonly rows: Map<number, LineRow>; readonly texts: string[] }>();
  const said = new Map<string, Readonly<Record<"format" | "measures", string>>>();
  let unread = 0;
  for (const cells of rows) {
    const cell = (name: string): string => cells[place.get(name) ?? -1] ?? "";
    const path = unguarded(cell("file"));
    const line = Number(cell("line"));
    const row = Number.isSafeInteger(line) && line >= 1 && line <= MOST_LINE ? readRow(line, cell) : undefined;
    if (row === undefined || !v.is(relativePath, path)) {
      unread += 1;
      continue;
    }
    const origin = { format: cell(IMPORTED_COLUMNS.format), measures: unguarded(cell(IMPORTED_COLUMNS.measures)) };
    if (said.size < 2) said.set(`${origin.format} ${origin.measures}`, origin);
    let found = files.get(path);
    if (found === undefined) {
      found = { rows: new Map(), texts: [] };
      files.set(path, found);
    }
    found.rows.set(line, row);
    if (place.has("source")) found.texts[line - 1] = unguarded(cell("source"));
  }
  const profiles = [...files].map(
    ([path, { rows }]): FileProfile => ({
      path,
      sha256: "",
      lines: [...rows.values()].sort((a, b) => a.line - b.line),
      functions: [],
    }),
  );
  const has = (metric: "cuda" | "system") => profiles.some(({ lines }) => lines.some((row) => row[metric]));
  const metrics = (["rss", "cuda", "system"] as const).filter((metric) => metric === "rss" || has(metric));
  const name = file.split(/[\\/]/).at(-1) ?? file;
  return {
    format: "jetson-memprof",
    profile: {
      run: {
        state: "finished",
        engine: { name: "line", exact: false, accelerator: false },
        imported: originOf(said, name),
        command: { python: "", args: [] },
        lastLines: [],
        environment: {},
        board: {},
        versions: {},
        processes: [{ pid: PID, kind: "main", label: "main" }],
        warnings: [],
      },
      files: profiles,
      byProcess: new Map(),
      metrics: new Set<Metric>(metrics),
      // How PyTorch was asked is not in it; bounds are what its columns for peaks are.
      cuda: new Map(has("cuda") ? [[PID, { noticedBy: "asking", peaks: "bounds" }] as const] : []),
      phases: [],
      complete: unread === 0 && damagedAt === undefined,
    },
    samples: [],
    moments: [],
    verbatim: new Map(),
    sources: sourcesOf([...files].map(([path, { texts }]) => ({ path, texts }))),
    notes: [
      t("A CSV export has the figures by line only: what ran, where and when is not in it."),
      ...(unread === 0 ? [] : [t("Rows of {0} that cannot be read: {1}.", name, unread)]),
      ...(damagedAt === undefined
        ? []
        : [t("{0} is damaged after row {1}; the rows up to there are here.", name, damagedAt)]),
    ],
  };
}

/**
 * Who measured, and what: another tool where the rows say so.
 * @param said what each row says of it, each once
 * @throws UserError `import-damaged` where they do not agree, as figures of two measures are no run
 */
function originOf(
  said: ReadonlyMap<string, Readonly<Record<"format" | "measures", string>>>,
  file: string,
): ImportedFrom {
  const [first, second] = said.values();
  if (first === undefined || (second === undefined && first.format === "" && first.measures === "")) {
    return { format: "jetson-memprof", file, measures: phrase("what Jetson Memory Profiler recorded").text };
  }
  if (second !== undefined)
    throw damagedFile(file, t("its rows do not agree on what was measured (measured_by, measures)"));
  const origin = v.safeParse(originSchema, first);
  if (!origin.success)
    throw damagedFile(
      file,
      t("it does not say in known words what was measured ({0})", v.getDotPath(origin.issues[0]) ?? ""),
    );
  return { ...origin.output, file };
}

function sourcesOf(
  files: readonly { readonly path: string; readonly texts: readonly string[] }[],
): Map<string, string> {
  const sources = new Map<string, string>();
  let lines = 0;
  for (const { path, texts } of files) {
    lines += texts.length;
    if (texts.length > 0 && lines <= MOST_TEXT_LINES) sources.set(path, joined(texts));
  }
  return sources;
}

/** Lines that were not measured are empty. */
function joined(texts: readonly (string | undefined)[]): string {
  return Array.from(texts, (text) => `${text ?? ""}\n`).join("");
}

/** Undefined where a cell that should hold a figure holds something else. */
function readRow(line: number, cell: (name: string) => string): LineRow | undefined {
  let damaged = false;
  const read =
    (prefix: string) =>
    ({ name, is }: FigureName): number | undefined => {
      const text = cell(prefix + name).trim();
      if (text === "") return undefined;
      const value = Number(text);
      damaged ||= !(is === "change" ? isChange(value) : isAmount(value));
      return value;
    };
  const row = present({
    line,
    ...unnamed(LINE_FIGURES, read(COLUMN_PREFIX.rss)),
    cuda: unnamed(CUDA_FIGURES, read(COLUMN_PREFIX.cuda)),
    system: unnamed(SYSTEM_FIGURES, read(COLUMN_PREFIX.system)),
  });
  return damaged ? undefined : row;
}

/** The apostrophe that keeps a spreadsheet from taking the text for a formula. */
function unguarded(text: string): string {
  return text.startsWith("'") ? text.slice(1) : text;
}

/** Records of RFC 4180, also with bare line feeds, as some programs save them. Empty lines are none. */
function csvRecords(text: string): { readonly records: string[][]; readonly damagedAt?: number } {
  const records: string[][] = [];
  let cells: string[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|((?!")[^,\r\n]*))(,|\r\n|\n|\r|$)/y;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    // A quotation mark that is never closed, or text behind one that is.
    if (match === null) return { records, damagedAt: records.length };
    const [, quoted, bare = "", end] = match;
    cells.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end === ",") {
      if (pattern.lastIndex === text.length) cells.push("");
      else continue;
    }
    if (cells.length > 1 || cells[0] !== "") records.push(cells);
    cells = [];
  }
  return { records };
}
