/** What a trial changes, as a sentence. */
import type { Trial } from "../../../torch/model/model.ts";
import { t } from "../../../words/t.ts";

export function trialText(trial: Trial): string {
  switch (trial.kind) {
    case "checkpoint":
      return trial.every === 1
        ? t("Each layer of the model's chain is checkpointed.")
        : t("Every {0} layers of the model's chain are checkpointed together.", trial.every);
    case "nano-batch":
      return t("Each layer of the model's chain runs in {0} chunks of the batch.", trial.chunks);
    case "amp":
      return t("The model's forward pass runs in mixed precision (AMP).");
    case "in-place":
      return t("Activation functions work in place where autograd allows it.");
  }
}
