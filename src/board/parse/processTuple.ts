/** One process as the helper writes it, in moments.jsonl and in the survey (docs/run-folder.md). */
import * as v from "valibot";
import { amount, index, present } from "../../profile/files/jsonRecords.ts";
import type { ProcessMemory } from "../moments/model.ts";

const figure = v.nullable(amount);
const tuple = v.pipe(
  v.tuple([
    index,
    v.pipe(v.string(), v.maxLength(100)),
    v.nullable(index),
    amount,
    figure,
    figure,
    figure,
    figure,
    figure,
    figure,
  ]),
  v.transform(
    ([pid, name, uid, rss, anon, file, shmem, swap, pss, uss]): ProcessMemory =>
      present({ pid, name, uid, rss, anon, file, shmem, swap, pss, uss }),
  ),
);

/** @returns undefined for what is no such entry */
export function readProcess(value: unknown): ProcessMemory | undefined {
  const result = v.safeParse(tuple, value);
  return result.success ? result.output : undefined;
}
