/** What a change to the training would save, before it is made. Sizes are bytes. */
import type { Trial } from "../model/model.ts";

/** A figure that is worked out, with how far off it may be. */
export interface Estimate {
  readonly bytes: number;
  readonly low: number;
  readonly high: number;
}

export const WHAT_IF_KINDS = [
  "checkpoint",
  "nano-batch",
  "amp",
  "accumulation",
  "in-place",
  "on-device",
  "loader",
  "lora",
  "lora+4bit",
  "8bit-optimizer",
  "sequence",
] as const;
/** Stable, for links and `--json`. */
export type WhatIfKind = (typeof WHAT_IF_KINDS)[number];

export interface Choice {
  /** `every M layers`, `chunks`, `parts`. */
  readonly name: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
}

export interface FormulaSymbol {
  readonly symbol: string;
  readonly meaning: string;
  readonly value: number;
  readonly unit: "bytes" | "count";
}

/** One what-if: every figure can be followed from its formula. */
export interface WhatIf {
  readonly kind: WhatIfKind;
  readonly title: string;
  /** What `now` and `changed` are of, such as `peak above the step's beginning`. */
  readonly of: string;
  readonly choice?: Choice;
  /** As it is, and with the change. */
  readonly now: Estimate;
  readonly changed: Estimate;
  /** In symbols, such as `N·X + Y`, and each symbol with its meaning and bytes or count. */
  readonly formula: string;
  readonly symbols: readonly FormulaSymbol[];
  /** The same for layers that are all alike, where textbooks have one: with the means of X and Y. */
  readonly textbook?: { readonly formula: string; readonly bytes: number };
  /** What it costs and when it does not apply; whole sentences. */
  readonly notes: readonly string[];
  /** How a real run can check it. `run`: the helper makes the change itself; `edit`: the lines to write by hand. */
  readonly verify: { readonly kind: "run"; readonly trial: Trial } | { readonly kind: "edit"; readonly code: string };
  /** Set once a run with the change is there. */
  readonly measured?: { readonly run: string; readonly bytes: number };
}

/** A what-if that does not apply to this model, and why. */
export interface Refusal {
  readonly kind: WhatIfKind;
  readonly title: string;
  readonly reason: string;
}

/** Layers that are the same in architecture (GEMEL, NSDI 2023): type, hyper-parameters, shapes and dtypes agree. */
export interface SharedLayer {
  readonly type: string;
  readonly config: string;
  /** Parameters and buffers of one copy. */
  readonly bytes: number;
  /** Where copies are; at least two, of different models. */
  readonly copies: readonly { readonly model: string; readonly layer: string }[];
  /** bytes × (copies − 1) */
  readonly saving: number;
}
