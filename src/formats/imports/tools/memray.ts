/**
 * What memray's own commands print: `memray table` (an HTML page with its records in it), `memray transform csv` and
 * `memray stats --json`. Sizes are bytes. table and csv hold the blocks that were live at the program's peak unless
 * other blocks were asked for; stats holds the locations that allocated most, whether it was freed or not.
 */

import * as v from "valibot";
import { defined } from "../../../profile/defined.ts";
import { present } from "../../../profile/files/jsonRecords.ts";
import type { ImportedFrom } from "../../../profile/model.ts";
import { phrase, t } from "../../../words/t.ts";
import { commandOf } from "../commandOf.ts";
import { damagedFile, type Found, type ImportContext, type Importer, importedRun, nothingFound } from "../importer.ts";
import { placeFiles } from "../places.ts";
import { decodeText, linesOf } from "../text/decodeText.ts";
import { parseJson } from "../text/json.ts";
import { addTo, type Blocks, blocksByFile, type Place } from "./stacks.ts";
import { thinned } from "./thinned.ts";

const size = v.pipe(v.number(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER));

export const importMemray: Importer = (content, context) => {
  const { text } = decodeText(content);
  const begin = text.slice(0, 4_096);
  if (/^\uFEFF?allocator,num_allocations,size,/.test(begin)) return importCsv(text, context);
  if (/^\s*</.test(begin)) return importTable(text, context);
  return importStats(text, context);
};

const PEAK: Omit<ImportedFrom, "file"> = {
  format: "memray",
  measures: phrase("blocks that were live at the program's peak, as memray counts them").text,
};
const LEAKS: Omit<ImportedFrom, "file"> = {
  format: "memray",
  measures: phrase("blocks that were never freed, as memray counts them").text,
};
const TEMPORARY: Omit<ImportedFrom, "file"> = {
  format: "memray",
  measures: phrase("blocks that were freed right away, as memray counts them").text,
};
const ALLOCATED: Omit<ImportedFrom, "file"> = {
  format: "memray",
  measures: phrase("all that was allocated, whether it was freed or not, as memray counts it").text,
};

const recordsSchema = v.array(v.unknown());
const recordSchema = v.object({ size, stack_trace: v.string() });
const momentSchema = v.tuple([size, size, size]);

/** The page assigns its data to constants, each on one line. */
function importTable(text: string, context: ImportContext): ReturnType<Importer> {
  const records = constant(text, "packed_data", context);
  if (records === undefined) {
    throw nothingFound(
      context.file,
      t("the page has no packed_data, as `memray table` writes it. Of a flame graph, write a table instead."),
    );
  }
  const list = v.safeParse(recordsSchema, records);
  if (!list.success)
    throw damagedFile(
      context.file,
      t("its packed_data is not a list of records, as in `memray table` (of a flame graph, write a table instead)"),
    );
  const blocks: Blocks = new Map();
  let damaged = 0;
  for (const raw of list.output) {
    const record = v.safeParse(recordSchema, raw);
    const place = record.success ? placeOf(unescaped(record.output.stack_trace)) : undefined;
    if (!record.success) damaged++;
    else if (place !== undefined) addTo(blocks, [place], record.output.size, "one");
  }
  const title = /<title>([^<]{0,200})<\/title>/.exec(text)?.[1] ?? "";
  const from = /leak/i.test(title) ? LEAKS : /temporary/i.test(title) ? TEMPORARY : PEAK;
  const moments = constant(text, "memory_records", context);
  return run(context, from, blocks, {
    ...timelineOf(moments),
    notes: [...damagedNote(damaged), t("The table has the line that allocated, not the lines that called it.")],
  });
}

function constant(text: string, name: string, { file }: ImportContext): unknown {
  const assigned = `const ${name} = `;
  const begin = text.indexOf(assigned);
  if (begin < 0) return undefined;
  const from = begin + assigned.length;
  const end = text.indexOf("\n", from);
  const line = text.slice(from, end < 0 ? undefined : end).trimEnd();
  return parseJson(line.replace(/;$/, ""), file);
}

/** [Unix time in ms, RSS, heap]. */
function timelineOf(raw: unknown): Pick<Found, "samples" | "started" | "elapsedMs"> {
  if (!Array.isArray(raw)) return {};
  const moments = raw.flatMap((one) => {
    const moment = v.safeParse(momentSchema, one);
    return moment.success && moment.output[0] < 8e15 ? [moment.output] : [];
  });
  const start = moments.reduce((least, [time]) => Math.min(least, time), Number.POSITIVE_INFINITY);
  if (moments.length === 0) return {};
  const samples = moments.map(([time, rss]) => ({ t: time - start, rss })).sort((a, b) => a.t - b.t);
  const kept = thinned(samples);
  return { samples: kept.samples, started: new Date(start), elapsedMs: samples.at(-1)?.t ?? 0 };
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&#34;": '"',
  "&#39;": "'",
  "&quot;": '"',
  "&amp;": "&",
};

