/** How a training step's memory grows with the batch, and which batch is the largest that fits. Sizes are bytes. */

import { defined } from "../../profile/defined.ts";
import { listed, t } from "../../words/t.ts";
import type { ModelAccount, RootAccount } from "../model/model.ts";
import { type BatchSize, batchSizes, shownSize } from "../model/peaks.ts";
import type { TrainingContext } from "./context.ts";
import { type FixedPart, fixedPart } from "./fixed.ts";
import type { Estimate } from "./model.ts";

export interface Slope {
  /** Bytes of saved activations for each sample. */
  readonly bytes: number;
  /** The batch sizes that it is from. */
  readonly batches: readonly number[];
}

/** The peak above a step's beginning as a straight line over the batch size. */
export interface Line {
  readonly from: "measured-sizes" | "measured-share" | "shape" | "sizes";
  readonly base: number;
  readonly perSample: number;
}

export interface BatchModel {
  /** By shape: saved tensors whose first dimension is the batch's. */
  readonly shape?: Slope;
  /** By what two batch sizes saved. */
  readonly sizes?: Slope;
  /** How far the two disagree, of the smaller; absent where only one is known. */
  readonly disagreement?: number;
  /** The step's own input, for each sample. */
  readonly inputPerSample: number;
  readonly fixed: FixedPart;
  /** Measured peaks above a step's beginning, smallest batch first. */
  readonly measured: readonly { readonly batch: number; readonly peak: number }[];
  /** The most likely first. */
  readonly lines: readonly [Line, ...Line[]];
}

type Sized = BatchSize & { readonly batch: number };

/** Undefined where no batch size was seen, or nothing that grows with it. */
export function batchModel(account: ModelAccount, root: RootAccount, context: TrainingContext): BatchModel | undefined {
  const shown = shownSize(root);
  if (shown?.batch === undefined) return undefined;
  const all = [...batchSizes(root), ...otherSizes(root, context, shown)].filter(
    (size): size is Sized => size.batch !== undefined,
  );
  const accounted = highestBy(all, ({ activations }) => activations);
  const measured = highestBy(all, ({ peak, measure }) => (measure === shown.measure ? peak : undefined));
  const shape = shapeSlope(shown);
  const sizes = sizesSlope(accounted);
  const lines = linesOf(shown, shape, sizes, measured);
  const [best, ...others] = lines;
  if (best === undefined) return undefined;
  return {
    ...defined({ shape, sizes }),
    ...(shape === undefined || sizes === undefined
      ? {}
      : { disagreement: Math.abs(shape.bytes - sizes.bytes) / Math.min(shape.bytes, sizes.bytes) }),
    inputPerSample: shown.inputs / shown.batch,
    fixed: fixedPart(account, root, context),
    measured: measured.map(({ batch, value }) => ({ batch, peak: value })),
    lines: [best, ...others],
  };
}

function otherSizes(root: RootAccount, { others }: TrainingContext, { measure }: BatchSize): readonly BatchSize[] {
  return others
    .filter((run) => run.trial === undefined && run.root === root.type)
    .map(({ batch, activations, peak, measure: by }) => ({
      inputs: 0,
      ...defined({ batch, activations }),
      ...(peak === undefined || by === undefined || by !== measure ? {} : { peak, measure: by }),
    }));
}

interface Point {
  readonly batch: number;
  readonly value: number;
}

/** The highest value of each batch size, smallest batch first. */
function highestBy(sizes: readonly Sized[], sizeBy: (size: Sized) => number | undefined): readonly Point[] {
  const highest = new Map<number, number>();
  for (const size of sizes) {
    const value = sizeBy(size);
    if (value !== undefined) highest.set(size.batch, Math.max(highest.get(size.batch) ?? 0, value));
  }
  return [...highest].map(([batch, value]) => ({ batch, value })).sort((a, b) => a.batch - b.batch);
}

function shapeSlope({ batch, activationsScaling }: BatchSize): Slope | undefined {
  if (batch === undefined || activationsScaling === undefined || activationsScaling === 0) return undefined;
  return { bytes: activationsScaling / batch, batches: [batch] };
}

function sizesSlope(points: readonly Point[]): Slope | undefined {
  const [least, most] = [points[0], points.at(-1)];
  if (least === undefined || most === undefined || least.batch === most.batch) return undefined;
  const bytes = (most.value - least.value) / (most.batch - least.batch);
  return bytes > 0 ? { bytes, batches: [least.batch, most.batch] } : undefined;
}

