/** What a trial changes, as a sentence. */
import type { Trial } from "../../torch/account/model.ts";

export function trialText(trial: Trial): string {
  switch (trial.kind) {
    case "checkpoint":
      return trial.every === 1
        ? "Each layer of the model's chain is checkpointed."
        : `Every ${trial.every} layers of the model's chain are checkpointed together.`;
    case "nano-batch":
      return `Each layer of the model's chain runs in ${trial.chunks} chunks of the batch.`;
    case "amp":
      return "The model's forward pass runs in mixed precision (AMP).";
    case "in-place":
      return "Activation functions work in place where autograd allows it.";
  }
}
