/** One line of model.<pid>.jsonl. docs/run-folder.md has the format; the line comes from a machine we do not trust. */
import * as v from "valibot";
import { checkSchema, index, lineNumber, parseObject, relativePath } from "../../profile/files/jsonRecords.ts";

/** Far above what a model has: more is no model's. Sums of what passes stay exact, or nearly. */
const MOST_BYTES = 2 ** 48;
const MOST_ROWS = 200_000;
/** What-ifs go over the chain once for each size of a group, up to a thousand times. */
const LONGEST_CHAIN = 5_000;
const MOST_DIMENSIONS = 64;

const bytes = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(MOST_BYTES));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(2 ** 32));
const shape = v.pipe(v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(0))), v.maxLength(MOST_DIMENSIONS));
const word = v.pipe(v.string(), v.maxLength(200));
const name = v.pipe(v.string(), v.maxLength(1000));
/** Text for people: what is too long is cut. */
const words = v.pipe(
  v.string(),
  v.transform((text) => text.slice(0, 2000)),
);
/** A key that is damaged is taken as missing: the others still tell something. */
const lenient = <S extends v.GenericSchema>(schema: S) => v.fallback(v.optional(schema), undefined);
/** Rows that are damaged are left out, and counted. */
const rowsOf = <S extends v.GenericSchema>(row: S, most = MOST_ROWS) =>
  v.pipe(
    v.array(v.unknown()),
    v.maxLength(most),
    v.transform((list) => {
      const good: v.InferOutput<S>[] = [];
      for (const item of list) {
        const parsed = v.safeParse(row, item);
        if (parsed.success) good.push(parsed.output);
      }
      return { good, bad: list.length - good.length };
    }),
  );

const tensor = v.tuple([name, index, bytes, shape, word, v.boolean()]);
const buffer = v.tuple([name, index, bytes, shape, word]);
const adapter = v.tuple([index, name, count, v.nullable(v.number())]);
const packed = v.looseTuple([index, name, word, count, v.boolean()]);
const link = v.tuple([index, index, bytes, index, bytes]);

const headerSchema = v.object({
  pid: index,
  torch: v.fallback(words, ""),
  activations: v.picklist(["saved-tensors", "outputs"]),
});

const trialRecord = v.variant("kind", [
  v.object({ kind: v.literal("checkpoint"), every: v.pipe(count, v.minValue(1)) }),
  v.object({ kind: v.literal("nano-batch"), chunks: v.pipe(count, v.minValue(1)) }),
  v.object({ kind: v.literal("amp") }),
  v.object({ kind: v.literal("in-place") }),
]);
const trialWords = v.object({ applied: v.fallback(words, ""), refused: lenient(v.nullable(words)) });

const SCHEMAS = {
  root: v.object({
    root: index,
    type: name,
    path: lenient(relativePath),
    line: lenient(lineNumber),
    device: v.fallback(word, ""),
  }),
  module: v.object({
    root: index,
    module: index,
    parent: v.nullish(index),
    name,
    type: name,
    config: v.fallback(words, ""),
    parameters: rowsOf(tensor),
    buffers: rowsOf(buffer),
  }),
  step: v.object({
    root: index,
    step: index,
    training: v.fallback(v.boolean(), false),
    grad: v.fallback(v.boolean(), false),
    autocast: v.fallback(v.boolean(), false),
    checkpointed: v.fallback(v.boolean(), false),
    inputs: v.fallback(rowsOf(v.tuple([shape, word, bytes])), { good: [], bad: 0 }),
    batch: lenient(v.nullable(v.pipe(count, v.minValue(1)))),
    memory_before: lenient(v.nullable(bytes)),
    memory_peak: lenient(v.nullable(bytes)),
    measure: lenient(v.nullable(v.picklist(["cuda-allocated", "rss"]))),
    mem_available: lenient(v.nullable(bytes)),
  }),
  activations: v.object({
    root: index,
    step: index,
    rows: rowsOf(v.tuple([index, index, bytes, shape, word, v.boolean(), v.picklist(["layer", "input", "after"])])),
  }),
  chain: v.object({ root: index, step: index, rows: rowsOf(link, LONGEST_CHAIN) }),
  gradients: v.object({ root: index, step: index, rows: rowsOf(v.tuple([name, index, bytes])) }),
  tuning: v.object({
    root: index,
    adapters: rowsOf(adapter),
    packed: rowsOf(packed),
    checkpointing: lenient(v.nullable(v.boolean())),
    type: lenient(v.nullable(word)),
    positions: lenient(v.nullable(count)),
  }),
  problem: v.object({ message: words }),
  optimizer: v.object({
    type: name,
    rows: rowsOf(v.looseTuple([name, index, bytes])),
    other: v.fallback(bytes, 0),
    packed: lenient(bytes),
  }),
} as const;

type Schemas = typeof SCHEMAS;
type Known = keyof Schemas;

export type AccountRecord =
  | { [K in Known]: { readonly record: K } & v.InferOutput<Schemas[K]> }[Known]
  | ({ readonly record: "header" } & v.InferOutput<typeof headerSchema>)
  | ({ readonly record: "trial"; readonly trial: v.InferOutput<typeof trialRecord> } & v.InferOutput<typeof trialWords>)
  | { readonly record: "end" }
  /** A newer helper's; it is none of ours. */
  | { readonly record: "other" };

export type RecordOf<K extends AccountRecord["record"]> = Extract<AccountRecord, { record: K }>;

/**
 * @param file the path shown in errors
 * @returns undefined for a line that is damaged
 * @throws UserError `schema-too-new`, `run-damaged`
 */
export function decodeAccountLine(line: string, file: string): AccountRecord | undefined {
  const object = parseObject(line);
  if (object === undefined) return undefined;
  const kind = object["record"];
  if (kind === "header") {
    checkSchema(object, file);
    const header = v.safeParse(headerSchema, object);
    return header.success ? { record: "header", ...header.output } : undefined;
  }
  if (kind === "trial") {
    const [trial, told] = [v.safeParse(trialRecord, object), v.safeParse(trialWords, object)];
    return trial.success && told.success ? { record: "trial", trial: trial.output, ...told.output } : undefined;
  }
  if (kind === "end") return { record: "end" };
  if (typeof kind !== "string" || !Object.hasOwn(SCHEMAS, kind)) return { record: "other" };
  const parsed = v.safeParse(SCHEMAS[kind as Known], object);
  return parsed.success ? ({ record: kind, ...parsed.output } as AccountRecord) : undefined;
}