function unescaped(text: string): string {
  return text.replace(/&(?:lt|gt|amp|quot|#34|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}

/** `main at /home/nano/train.py:33`. */
function placeOf(frame: string): Place | undefined {
  const match = /^.{0,2000}? at (.+):(\d{1,9})$/.exec(frame);
  return match === null ? undefined : { name: match[1] ?? "", line: Number(match[2]) };
}

/** allocator,num_allocations,size,tid,thread_name,stack_trace: frames `function;file;line`, the innermost first. */
function importCsv(text: string, context: ImportContext): ReturnType<Importer> {
  const blocks: Blocks = new Map();
  let damaged = 0;
  let rows = 0;
  let cutOff = false;
  for (const { line, whole } of linesOf(text.replace(/^\uFEFF/, ""))) {
    if (line.startsWith("allocator,") || line === "") continue;
    const match = /^([A-Z_]*),(\d+),(\d+),([^,]*),([^,]*),(.*)$/.exec(line);
    const bytes = Number(match?.[3]);
    if (!whole) cutOff = true;
    else if (match === null || !Number.isSafeInteger(bytes)) damaged++;
    else {
      rows++;
      addTo(blocks, framesOf(match[6] ?? ""), bytes, "all");
    }
  }
  if (rows === 0)
    throw nothingFound(
      context.file,
      t("it has no row of memray's csv, such as MALLOC,1,1340,1,0x1,main;/home/nano/train.py;33."),
    );
  return run(context, PEAK, blocks, {
    notes: [
      ...damagedNote(damaged),
      ...(cutOff ? [t("The file ends in the middle of a row, which was left out.")] : []),
      t("The file does not say whether it holds the blocks of the peak; it does unless memray was told otherwise."),
    ],
  });
}

/** A text with `"` or `,` in it stands in quotes, as in any CSV. */
function framesOf(field: string): Place[] {
  const trace = field.startsWith('"') && field.endsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
  return trace.split("|").flatMap((frame) => {
    const [, name, line] = frame.split(";");
    return name === undefined || !/^\d{1,9}$/.test(line ?? "") ? [] : [{ name, line: Number(line) }];
  });
}

const statsSchema = v.object({
  total_bytes_allocated: size,
  top_allocations_by_size: v.array(v.object({ location: v.string(), size })),
  metadata: v.fallback(
    v.optional(
      v.object({
        start_time: v.optional(v.string()),
        end_time: v.optional(v.string()),
        peak_memory: v.optional(size),
        command_line: v.optional(v.string()),
        pid: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
      }),
    ),
    undefined,
  ),
});

function importStats(text: string, context: ImportContext): ReturnType<Importer> {
  const parsed = v.safeParse(statsSchema, parseJson(text, context.file));
  if (!parsed.success) {
    throw damagedFile(
      context.file,
      t('it is not output of "memray stats --json" ({0})', v.getDotPath(parsed.issues[0]) ?? "top"),
    );
  }
  const { top_allocations_by_size: top, metadata } = parsed.output;
  const blocks: Blocks = new Map();
  for (const { location, size: bytes } of top) {
    const match = /^(.{0,2000}?):(.+):(\d{1,9})$/.exec(location);
    if (match !== null) addTo(blocks, [{ name: match[2] ?? "", line: Number(match[3]) }], bytes, "one");
  }
  const started = dateOf(metadata?.start_time);
  const ended = dateOf(metadata?.end_time);
  const peak = metadata?.peak_memory;
  return run(context, ALLOCATED, blocks, {
    ...defined({ started }),
    ...(started === undefined || ended === undefined
      ? {}
      : { elapsedMs: Math.max(0, ended.getTime() - started.getTime()) }),
    ...(metadata?.command_line === undefined ? {} : { command: memrayCommand(metadata.command_line) }),
    ...(peak === undefined
      ? {}
      : { samples: [{ t: 0, rssPeak: peak }], timeline: phrase("heap in use, as memray counts it").text }),
    notes: [
      t(
        "The file has the {0} locations that allocated most and no others (memray stats -n asks for more).",
        top.length,
      ),
    ],
  });
}

function dateOf(text: string | undefined): Date | undefined {
  const time = Date.parse((text ?? "").replace(" ", "T"));
  return Number.isNaN(time) ? undefined : new Date(time);
}

/** `…/memray/__main__.py run -q -o m.bin train.py --epochs 2`: what was run, where that can be told. */
function memrayCommand(line: string): NonNullable<Found["command"]> {
  const after = /\brun\b(.*)$/.exec(line)?.[1] ?? "";
  const script = /\s(\S+\.py)(?=\s|$)(.*)$/.exec(after);
  return script === null ? {} : commandOf(`${script[1]}${script[2]}`);
}

function run(
  context: ImportContext,
  from: Omit<ImportedFrom, "file">,
  blocks: Blocks,
  { timeline, ...found }: Omit<Found, "from" | "files"> & { readonly timeline?: string },
): ReturnType<Importer> {
  const placed = placeFiles(blocksByFile(blocks), context);
  return importedRun(context, {
    ...found,
    from: present({ ...from, timeline }),
    files: placed,
    notes: [...found.notes, t("memray does not report how often lines ran.")],
  });
}

function damagedNote(count: number): string[] {
  if (count === 0) return [];
  return [
    count === 1
      ? t("1 record could not be read and was left out.")
      : t("{0} records could not be read and were left out.", count),
  ];
}
