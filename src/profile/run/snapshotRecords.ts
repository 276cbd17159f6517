/** allocator.jsonl: when and why a run's snapshots of PyTorch's allocator were taken. docs/run-folder.md has the format. */
import * as path from "node:path";
import * as v from "valibot";
import { appended } from "../files/fileReading.ts";
import { amount, checkSchema, parseObject } from "../files/jsonRecords.ts";

const recordSchema = v.object({
  record: v.literal("snapshot"),
  t: amount,
  file: v.pipe(v.string(), v.maxLength(200)),
  why: v.pipe(v.string(), v.maxLength(200)),
});

export interface SnapshotRecord {
  /** Milliseconds since the start. */
  readonly t: number;
  /** `request`, `oom`, `checkpoint`, `end`, or what a newer helper knows. */
  readonly why: string;
}

/**
 * By the name of the snapshot's file: of one that was replaced the last record counts. Empty where the run has none.
 * @throws UserError `schema-too-new`, `run-damaged`, `run-unreadable`
 */
export async function readSnapshotRecords(folder: string): Promise<ReadonlyMap<string, SnapshotRecord>> {
  const file = path.join(folder, "allocator.jsonl");
  const records = new Map<string, SnapshotRecord>();
  function add(line: string): void {
    const object = parseObject(line);
    if (object?.["record"] === "header") checkSchema(object, file);
    const parsed = v.safeParse(recordSchema, object);
    if (parsed.success) records.set(parsed.output.file, { t: parsed.output.t, why: parsed.output.why });
  }
  await appended(file, { restart: () => records.clear(), line: add }).read();
  return records;
}