function linesOf(
  shown: BatchSize,
  shape: Slope | undefined,
  sizes: Slope | undefined,
  measured: readonly Point[],
): readonly Line[] {
  const last = measured.at(-1);
  const accounted = { batch: shown.batch ?? 1, value: shown.activations ?? 0 };
  const through = (from: Line["from"], slope: Slope | undefined, { batch, value }: Point): Line[] =>
    slope === undefined ? [] : [{ from, base: value - slope.bytes * batch, perSample: slope.bytes }];
  const anchor = last ?? accounted;
  const estimated = [...through("shape", shape, anchor), ...through("sizes", sizes, anchor)];
  if (last === undefined) return estimated;
  const measuredSlope = sizesSlope(measured.slice(-2));
  if (measuredSlope !== undefined) return [...through("measured-sizes", measuredSlope, last), ...estimated];
  // Nobody knows which part of what one size took grows with the batch: all of it, at most.
  return [...through("measured-share", { bytes: last.value / last.batch, batches: [last.batch] }, last), ...estimated];
}

/** How far measured peaks lie from a straight line, of the peak: docs/model.md. */
const MEASURED_ERROR = 0.02;

/** The peak above a step's beginning at a batch size. */
export function peakAt({ lines, measured }: BatchModel, batch: number): Estimate {
  const peaks = lines.map(({ base, perSample }) => Math.max(0, base + perSample * batch));
  const error = measured.length === 0 ? 0 : MEASURED_ERROR;
  return { bytes: peaks[0] ?? 0, low: Math.min(...peaks) * (1 - error), high: Math.max(...peaks) * (1 + error) };
}

/** What the whole training needs at a batch size, beside what other programs hold; `fixed.outside` may be unknown. */
export function memoryAt(model: BatchModel, batch: number): Estimate {
  const { model: fixed, outside = 0 } = model.fixed;
  const peak = peakAt(model, batch);
  const rest = outside + model.inputPerSample * batch;
  return {
    bytes: fixed.bytes + rest + peak.bytes,
    low: fixed.low + rest + peak.low,
    high: fixed.high + rest + peak.high,
  };
}

export interface LargestBatch {
  readonly batch: number;
  /** Fits for certain, as far as can be told; absent where that is not known. */
  readonly low?: number;
  readonly high: number;
  /** What it rests on and what is missing; whole sentences. */
  readonly evidence: readonly string[];
}

const MOST_BATCH = 2 ** 31;

/** @param free what the training may take in all: the board's available memory before the script was started */
export function largestBatch(model: BatchModel, free: number): LargestBatch {
  const most = (memory: (batch: number) => number): number => {
    let [fits, fails] = [0, MOST_BATCH];
    while (fails - fits > 1) {
      const middle = Math.floor((fits + fails) / 2);
      if (memory(middle) <= free) fits = middle;
      else fails = middle;
    }
    return fits;
  };
  const certain = model.measured.length > 0 && model.fixed.outside !== undefined;
  return {
    batch: most((batch) => memoryAt(model, batch).bytes),
    ...(certain ? { low: most((batch) => memoryAt(model, batch).high) } : {}),
    high: most((batch) => memoryAt(model, batch).low),
    evidence: evidenceOf(model),
  };
}

function evidenceOf({ shape, sizes, measured, fixed, disagreement }: BatchModel): string[] {
  const batches = measured.map(({ batch }) => batch);
  const slopes = shape !== undefined && sizes !== undefined;
  return [
    ...(slopes
      ? [
          t(
            "Bytes for each sample come from shapes and from batches of {0}; they differ by {1} %.",
            listed(sizes.batches.map(String)),
            ((disagreement ?? 0) * 100).toFixed(1),
          ),
        ]
      : [
          shape === undefined
            ? t("Bytes for each sample come from two batch sizes.")
            : t(
                "Bytes for each sample come from the tensors' shapes at one batch size; a run at another size would check them.",
              ),
        ]),
    batches.length === 0
      ? t("No peak was measured: what libraries use while they compute and gradients on their way are not in it.")
      : batches.length === 1
        ? t(
            "The peak was measured at a batch of {0} only; it is not known which part of it grows with the batch. A run at another size narrows that.",
            batches[0] ?? 0,
          )
        : t("Peaks were measured at batches of {0}.", batches.join(t(", "))),
    ...(fixed.outside === undefined
      ? [t("What Python and the libraries take outside the model is not known, so the batch may be much too large.")]
      : [t("Outside the model the process took {0}.", fixed.outsideHow ?? "")]),
    ...fixed.assumed,
  ];
}
