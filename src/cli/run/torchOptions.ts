/** Options of `profile` for what is recorded of PyTorch. */
import { defined } from "../../profile/defined.ts";
import { MOST_MODEL_STEPS, MOST_SNAPSHOT_ENTRIES, TORCH_DEFAULTS } from "../../profile/torch/torchDefaults.ts";
import type { TorchRequest } from "../../protocol/run/run.ts";
import type { Trial } from "../../torch/model/model.ts";
import { t } from "../../words/t.ts";
import { amount, usageError } from "../commandLine/options.ts";
import type { Values } from "../commandLine/reference/model.ts";
import type { TORCH_OPTIONS } from "../commandLine/reference/profile.ts";

/**
 * @returns undefined where nothing of PyTorch was asked for
 * @throws UserError `usage`
 */
export function torchRequest(values: Values<typeof TORCH_OPTIONS>): TorchRequest | undefined {
  const { snapshots, model, try: tried } = values;
  const exactPeaks = values["exact-cuda-peaks"] ?? false;
  if (!exactPeaks && snapshots === undefined && model === undefined && tried === undefined) return undefined;
  const ofEntries = { most: MOST_SNAPSHOT_ENTRIES, fallback: TORCH_DEFAULTS.snapshotEntries };
  const entries = amount("--snapshots", snapshots ?? "", ofEntries);
  // To try something is to measure what it does to the model.
  const steps = amount("--model", model ?? "", { most: MOST_MODEL_STEPS, fallback: TORCH_DEFAULTS.modelSteps });
  return {
    exactPeaks,
    ...(snapshots === undefined ? {} : { snapshots: { entries } }),
    ...(model === undefined && tried === undefined
      ? {}
      : { model: { steps, ...defined({ trial: tried === undefined ? undefined : trial(tried) }) } }),
  };
}

const MOST_OF_TRIAL = 1000;

function trial(text: string): Trial {
  const [, kind, figure] = /^([a-z-]+)(?::(\d{1,6}))?$/.exec(text) ?? [];
  const value = figure === undefined ? undefined : Number(figure);
  const fits = (least: number): boolean => value === undefined || (value >= least && value <= MOST_OF_TRIAL);
  if (kind === "checkpoint" && fits(1)) return { kind, every: value ?? 1 };
  if (kind === "nano-batch" && fits(2)) return { kind, chunks: value ?? 2 };
  if ((kind === "amp" || kind === "in-place") && value === undefined) return { kind };
  throw usageError(
    t('--try is checkpoint:LAYERS, nano-batch:CHUNKS (2 to {0}), amp or in-place, not "{1}".', MOST_OF_TRIAL, text),
  );
}
