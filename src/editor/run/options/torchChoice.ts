/** What a run records of PyTorch, from the settings or as it is chosen. */
import { TORCH_DEFAULTS } from "../../../profile/torch/torchDefaults.ts";
import type { TorchRequest } from "../../../protocol/run/run.ts";
import { phrase } from "../../../words/t.ts";
import type { TorchRunSettings } from "../../settings/settings.ts";

/** What can be chosen, with the words for it. */
export const TORCH_CHOICES = [
  {
    id: "snapshots",
    label: phrase("Allocator snapshots"),
    detail: phrase("PyTorch's CUDA allocator at an out-of-memory error, at the end and on request; needs PyTorch 1.13"),
  },
  {
    id: "exactPeaks",
    label: phrase("Exact CUDA peaks"),
    detail: phrase(
      "Resets PyTorch's own peaks, so max_memory_allocated() in the script tells the peak since the last reset",
    ),
  },
  {
    id: "model",
    label: phrase("Model account"),
    detail: phrase("Parameters, gradients, optimizer state and activations of each layer, on the GPU or the CPU"),
  },
] as const;

export type TorchChoice = (typeof TORCH_CHOICES)[number]["id"];

export function choicesSet({ snapshots, exactPeaks }: TorchRunSettings): readonly TorchChoice[] {
  return TORCH_CHOICES.map(({ id }) => id).filter(
    (id) => (id === "snapshots" && snapshots) || (id === "exactPeaks" && exactPeaks),
  );
}

/** @returns undefined where nothing is recorded of PyTorch */
export function torchRequestOf(
  choices: readonly TorchChoice[],
  { snapshotEntries }: Pick<TorchRunSettings, "snapshotEntries">,
): TorchRequest | undefined {
  if (choices.length === 0) return undefined;
  return {
    exactPeaks: choices.includes("exactPeaks"),
    ...(choices.includes("snapshots") ? { snapshots: { entries: snapshotEntries } } : {}),
    ...(choices.includes("model") ? { model: { steps: TORCH_DEFAULTS.modelSteps } } : {}),
  };
}
