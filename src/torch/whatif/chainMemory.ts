/** What a chain of layers holds when parts of it are computed again in backward. Sizes are bytes. */
import type { ChainLayer, ChainTensor, LayerChain } from "../model/model.ts";

/** What a tensor adds to a step: the root's own input was there before. */
function added({ bytes, before }: ChainTensor): number {
  return before ? 0 : bytes;
}

/** What each layer of a group saves when the group is run with gradients: the group's own input is counted elsewhere. */
function savedBy(group: readonly ChainLayer[]): number[] {
  const seen = new Set([group[0]?.input.storage]);
  return group.map(({ input, inner }) => {
    const bytes = input.saved && !seen.has(input.storage) ? added(input) : 0;
    seen.add(input.storage);
    return bytes + inner;
  });
}

/** The gradients that backward makes in a layer: of what it saves inside, or of its input and output. */
function gradientsIn({ input, output, inner }: ChainLayer): number {
  return Math.max(inner, added(input) + output.bytes);
}

/**
 * How many times its gradients the backward of a layer needs beside what is saved: other gradients on their way,
 * workspaces. Nobody sees that of each layer, but the measured peak bounds all of them: while backward is in a layer,
 * what all layers up to it saved is held, and no layer needs more beside that than the peak leaves. So the ratio is the
 * largest with which each layer keeps within the peak.
 */
export function besideRatio({ layers, elsewhere }: LayerChain, peak: number): number {
  const [first] = layers;
  const saved = savedBy(layers);
  let held = elsewhere + (first?.input.saved === true ? added(first.input) : 0);
  let ratio = Number.POSITIVE_INFINITY;
  for (const [position, layer] of layers.entries()) {
    held += saved[position] ?? 0;
    const gradients = gradientsIn(layer);
    if (gradients > 0) ratio = Math.min(ratio, (peak - held) / gradients);
  }
  return Number.isFinite(ratio) ? Math.max(0, ratio) : 0;
}

export interface Checkpointed {
  /** The most that is held at once: kept inputs, one group that is computed again, and what its backward needs. */
  readonly held: number;
  /** At the layer at which that is. */
  readonly kept: number;
  readonly again: number;
  readonly output: number;
  readonly beside: number;
}

/**
 * Backward goes from the last group to the first and frees the input of each group it has done, so the most is held at
 * some layer: the inputs of all groups up to its own, what its group saved up to it when it was run again, the group's
 * output with its gradient, which torch.utils.checkpoint holds meanwhile, and what backward needs besides.
 */
export function checkpointed({ layers, elsewhere }: LayerChain, every: number, ratio: number): Checkpointed {
  let most: Checkpointed = { held: 0, kept: 0, again: 0, output: 0, beside: 0 };
  let kept = 0;
  for (let start = 0; start < layers.length; start += every) {
    const group = layers.slice(start, start + every);
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined) break;
    kept += added(first.input);
    const output = last.output.bytes;
    const saved = savedBy(group);
    let again = 0;
    for (const [position, layer] of group.entries()) {
      again += saved[position] ?? 0;
      const beside = ratio * gradientsIn(layer);
      const held = kept + again + 2 * output + elsewhere + beside;
      if (held > most.held) most = { held, kept, again, output, beside };
    }
  }
  return most;
}

export interface Chunked {
  /** The most that is held at once. */
  readonly held: number;
  /** At the layer at which that is. */
  readonly kept: number;
  /** Whole: the layer's output with its gradient, and the gradient of its input. */
  readonly whole: number;
  /** What the layer saves and returns for the whole batch, and what its backward needs; one part of each is there. */
  readonly inside: number;
  readonly beside: number;
}

/**
 * Each layer's input is kept; in backward one part of one layer is computed again at a time, while the gradients of
 * its input and output are there whole.
 */
export function chunked({ layers, elsewhere }: LayerChain, chunks: number, ratio: number): Chunked {
  let most: Chunked = { held: 0, kept: 0, whole: 0, inside: 0, beside: 0 };
  let kept = 0;
  for (const layer of layers) {
    const { input, output, inner } = layer;
    kept += added(input);
    const whole = output.bytes + added(input);
    const inside = inner + output.bytes;
    const beside = ratio * gradientsIn(layer);
    const held = kept + whole + (inside + beside) / chunks + elsewhere;
    if (held > most.held) most = { held, kept, whole, inside, beside };
  }
  return most;
}

/** The textbook's N, X and Y: layers, and the means of their inputs and inner activations. */
export function meansOf({ layers }: LayerChain): { readonly n: number; readonly x: number; readonly y: number } {
  const n = layers.length;
  const mean = (sizeOf: (layer: ChainLayer) => number) => layers.reduce((sum, layer) => sum + sizeOf(layer), 0) / n;
  return { n, x: mean(({ input }) => input.bytes), y: mean(({ inner }) => inner) };
}

/** The largest that operations of one layer may need besides: gradients of what it saves, and of its output. */
export function gradientsOfOne({ layers }: LayerChain): number {
  return layers.reduce((most, { inner, output }) => Math.max(most, 2 * inner + output.bytes), 0);
}
