/** What a change to the training would save, before it is made. Sizes are bytes. */
import type { Trial } from "../account/model.ts";

/** A figure that is worked out, with how far off it may be: a relative error of one standard check, or a bound. */
export interface Estimate {
  readonly bytes: number;
  readonly low: number;
  readonly high: number;
}

/** One what-if: every figure can be followed from its formula. */
export interface WhatIf {
  /** Stable, for links and `--json`: `checkpoint`, `nano-batch`, `amp`, `accumulation`, `in-place`, `on-device`, `loader`. */
  readonly kind: string;
  readonly title: string;
  /** What is chosen: every M layers, C chunks, a batch of B. */
  readonly choice?: { readonly name: string; readonly value: number; readonly least: number; readonly most: number };
  /** Peak above the step's beginning as it is, and with the change. */
  readonly now: Estimate;
  readonly then: Estimate;
  /** In symbols, such as `N·X + Y`, and each symbol with its meaning and bytes or count. */
  readonly formula: string;
  readonly symbols: readonly { readonly symbol: string; readonly meaning: string; readonly value: number; readonly unit: "bytes" | "count" }[];
  /** What it costs and when it does not apply; whole sentences. */
  readonly notes: readonly string[];
  /** How a real run can check it. `run`: the helper makes the change itself; `edit`: the lines to write by hand. */
  readonly verify:
    | { readonly kind: "run"; readonly trial: Trial }
    | { readonly kind: "edit"; readonly code: string };
  /** Set once a run with the change is there. */
  readonly measured?: { readonly run: string; readonly bytes: number };
}

/** Layers that are the same in architecture (GEMEL, NSDI 2023): type, hyper-parameters, shapes and dtypes agree. */
export interface SharedLayer {
  readonly type: string;
  readonly config: string;
  readonly bytes: number;
  /** Where copies are; at least two, of different models. */
  readonly copies: readonly { readonly model: string; readonly layer: string }[];
  /** bytes × (copies − 1) */
  readonly saving: number;
}
