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

/** Each with its name. */
export type Estimators = { readonly [K in WhatIfKind]?: readonly [Phrase, Estimator] };

export const ESTIMATORS = {
  checkpoint: [phrase("Activation checkpointing"), checkpointing],
  "nano-batch": [phrase("Nano-batches"), nanoBatching],
  amp: [phrase("Mixed precision (AMP)"), mixedPrecision],
  accumulation: [phrase("Gradient accumulation"), accumulation],
  "in-place": [phrase("In-place activation functions"), inPlace],
  "on-device": [phrase("Building on the device instead of moving"), onDevice],
  loader: [phrase("Loading without workers and pinned memory"), loader],
} as const satisfies Estimators;

/** The others work with what the layers show, which may be of a step with another batch size than the chain's. */
const OF_THE_CHAIN: ReadonlySet<WhatIfKind> = new Set(["checkpoint", "nano-batch"]);

/** @param estimators those that are asked */
export function whatIfs(question: WhatIfQuestion, estimators: Estimators = ESTIMATORS): WhatIfs {
  const answers = answersTo(question, estimators);
  return {
    estimates: answers.filter((answer) => "formula" in answer),
    refused: answers.filter((answer) => "reason" in answer),
  };
}

function answersTo(
  { account, root, context, choices = {} }: WhatIfQuestion,
  estimators: Estimators,
): (WhatIf | Refusal)[] {
  const asked = WHAT_IF_KINDS.flatMap((kind) => {
    const [title, estimate] = estimators[kind] ?? [];
    return title === undefined || estimate === undefined ? [] : [{ kind, title, estimate }];
  });
  const refuseAll = (reason: string) => asked.map(({ kind, title }) => refusal(kind, say(title), reason));
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
  return asked.map(({ kind, estimate }) => estimate(OF_THE_CHAIN.has(kind) ? chained : shown, choices[kind]));
}
