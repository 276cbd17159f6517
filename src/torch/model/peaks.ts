/** What training steps took: by the account and as measured. */
import { present } from "../../profile/files/jsonRecords.ts";
import type { Measure, RootAccount, StepAccount } from "./model.ts";

/** All training steps of one batch size: the most that any of them took. Bytes. */
export interface BatchSize {
  readonly batch?: number;
  readonly activations?: number;
  readonly activationsScaling?: number;
  /** The most that was held above a step's beginning until its backward ended. */
  readonly peak?: number;
  readonly measure?: Measure;
  /** The root's inputs of one step. */
  readonly inputs: number;
}

/**
 * Steps that kept something for a backward, by batch size, smallest first; those of unknown size come last. In the very
 * first step gradients are made and libraries set themselves up. RSS holds all of that, so it tells nothing of a step;
 * the allocator's peak then counts only where no other step has its size.
 */
export function batchSizes(root: RootAccount): readonly BatchSize[] {
  const [first, ...later] = root.steps.filter(({ grad }) => grad);
  const sizes = new Map<number | undefined, BatchSize>();
  for (const step of later) {
    const known = sizes.get(step.batch);
    sizes.set(step.batch, known === undefined ? sizeOf(step) : most(known, sizeOf(step)));
  }
  if (first !== undefined) {
    const known = sizes.get(first.batch);
    const size = sizeOf(first);
    const told = known?.peak === undefined && size.measure !== "rss";
    const whole = told ? size : withoutPeak(size);
    sizes.set(first.batch, known === undefined ? whole : most(known, whole));
  }
  return [...sizes.values()].sort((a, b) => (a.batch ?? Infinity) - (b.batch ?? Infinity));
}

function withoutPeak({ peak: _, measure: __, ...rest }: BatchSize): BatchSize {
  return rest;
}

/** The one whose activations the layers show. */
export function shownSize(root: RootAccount): BatchSize | undefined {
  const step = root.steps.find((one) => one.step === root.shownStep);
  return step && batchSizes(root).find(({ batch }) => batch === step.batch);
}

/** The one at whose step the chain of layers was seen. */
export function chainSize(root: RootAccount): BatchSize | undefined {
  return root.chain && batchSizes(root).find(({ batch }) => batch === root.chain?.batch);
}

function sizeOf(step: StepAccount): BatchSize {
  const { memoryBefore: before, memoryPeak: peak } = step;
  const measured = before !== undefined && peak !== undefined && held(peak - before, step.activations);
  return present({
    batch: step.batch,
    activations: step.activations,
    activationsScaling: step.activationsScaling,
    peak: measured ? peak - before : undefined,
    measure: measured ? step.measure : undefined,
    inputs: step.inputs.reduce((sum, { bytes }) => sum + bytes, 0),
  });
}

/** How much of the saved activations a measured peak may lack, by the activations' own error. */
const TOLERANCE = 0.02;

/** RSS does not grow where malloc gives out again what an earlier step freed: such a peak measures nothing. */
function held(peak: number, activations: number | undefined): boolean {
  return peak >= (activations ?? 0) * (1 - TOLERANCE);
}

function most(a: BatchSize, b: BatchSize): BatchSize {
  const higher = (x: number | undefined, y: number | undefined) =>
    x === undefined || y === undefined ? (x ?? y) : Math.max(x, y);
  return present({
    batch: a.batch,
    activations: higher(a.activations, b.activations),
    activationsScaling: higher(a.activationsScaling, b.activationsScaling),
    peak: higher(a.peak, b.peak),
    measure: a.measure ?? b.measure,
    inputs: Math.max(a.inputs, b.inputs),
  });
}
