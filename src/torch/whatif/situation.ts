/** What all estimates of one model start from. Sizes are bytes. */

import { phrase, t } from "../../words/t.ts";
import type { ModelAccount, RootAccount, Trial } from "../model/model.ts";
import type { BatchSize } from "../model/peaks.ts";
import type { TrainingContext } from "./context.ts";
import type { Estimate, Refusal, WhatIf, WhatIfKind } from "./model.ts";

export interface Situation {
  readonly account: ModelAccount;
  readonly root: RootAccount;
  readonly context: TrainingContext;
  /** The training step that is looked at. */
  readonly size: BatchSize & { readonly activations: number };
  readonly now: Estimate;
  /**
   * Measured beside the saved activations: gradients on their way, what operations need while they run; absent where
   * no peak was measured.
   */
  readonly beside?: number;
}

/** @param choice what was chosen; undefined: the estimator's own choice */
export type Estimator = (situation: Situation, choice: number | undefined) => WhatIf | Refusal;

/** What `now` and `changed` are of for changes of the step itself. */
export const STEP_PEAK = phrase("peak above the step's beginning");

/** How far an estimate that rests on a measured peak may be off, of that peak: docs/model.md. */
const CHECKED_ERROR = 0.05;

/** What malloc was seen to keep of freed memory in small models (10 to 13 MiB), which RSS then holds beside the step's own. */
const KEPT_BY_MALLOC = 16 * 2 ** 20;

/**
 * @param size of the training steps that are looked at
 * @returns undefined where their saved activations are not known
 */
export function situationOf(
  account: ModelAccount,
  root: RootAccount,
  context: TrainingContext,
  size: BatchSize | undefined,
): Situation | undefined {
  if (size?.activations === undefined) return undefined;
  const { activations, peak } = size;
  const known = { account, root, context, size: { ...size, activations } };
  if (peak === undefined) return { ...known, now: exactly(activations) };
  return {
    ...known,
    now: { bytes: Math.max(peak, activations), low: Math.min(peak, activations), high: Math.max(peak, activations) },
    beside: Math.max(0, peak - activations),
  };
}

export function exactly(bytes: number): Estimate {
  return { bytes, low: bytes, high: bytes };
}

/**
 * @param besides at most what one more layer may need: another operation's needs may hide below the measured peak, and
 * all of them are unknown where none was measured
 */
export function estimated({ now, beside, size }: Situation, bytes: number, besides: number): Estimate {
  if (beside === undefined) return { bytes, low: bytes, high: bytes + besides };
  const error = CHECKED_ERROR * now.bytes;
  const kept = size.measure === "rss" ? KEPT_BY_MALLOC : 0;
  const high = Math.min(bytes + besides + kept, Math.max(bytes, now.high)) + error;
  return { bytes, low: Math.max(0, bytes - error), high };
}

/** A run in which this very change was made to this model, at the same batch size. */
export function measuredWith({ root, context, size }: Situation, trial: Trial): Pick<WhatIf, "measured"> {
  const found = context.others.find(
    (run) =>
      run.trial !== undefined &&
      sameTrial(run.trial, trial) &&
      run.sameArguments &&
      run.root === root.type &&
      run.batch === size.batch &&
      run.measure === size.measure &&
      run.peak !== undefined,
  );
  return found?.peak === undefined ? {} : { measured: { run: found.run, bytes: found.peak } };
}

export function sameTrial(a: Trial, b: Trial): boolean {
  if (a.kind === "checkpoint") return b.kind === "checkpoint" && a.every === b.every;
  if (a.kind === "nano-batch") return b.kind === "nano-batch" && a.chunks === b.chunks;
  return a.kind === b.kind;
}

export function refusal(kind: WhatIfKind, title: string, reason: string): Refusal {
  return { kind, title, reason };
}

/** A whole number within bounds. */
export function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, Math.round(value)));
}

export function besideSymbol(beside: number | undefined) {
  return beside === undefined
    ? []
    : [
        {
          symbol: "U",
          meaning: t("measured at the peak beside the saved activations: gradients on their way, workspaces"),
          value: beside,
          unit: "bytes" as const,
        },
      ];
}

export function besideNote({ beside, account }: Situation): string[] {
  return [
    ...(beside === undefined
      ? [
          t(
            "No peak was measured, so the figures hold saved activations only; the upper bound allows for one layer's gradients.",
          ),
        ]
      : []),
    ...(account.activationsBy === "outputs"
      ? [t("Activations are a stand-in made of the layers' outputs (PyTorch before 1.10), so this is rough.")]
      : []),
  ];
}
