/** What the growing files of a run say of its progress, read as they come. */
import * as v from "valibot";
import type { RunEvent } from "../../../protocol/run/run.ts";
import { parseJson } from "../../helper/callHelper.ts";
import { growingBytes } from "../../helper/growingBytes.ts";

const LINE_LIMIT = 4 * 1024 * 1024;
const MOST_FILES = 20_000;

const figure = v.pipe(v.number(), v.finite(), v.minValue(0));
const optionalFigure = v.optional(v.nullable(figure));
const sampleRecord = v.object({
  t: figure,
  hits: v.optional(v.nullable(figure), 0),
  rss: optionalFigure,
  rss_peak: optionalFigure,
  at: v.optional(v.nullable(v.tuple([figure, figure]))),
});
const fileRecord = v.object({ record: v.literal("file"), file: figure, path: v.pipe(v.string(), v.maxLength(4096)) });

export interface ProgressReader {
  /** The next bytes of `lines.jsonl`, whose file records name the files. */
  lines(piece: Buffer): void;
  /** The next bytes of `samples.jsonl`; tells of the newest complete sample in them. */
  samples(piece: Buffer): void;
}

type Progress = Extract<RunEvent, { kind: "progress" }>;

/** @param known what every event says besides the figures */
export function createProgressReader(
  emit: (event: RunEvent) => void,
  known: Pick<Progress, "expectedHits" | "underValgrind"> = {},
): ProgressReader {
  const paths = new Map<number, string>();
  const splitLines = lineSplitter();
  const splitSamples = lineSplitter();
  return {
    lines(piece) {
      for (const line of splitLines(piece)) {
        // Most lines are rows; parsing those is the reader's work, not ours.
        if (!line.includes('"file"') || !line.includes('"path"')) continue;
        const parsed = v.safeParse(fileRecord, parseJson(line));
        if (parsed.success && paths.size < MOST_FILES) paths.set(parsed.output.file, parsed.output.path);
      }
    },
    samples(piece) {
      let newest: v.InferOutput<typeof sampleRecord> | undefined;
      for (const line of splitSamples(piece)) {
        const parsed = v.safeParse(sampleRecord, parseJson(line));
        if (parsed.success) newest = parsed.output;
      }
      if (newest === undefined) return;
      const { t, hits, rss, rss_peak: rssPeak, at } = newest;
      const path = at == null ? undefined : paths.get(at[0]);
      emit({
        kind: "progress",
        ...known,
        elapsedMs: t,
        hits: hits ?? 0,
        ...(rss == null ? {} : { rss }),
        ...(rssPeak == null ? {} : { rssPeak }),
        ...(at == null || path === undefined ? {} : { at: { path, line: at[1] } }),
      });
    },
  };
}

/** Complete lines out of pieces; a line longer than the limit is passed over. */
function lineSplitter(): (piece: Buffer) => readonly string[] {
  const rest = growingBytes();
  let skipping = false;
  const keep = (part: Buffer): void => {
    skipping ||= rest.length + part.length > LINE_LIMIT;
    if (skipping) rest.take();
    else rest.add(part);
  };
  return (piece) => {
    const lines: string[] = [];
    let start = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, start)) {
      keep(piece.subarray(start, end));
      if (!skipping) lines.push(rest.take().toString("utf8"));
      skipping = false;
      start = end + 1;
    }
    keep(piece.subarray(start));
    return lines;
  };
}
