/**
 * Scalene's JSON (`scalene run`, `scalene --json`). Its "mb" are MiB: counts of bytes divided by 1024 * 1024
 * (scalene_memory_profiler.py, BYTES_PER_MB). `n_peak_mb` is the most that one run of a line held;
 * `samples` are [nanoseconds since the start, MiB that are allocated].
 */

import * as v from "valibot";
import { defined } from "../../../profile/defined.ts";
import { present } from "../../../profile/files/jsonRecords.ts";
import type { LineRow } from "../../../profile/model.ts";
import { phrase, t } from "../../../words/t.ts";
import { damagedFile, type Importer, importedRun, nothingFound, type ReportedFile } from "../importer.ts";
import { placeFiles } from "../places.ts";
import { decodeText } from "../text/decodeText.ts";
import { parseJson } from "../text/json.ts";
import { thinned } from "./thinned.ts";

const MIB = 2 ** 20;
/** More than any machine has: such a figure is damaged. */
const MOST_MIB = 2 ** 30;

const lenient = <S extends v.GenericSchema>(schema: S) => v.fallback(v.optional(schema), undefined);
const mib = lenient(v.pipe(v.number(), v.minValue(0), v.maxValue(MOST_MIB)));
const seconds = lenient(v.pipe(v.number(), v.minValue(0), v.maxValue(1e11)));

const lineSchema = v.object({
  lineno: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(100_000_000)),
  line: lenient(v.string()),
  n_peak_mb: mib,
  n_malloc_mb: mib,
  n_gpu_peak_memory_mb: mib,
});
const schema = v.object({
  files: v.record(v.string(), v.object({ lines: v.array(v.unknown()) })),
  program: lenient(v.string()),
  args: lenient(v.array(v.string())),
  elapsed_time_sec: seconds,
  start_time_absolute: seconds,
  max_footprint_mb: mib,
  memory: lenient(v.boolean()),
  samples: lenient(v.array(v.unknown())),
});
const sampleSchema = v.tuple([
  v.pipe(v.number(), v.minValue(0), v.maxValue(1e18)),
  v.pipe(v.number(), v.minValue(0), v.maxValue(MOST_MIB)),
]);

export const importScalene: Importer = (content, context) => {
  const parsed = v.safeParse(schema, parseJson(decodeText(content).text, context.file));
  if (!parsed.success) {
    throw damagedFile(
      context.file,
      t('it has no table "files" with "lines", as Scalene\'s JSON has ({0})', v.getDotPath(parsed.issues[0]) ?? "top"),
    );
  }
  const { files, samples: points = [], max_footprint_mb: most, ...rest } = parsed.output;
  const counts: Counts = { damaged: 0, allocated: 0, gpu: 0, old: 0 };
  const reported = Object.entries(files).map(([name, { lines }]) => reportedFile(name, lines, counts));
  const samples = points.flatMap((point): { readonly t: number; readonly rss: number }[] => {
    const sample = v.safeParse(sampleSchema, point);
    return sample.success
      ? [{ t: Math.round(sample.output[0] / 1e3) / 1e3, rss: Math.round(sample.output[1] * MIB) }]
      : [];
  });
  if (reported.every(({ lines }) => lines.length === 0) && samples.length === 0) {
    throw nothingFound(
      context.file,
      rest.memory === false
        ? t("Scalene did not measure the memory in this profile (--cpu-only).")
        : t("no line of it has memory."),
    );
  }
  const kept = thinned(samples.sort((a, b) => a.t - b.t));
  const last = kept.samples.at(-1);
  // Scalene keeps some of its samples only; the highest it saw is a figure of its own.
  const timeline =
    last === undefined || most === undefined
      ? kept.samples
      : [...kept.samples.slice(0, -1), { ...last, rssPeak: Math.max(last.rssPeak ?? 0, Math.round(most * MIB)) }];
  const { program, args, elapsed_time_sec: elapsed, start_time_absolute: started } = rest;
  const placed = placeFiles(reported, context);
  const own = placed.files.find(({ path }) => program?.replaceAll("\\", "/").endsWith(path))?.path;
  return importedRun(context, {
    from: {
      format: "scalene",
      measures: phrase(
        "memory that Scalene saw allocated (it looks about once a MiB); a line's peak is what one run of it held",
      ).text,
      timeline: phrase("memory allocated, as Scalene saw it").text,
    },
    command: {
      ...(own === undefined && program === undefined ? {} : { script: own ?? program ?? "" }),
      args: argumentsOf(args, program),
    },
    ...(started === undefined || started === 0 ? {} : { started: new Date(started * 1000) }),
    ...defined({ elapsedMs: elapsed === undefined ? undefined : Math.round(elapsed * 1000) }),
    files: placed,
    samples: timeline,
    notes: notesOf(counts).concat(kept.notes),
  });
};

/** Scalene's `args` begin with the program itself. */
function argumentsOf(args: readonly string[] | undefined, program: string | undefined): readonly string[] {
  const [first, ...rest] = args ?? [];
  const isProgram = first !== undefined && program !== undefined && nameOf(first) === nameOf(program);
  return isProgram ? rest : (args ?? []);
}

function nameOf(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? file;
}

interface Counts {
  damaged: number;
  allocated: number;
  gpu: number;
  old: number;
}

function reportedFile(name: string, raw: readonly unknown[], counts: Counts): ReportedFile {
  const lines = new Map<number, LineRow>();
  const text = new Map<number, string>();
  for (const one of raw) {
    const parsed = v.safeParse(lineSchema, one);
    if (!parsed.success) {
      counts.damaged++;
      continue;
    }
    const {
      lineno: line,
      line: source,
      n_peak_mb: peak,
      n_malloc_mb: allocated = 0,
      n_gpu_peak_memory_mb: gpu = 0,
    } = parsed.output;
    if (source !== undefined) text.set(line, source.replace(/[\r\n]+$/, ""));
    if (gpu > 0) counts.gpu++;
    if (allocated > 0) counts.allocated++;
    if (peak === undefined && allocated > 0) counts.old++;
    if (peak !== undefined && peak > 0) lines.set(line, present({ line, peak: Math.round(peak * MIB) }));
  }
  return { name, lines: [...lines.values()].sort((a, b) => a.line - b.line), text };
}

function notesOf({ damaged, allocated, gpu, old }: Counts): string[] {
  return [
    ...(damaged > 0
      ? [
          damaged === 1
            ? t("1 line of the profile has no line number or no figures, and was left out.")
            : t("{0} lines of the profile have no line number or no figures, and were left out.", damaged),
        ]
      : []),
    ...(old > 0
      ? [
          t(
            "This version of Scalene does not report lines' peaks, only the average that they allocated, which was left out.",
          ),
        ]
      : allocated > 0
        ? [t("How much lines allocated in all (n_malloc_mb) was left out: it counts what was given back, too.")]
        : []),
    ...(gpu > 0 ? [t("The GPU's memory by line was left out: Scalene reads the whole device's.")] : []),
    t("Scalene does not report how often lines ran, nor what they kept."),
  ];
}
