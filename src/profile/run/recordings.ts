/** What a run folder holds beside its figures by line, by the names of its files. */
import * as fs from "node:fs/promises";
import { orMissing } from "../files/fileReading.ts";

export interface Recordings {
  /** It has a model account. */
  readonly model: boolean;
  /** Names of allocator snapshots in the folder, in the order in which each process made them. */
  readonly snapshots: readonly string[];
}

const MODEL = /^model\.\d+\.jsonl$/;
const SNAPSHOT = /^allocator\.\d+\.\d+\.pickle$/;
const byNumbers = new Intl.Collator("en", { numeric: true }).compare;

/** @throws UserError `run-unreadable` */
export async function findRecordings(folder: string): Promise<Recordings> {
  return recordingsAmong((await orMissing(fs.readdir(folder), folder)) ?? []);
}

export function recordingsAmong(names: readonly string[]): Recordings {
  return {
    model: names.some((name) => MODEL.test(name)),
    snapshots: names.filter((name) => SNAPSHOT.test(name)).sort(byNumbers),
  };
}
