/** What a chain of layers holds when parts of it are computed again in backward. Sizes are bytes. */
import type { ChainLayer, ChainTensor, LayerChain } from "../account/model.ts";

/** What a tensor adds to a step: the root's own input was there before. */
function added({ bytes, before }: ChainTensor): number {
  return before ? 0 : bytes;
}

/** What is saved between the layers of a group, when it is run with gradients. */
function savedInside(group: readonly ChainLayer[]): number {
  const [first, ...others] = group;
  const seen = new Set([first?.input.storage]);
  let bytes = 0;
  for (const { input } of others) {
    if (!seen.has(input.storage) && input.saved) bytes += input.bytes;
    seen.add(input.storage);
  }
  return bytes + group.reduce((sum, { inner }) => sum + inner, 0);
}

export interface Checkpointed {
  /** The most that is held at once: kept inputs, and one group that is computed again. */
  readonly held: number;
  /** The group at which that is. */
  readonly kept: number;
  readonly again: number;
  readonly output: number;
}

/**
 * Backward goes from the last group to the first and frees the input of each group it has done, so the most is held at
 * some group: the inputs of all groups up to it, what it saves when it is run again, its output, and the gradient of that,
 * which torch.utils.checkpoint holds meanwhile.
 */
export function checkpointed({ layers, elsewhere }: LayerChain, every: number): Checkpointed {
  let most: Checkpointed = { held: 0, kept: 0, again: 0, output: 0 };
  let kept = 0;
  for (let start = 0; start < layers.length; start += every) {
    const group = layers.slice(start, start + every);
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined) break;
    kept += added(first.input);
    const [again, output] = [savedInside(group), last.output.bytes];
    const held = kept + again + 2 * output + elsewhere;
    if (held > most.held) most = { held, kept, again, output };
  }
  return most;
}

/**
 * The chain's last output where autograd keeps it for what follows. Once backward is inside the chain it adds nothing:
 * either it is freed, or the script holds it in the place of the step's before, which was there at the beginning.
 */
export function finalOutput({ layers }: LayerChain): number {
  const last = layers.at(-1)?.output;
  return last?.saved === true ? last.bytes : 0;
}

export interface Chunked {
  /** The most that is held at once, without what operations need besides. */
  readonly held: number;
  readonly kept: number;
  /** Whole: the layer's output with its gradient, and the gradient of its input. */
  readonly whole: number;
  /** What one layer saves and returns for the whole batch; one part of it is there at once. */
  readonly inside: number;
}

/**
 * Each layer's input is kept; in backward one part of one layer is computed again at a time, while the gradients of
 * its input and output are there whole.
 */
export function chunked({ layers, elsewhere }: LayerChain, chunks: number): Chunked {
  let most: Chunked = { held: 0, kept: 0, whole: 0, inside: 0 };
  let kept = 0;
  for (const { input, output, inner } of layers) {
    kept += added(input);
    const whole = output.bytes + added(input);
    const inside = inner + output.bytes;
    const held = kept + whole + inside / chunks + elsewhere;
    if (held > most.held) most = { held, kept, whole, inside };
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
