/** What changes to the training would save, each estimated from the model account before it is made. */

import { type Phrase, phrase, say, t } from "../../words/t.ts";
import type { ModelAccount, RootAccount, Trial } from "../model/model.ts";
import { chainSize, shownSize } from "../model/peaks.ts";
import { accumulation } from "./accumulation.ts";
import type { TrainingContext } from "./context.ts";
import { type Refusal, WHAT_IF_KINDS, type WhatIf, type WhatIfKind } from "./model.ts";
import { checkpointing, nanoBatching } from "./recompute.ts";
import { type Estimator, refusal, situationOf } from "./situation.ts";

export interface WhatIfQuestion {
  readonly account: ModelAccount;
  readonly root: RootAccount;
  readonly context: TrainingContext;
  /** What was chosen; an estimate whose choice is not here chooses itself. */
  readonly choices?: { readonly [K in WhatIfKind]?: number };
}

/** Of changes that a run can be made with. */
export const WHAT_IF_TITLES: Readonly<Record<Trial["kind"], Phrase>> = {
  checkpoint: phrase("Activation checkpointing"),
  "nano-batch": phrase("Nano-batches"),
  amp: phrase("Mixed precision (AMP)"),
  "in-place": phrase("In-place activation functions"),
};

export interface WhatIfs {
  readonly estimates: readonly WhatIf[];
  readonly refused: readonly Refusal[];
}

/** Each with its name, and what it says where no training step was recorded, if it can do without. */
export type Estimators = {
  readonly [K in WhatIfKind]?: readonly [
    Phrase,
    Estimator,
    ((question: Pick<WhatIfQuestion, "context">) => WhatIf | Refusal)?,
  ];
};

/** Those that answer to a slider, which the page works out itself; `allWhatIfs.ts` has all. */
export const WITH_SLIDER: Estimators = {
  checkpoint: [WHAT_IF_TITLES.checkpoint, checkpointing],
  "nano-batch": [WHAT_IF_TITLES["nano-batch"], nanoBatching],
  accumulation: [phrase("Gradient accumulation"), accumulation],
};

/** The others work with what the layers show, which may be of a step with another batch size than the chain's. */
const OF_THE_CHAIN: ReadonlySet<WhatIfKind> = new Set(["checkpoint", "nano-batch"]);

/** @param estimators those that are asked */
export function whatIfs(question: WhatIfQuestion, estimators: Estimators): WhatIfs {
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
    const found = estimators[kind];
    return found === undefined ? [] : [{ kind, found }];
  });
  const refuseAll = (reason: string) => asked.map(({ kind, found: [title] }) => refusal(kind, say(title), reason));
  const { trial } = account;
  if (trial !== undefined) {
    return refuseAll(t("This run was made with a change already ({0}). Look at a run without it.", trial.trial.kind));
  }
  const shown = situationOf(account, root, context, shownSize(root));
  if (shown === undefined) {
    const refused = refuseAll(t("No training step of this model was recorded."));
    return asked.flatMap(({ found: [, , without] }, place) => without?.({ context }) ?? refused[place] ?? []);
  }
  const chained = situationOf(account, root, context, chainSize(root)) ?? shown;
  return asked.map(({ kind, found: [, estimate] }) => {
    return estimate(OF_THE_CHAIN.has(kind) ? chained : shown, choices[kind]);
  });
}
