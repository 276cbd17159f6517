/** Reads heap.<pid>.json, which lies beside the massif.out of a sampled process: docs/run-folder.md, "Native stacks". */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as v from "valibot";
import { parseObject } from "../../profile/files/jsonRecords.ts";
import { sampledMean } from "../counted.ts";
import { MAX_NODES } from "../limits.ts";
import { linesAtPeak } from "../lines.ts";
import type { CallTree, FrameTree, MassifFile } from "../model.ts";
import { type Bands, bandsOf, widestBands } from "../sampled.ts";
import type { LabelFacts } from "../tree/frameTree.ts";
import { pidOf } from "./sidecars.ts";

/** A number for each node of some snapshots' trees. */
const MAX_BYTES = 128 * 1024 * 1024;

const index = v.pipe(v.number(), v.integer(), v.minValue(0));
const schema = v.object({
  schema: v.literal(1),
  trees: v.array(
    v.object({ snapshot: index, errors: v.pipe(v.array(v.pipe(v.number(), v.finite())), v.maxLength(MAX_NODES)) }),
  ),
});

/** One snapshot of a process, with its stacks allocators first and with all frames. */
export interface SampledTree {
  readonly path: string;
  readonly file: Pick<MassifFile, "description">;
  /** As the file numbers it. */
  readonly snapshot: number;
  readonly calls: CallTree;
  readonly facts: LabelFacts;
  readonly stacks: FrameTree;
}

/** Undefined where every allocation was counted. What cannot be read makes the bands as wide as they can be. */
export async function readBands({
  path: file,
  file: head,
  snapshot,
  calls,
  facts,
  stacks,
}: SampledTree): Promise<Bands | undefined> {
  const mean = sampledMean(head);
  if (mean === undefined) return undefined;
  const errors = await readErrors(file, snapshot);
  return errors?.length === calls.label.length
    ? bandsOf(
        calls,
        facts,
        Float64Array.from(errors, (error) => error * error),
        mean,
      )
    : widestBands(linesAtPeak(stacks), stacks.total[0] ?? 0, mean);
}

/** One standard error of each node of a snapshot's tree, in the order of the file. */
async function readErrors(massifFile: string, snapshot: number): Promise<readonly number[] | undefined> {
  const pid = pidOf(massifFile);
  if (pid === undefined) return undefined;
  const file = path.join(path.dirname(massifFile), `heap.${pid}.json`);
  try {
    const stats = await fs.stat(file);
    if (!stats.isFile() || stats.size > MAX_BYTES) return undefined;
    const parsed = v.safeParse(schema, parseObject(await fs.readFile(file, "utf8")));
    return parsed.success ? parsed.output.trees.find((tree) => tree.snapshot === snapshot)?.errors : undefined;
  } catch {
    return undefined;
  }
}
