/** The `load` records of lines.jsonl: large files that a process read while a line was long. docs/run-folder.md. */
import * as v from "valibot";
import { amount, index, lineNumber, present } from "../files/jsonRecords.ts";
import type { FileLoad, LoadMoment } from "../model.ts";

/** As long as the kernel lets a path be. */
const LONGEST_PATH = 4096;

const figure = v.nullish(amount);
const momentSchema = v.object({
  rss: figure,
  anon: figure,
  mapped: figure,
  mem_available: figure,
  cached: figure,
  nvmap: figure,
});
/** What is the same in a run's folder and in its JSON. */
export const loadFields = {
  pid: index,
  path: v.pipe(v.string(), v.minLength(1), v.maxLength(LONGEST_PATH)),
  size: amount,
  position: figure,
  mapped: figure,
  resident: figure,
  copied: figure,
  for_ms: amount,
  before: momentSchema,
  most: momentSchema,
};
const loadSchema = v.object({ ...loadFields, file: index, line: lineNumber });

/** A load whose line still has its file's number. */
export interface NumberedLoad extends Omit<FileLoad, "at"> {
  readonly file: number;
  readonly line: number;
}

/** Undefined for what is no such record. */
export function readLoad(record: unknown): NumberedLoad | undefined {
  const parsed = v.safeParse(loadSchema, record);
  if (!parsed.success) return undefined;
  const { file, line, ...load } = parsed.output;
  return { ...loadOf(load), file, line };
}

/** Of the fields as they are written. */
export function loadOf({
  for_ms: forMs,
  before,
  most,
  ...rest
}: v.InferOutput<v.ObjectSchema<typeof loadFields, undefined>>): Omit<FileLoad, "at"> {
  return { ...present(rest), forMs, before: momentOf(before), most: momentOf(most) };
}

function momentOf({ mem_available: memAvailable, ...rest }: v.InferOutput<typeof momentSchema>): LoadMoment {
  return present({ ...rest, memAvailable });
}

export function placedLoad(
  { file, line, ...load }: NumberedLoad,
  pathOf: (file: number) => string | undefined,
): FileLoad | undefined {
  const path = pathOf(file);
  return path === undefined ? undefined : { ...load, at: { path, line } };
}
