/** `model`: which layer holds which memory, how it grows with the batch, and which batch is the largest that fits. */
import * as path from "node:path";
import { UserError } from "../../../profile/userError.ts";
import { batchSizes } from "../../../torch/model/peaks.ts";
import { type BatchModel, batchModel, type LargestBatch, largestBatch, peakAt } from "../../../torch/whatif/batch.ts";
import type { Estimate } from "../../../torch/whatif/model.ts";
import { t } from "../../../words/t.ts";
import { exitStatus, FAILURE } from "../../run/exitStatus.ts";
import type { Surroundings } from "../../run/followRun.ts";
import { record } from "../../run/profileCommand.ts";
import { findRun } from "../../runs/runLookup.ts";
import { jsonText } from "../../terminal/output.ts";
import type { ModelCommand, ModelSource } from "./modelCommandLine.ts";
import { modelJson } from "./modelJson.ts";
import { type ModelRun, readModelRun } from "./modelRun.ts";
import { modelText } from "./modelText.ts";

export interface Batches {
  readonly model: BatchModel;
  /** What the training may take, and whether that was given or read on the board before the run. */
  readonly free?: { readonly bytes: number; readonly given: boolean };
  readonly largest?: LargestBatch;
}

/** What a run at another batch size took, and what was expected of it. Bytes above the step's beginning. */
export interface Check {
  readonly batch: number;
  readonly expected: Estimate;
  readonly measured?: number;
}

/**
 * @returns the exit status
 * @throws UserError
 */
export async function showModel(command: ModelCommand, helperFolder: string, around: Surroundings): Promise<number> {
  const { source } = command;
  if (source.kind === "run") {
    const run = await readModelRun(await findRun(source.run, path.resolve(source.project ?? ".")));
    print(run, undefined, command, around);
    return 0;
  }
  const recordWith = (batch: number | undefined) => recordBatch(source, batch, helperFolder, around);
  const sizes = source.batches.length === 0 ? [undefined] : source.batches;
  let last = await recordWith(sizes[0]);
  for (const batch of sizes.slice(1)) last = await recordWith(batch);
  if (source.check === undefined) {
    print(last, undefined, command, around);
    return exitStatus(last.run.exit);
  }
  const before = batchesOf(last, command.free);
  const batch = source.check === "largest" ? (before?.largest?.low ?? before?.largest?.batch) : source.check;
  if (before === undefined || batch === undefined || batch < 1) {
    print(last, undefined, command, around);
    throw new UserError(
      "nothing-to-check",
      t(
        "There is no largest batch to check: it is not known how the memory grows with the batch, or how much there is.",
      ),
      t("Give the batch to run, such as --check=32, or how much memory is free, such as --free 3000."),
    );
  }
  const checked = await recordWith(batch);
  print(checked, { batch, expected: peakAt(before.model, batch), ...measuredAt(checked, batch) }, command, around);
  return exitStatus(checked.run.exit);
}

async function recordBatch(
  { profile, batchArgument }: Extract<ModelSource, { kind: "script" }>,
  batch: number | undefined,
  helperFolder: string,
  around: Surroundings,
): Promise<ModelRun> {
  const args = batch === undefined ? profile.args : [...profile.args, batchArgument, String(batch)];
  const outcome = await record({ ...profile, args }, helperFolder, around);
  if (outcome.kind === "failed") throw outcome.error;
  if (outcome.kind === "cancelled" || outcome.folder === undefined) {
    throw new UserError(
      "cancelled",
      t("The run was cancelled."),
      t("What was recorded of it is kept; see jetson-memprof runs."),
    );
  }
  const run = await readModelRun(outcome.folder);
  if (exitStatus(run.run.exit) === FAILURE) around.stderr.write(t("Note: the run did not end by itself.\n"));
  return run;
}

function measuredAt({ root }: ModelRun, batch: number): { readonly measured?: number } {
  const size = batchSizes(root).find((one) => one.batch === batch);
  return size?.peak === undefined ? {} : { measured: size.peak };
}

/** Undefined where it is not known how the memory grows. */
export function batchesOf({ account, root, context }: ModelRun, given: number | undefined): Batches | undefined {
  const model = batchModel(account, root, context);
  if (model === undefined) return undefined;
  const bytes = given ?? context.availableBefore;
  if (bytes === undefined) return { model };
  return { model, free: { bytes, given: given !== undefined }, largest: largestBatch(model, bytes) };
}

function print(run: ModelRun, check: Check | undefined, command: ModelCommand, { stdout }: Surroundings): void {
  const batches = batchesOf(run, command.free);
  stdout.write(command.json ? jsonText(modelJson(run, batches, check)) : modelText(run, batches, check, command.depth));
}
