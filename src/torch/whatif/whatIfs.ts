/** What changes to the training would save, each estimated from the model account before it is made. */

import { type Phrase, phrase, say, t } from "../../words/t.ts";
import type { ModelAccount, RootAccount } from "../model/model.ts";
import { chainSize, shownSize } from "../model/peaks.ts";
import { accumulation } from "./accumulation.ts";
import type { TrainingContext } from "./context.ts";
import { loader, onDevice } from "./feeding.ts";
import { inPlace } from "./inPlace.ts";
import { type Refusal, WHAT_IF_KINDS, type WhatIf, type WhatIfKind } from "./model.ts";
import { mixedPrecision } from "./precision.ts";
import { checkpointing, nanoBatching } from "./recompute.ts";
import { type Estimator, refusal, situationOf } from "./situation.ts";
import { LORA, LORA_4BIT, lora, lora4bit } from "./tuning/adapters.ts";
import { optimizerIn8Bits, STATE_8BIT } from "./tuning/optimizerState.ts";
import { SEQUENCE, sequence } from "./tuning/sequence.ts";

export interface WhatIfQuestion {
  readonly account: ModelAccount;
  readonly root: RootAccount;
  readonly context: TrainingContext;
  /** What was chosen; an estimate whose choice is not here chooses itself. */
  readonly choices?: { readonly [K in WhatIfKind]?: number };
}

export interface WhatIfs {
  readonly estimates: readonly WhatIf[];
  readonly refused: readonly Refusal[];
}

const ESTIMATORS: Readonly<Record<WhatIfKind, Estimator>> = {
  checkpoint: checkpointing,
  "nano-batch": nanoBatching,
  amp: mixedPrecision,
  accumulation,
  "in-place": inPlace,
  "on-device": onDevice,
  loader,
  lora,
  "lora+4bit": lora4bit,
  "8bit-optimizer": optimizerIn8Bits,
  sequence,
};

/** The others work with what the layers show, which may be of a step with another batch size than the chain's. */
const OF_THE_CHAIN: ReadonlySet<WhatIfKind> = new Set(["checkpoint", "nano-batch"]);

export const WHAT_IF_TITLES: Readonly<Record<WhatIfKind, Phrase>> = {
  checkpoint: phrase("Activation checkpointing"),
  "nano-batch": phrase("Nano-batches"),
  amp: phrase("Mixed precision (AMP)"),
  accumulation: phrase("Gradient accumulation"),
  "in-place": phrase("In-place activation functions"),
  "on-device": phrase("Building on the device instead of moving"),
  loader: phrase("Loading without workers and pinned memory"),
  lora: LORA,
  "lora+4bit": LORA_4BIT,
  "8bit-optimizer": STATE_8BIT,
  sequence: SEQUENCE,
};

export function whatIfs(question: WhatIfQuestion): WhatIfs {
  const answers = answersTo(question);
  return {
    estimates: answers.filter((answer) => "formula" in answer),
    refused: answers.filter((answer) => "reason" in answer),
  };
}

function answersTo({ account, root, context, choices = {} }: WhatIfQuestion): (WhatIf | Refusal)[] {
  const { trial } = account;
  if (trial !== undefined) {
    return refuseAll(t("This run was made with a change already ({0}). Look at a run without it.", trial.trial.kind));
  }
  const shown = situationOf(account, root, context, shownSize(root));
  if (shown === undefined) {
    // Of all, this one needs no training step.
    const others = refuseAll(t("No training step of this model was recorded."));
    return others.map((refused) => (refused.kind === "on-device" ? onDevice({ context }) : refused));
  }
  const chained = situationOf(account, root, context, chainSize(root)) ?? shown;
  return WHAT_IF_KINDS.map((kind) => ESTIMATORS[kind](OF_THE_CHAIN.has(kind) ? chained : shown, choices[kind]));
}

function refuseAll(reason: string): Refusal[] {
  return WHAT_IF_KINDS.map((kind) => refusal(kind, say(WHAT_IF_TITLES[kind]), reason));
}
