/** Reads heap.<pid>.json, which lies beside the massif.out of a sampled process: docs/run-folder.md, "Native stacks". */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as v from "valibot";
import { amount, index, parseObject } from "../../profile/files/jsonRecords.ts";
import { bandOf } from "../../profile/run/nativeStacks.ts";
import { sampledMean } from "../counted.ts";
import { MAX_NODES } from "../limits.ts";
import type { CallTree, MassifFile, Sampled } from "../model.ts";
import { widestVariances } from "../sampled.ts";
import { pidOf } from "./sidecars.ts";

/** A number for each node of some snapshots' trees. */
const MAX_BYTES = 128 * 1024 * 1024;
const MAX_SNAPSHOTS = 100_000;

const schema = v.object({
  schema: v.literal(1),
  snapshots: v.optional(
    v.pipe(v.array(v.object({ snapshot: index, error: amount })), v.maxLength(MAX_SNAPSHOTS)),
    () => [],
  ),
  trees: v.array(v.object({ snapshot: index, errors: v.pipe(v.array(amount), v.maxLength(MAX_NODES)) })),
});

type Errors = v.InferOutput<typeof schema>;

/** The path of the file; undefined for one that no run of ours named. */
export function sampledFile(massifFile: string): string | undefined {
  const pid = pidOf(massifFile);
  return pid === undefined ? undefined : path.join(path.dirname(massifFile), `heap.${pid}.json`);
}

type Head = Pick<MassifFile, "description">;

/**
 * How uncertain the bytes of a snapshot's nodes are, in their order; undefined where every allocation was counted. Where
 * the file cannot be read, as uncertain as they can be.
 * @param snapshot as the file numbers it
 */
export async function readSampled(
  massifFile: string,
  head: Head,
  snapshot: number,
  calls: CallTree,
): Promise<Sampled | undefined> {
  const mean = sampledMean(head);
  if (mean === undefined) return undefined;
  const errors = (await readErrors(massifFile))?.trees.find((tree) => tree.snapshot === snapshot)?.errors;
  const isWhole = errors?.length === calls.label.length;
  return { mean, variance: isWhole ? Float64Array.from(errors, (one) => one * one) : widestVariances(calls, mean) };
}

/** How uncertain the sizes of all snapshots are, by their places in the file; as `readSampled`. */
export async function readSnapshotBands(
  massifFile: string,
  file: Pick<MassifFile, "description" | "snapshots">,
): Promise<readonly number[] | undefined> {
  const mean = sampledMean(file);
  if (mean === undefined) return undefined;
  const known = (await readErrors(massifFile))?.snapshots ?? [];
  const errors = new Map(known.map((one) => [one.snapshot, one.error]));
  return file.snapshots.map(({ number, heap }) => {
    const error = errors.get(number);
    return bandOf(error === undefined ? mean * heap : error * error, mean);
  });
}

async function readErrors(massifFile: string): Promise<Errors | undefined> {
  const file = sampledFile(massifFile);
  if (file === undefined) return undefined;
  try {
    const stats = await fs.stat(file);
    if (!stats.isFile() || stats.size > MAX_BYTES) return undefined;
    const parsed = v.safeParse(schema, parseObject(await fs.readFile(file, "utf8")));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}
