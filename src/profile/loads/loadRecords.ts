/** The `load` records of lines.jsonl: large files that a process read while a line was long. docs/run-folder.md. */
import * as v from "valibot";
import { amount, index, lineNumber, present } from "../files/jsonRecords.ts";
import type { FileLoad } from "../model.ts";

/** As long as the kernel lets a path be. */
const LONGEST_PATH = 4096;

const figure = v.nullish(amount);
const momentSchema = v.object({ rss: figure, mapped: figure, nvmap: figure });
const loadSchema = v.object({
  file: index,
  line: lineNumber,
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
});

/** A load whose line still has its file's number. */
export interface NumberedLoad extends Omit<FileLoad, "at"> {
  readonly file: number;
  readonly line: number;
}

/** Undefined for what is no such record. */
export function readLoad(record: unknown): NumberedLoad | undefined {
  const parsed = v.safeParse(loadSchema, record);
  if (!parsed.success) return undefined;
  const { for_ms: forMs, before, most, ...rest } = parsed.output;
  return { ...present(rest), forMs, before: present(before), most: present(most) };
}

export function placedLoad(
  { file, line, ...load }: NumberedLoad,
  pathOf: (file: number) => string | undefined,
): FileLoad | undefined {
  const path = pathOf(file);
  return path === undefined ? undefined : { ...load, at: { path, line } };
}
