/** massif.lines.<pid>.jsonl: the heap before and after the chosen lines. */
import * as v from "valibot";
import { defined } from "../profile/defined.ts";
import { index, lineNumber, relativePath } from "../profile/files/jsonRecords.ts";
import { bandOf } from "../profile/run/nativeStacks.ts";
import { readJsonRecords } from "./jsonRecords.ts";
import type { MeasuredExecution, MeasuredLine, MeasuredLines } from "./model.ts";

/** Executions of one line that are kept one by one; its sums hold them all. */
const MAX_EXECUTIONS = 10_000;

/** Bytes: whole numbers, of which sums stay finite. */
const bytes = index;
const change = v.pipe(v.number(), v.safeInteger());

const place = { path: relativePath, line: lineNumber };
/** `noise_bytes` is massif's, `mean_bytes` that of a sampled heap. */
const header = v.object({ noise_bytes: v.optional(bytes), mean_bytes: v.optional(bytes) });
/** One standard error, of a sampled heap. */
const error = v.optional(bytes);
const hitRecord = v.object({
  record: v.literal("hit"),
  ...place,
  function: v.pipe(v.string(), v.maxLength(65_536)),
  hit: v.pipe(index, v.minValue(1)),
  thread: v.pipe(v.string(), v.maxLength(4096)),
  before: bytes,
  after: bytes,
  error,
  tree: v.nullish(index),
});
const lineRecord = v.object({ record: v.literal("line"), ...place, hits: index, measured: index, net: change, error });
const record = v.variant("record", [hitRecord, lineRecord]);

interface Line {
  readonly path: string;
  readonly line: number;
  function: string;
  readonly executions: MeasuredExecution[];
  /** Sums over the hits that were read, for a process that died before it wrote its own. */
  seen: Sums;
  written: Sums | undefined;
}
type Sums = Pick<MeasuredLine, "hits" | "measured" | "net"> & { readonly error?: number | undefined };

/**
 * @param text the whole file; a last line without `\n`, damaged and unknown records are ignored
 * @param name of the file, for messages
 * @throws UserError `schema-too-new`, `run-damaged`: its header is not ours
 */
export function readMeasuredLines(text: string, name: string): MeasuredLines {
  const file = readJsonRecords(text, name);
  if (file === undefined) return { lines: [] };
  const noiseOf = noiseBy(file.header);
  const lines = new Map<string, Line>();
  for (const object of file.records) {
    const result = v.safeParse(record, object);
    if (!result.success) continue;
    const { path, line: number } = result.output;
    const key = `${number}:${path}`;
    let line = lines.get(key);
    if (line === undefined) {
      line = {
        path,
        line: number,
        function: "",
        executions: [],
        seen: { hits: 0, measured: 0, net: 0 },
        written: undefined,
      };
      lines.set(key, line);
    }
    if (result.output.record === "hit") addHit(line, result.output, noiseOf);
    else line.written = result.output;
  }
  return { lines: [...lines.values()].map((line) => finish(line, noiseOf)) };
}

/** How far the change of some hits may be off, by its standard error where it was sampled. */
type NoiseOf = (error: number | undefined, hits: number) => { readonly noise?: number };

function noiseBy(text: unknown): NoiseOf {
  const read = v.safeParse(header, text);
  const { noise_bytes: each, mean_bytes: mean = 0 } = read.success ? read.output : {};
  return (error, hits) => defined({ noise: error === undefined ? each && each * hits : bandOf(error * error, mean) });
}

function addHit(line: Line, hit: v.InferOutput<typeof hitRecord>, noiseOf: NoiseOf): void {
  line.function = hit.function;
  const { hits, measured, net, error } = line.seen;
  line.seen = {
    hits: Math.max(hits, hit.hit),
    measured: measured + 1,
    net: net + hit.after - hit.before,
    error: hit.error === undefined ? undefined : Math.hypot(error ?? 0, hit.error),
  };
  if (line.executions.length === MAX_EXECUTIONS) return;
  line.executions.push({
    hit: hit.hit,
    thread: hit.thread,
    before: hit.before,
    after: hit.after,
    ...noiseOf(hit.error, 1),
    ...(typeof hit.tree === "number" ? { tree: hit.tree } : {}),
  });
}

/** The written sums, unless hits were measured after them. */
function finish({ path, line, function: name, executions, seen, written }: Line, noiseOf: NoiseOf): MeasuredLine {
  const { measured, net, error } = written === undefined || written.measured < seen.measured ? seen : written;
  const hits = Math.max(seen.hits, written?.hits ?? 0);
  return { path, line, function: name, executions, hits, measured, net, ...noiseOf(error, measured) };
}
