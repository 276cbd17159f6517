/**
 * The model account of one process: which layer holds which bytes. Sizes are bytes of storages, each counted once.
 * docs/run-folder.md, "Model account", says what each figure means.
 */
export interface TensorEntry {
  /** Qualified below the root: `features.0.weight`. */
  readonly name: string;
  readonly storage: number;
  /** 0 where the storage is counted with another tensor's. */
  readonly bytes: number;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly trainable: boolean;
}

export interface SavedActivation {
  readonly storage: number;
  readonly bytes: number;
  readonly shape: readonly number[];
  readonly dtype: string;
  /** Its first dimension is the batch's. */
  readonly scales: boolean;
  readonly part: "layer" | "input" | "after";
}

export interface LayerAccount {
  /** Place in `RootAccount.layers`; the root is 0. */
  readonly index: number;
  readonly parent?: number;
  readonly name: string;
  readonly type: string;
  /** As the module prints itself: hyper-parameters. */
  readonly config: string;
  readonly parameters: readonly TensorEntry[];
  readonly buffers: readonly TensorEntry[];
  /** Bytes of this layer alone, without its children; absent where it was not seen. */
  readonly own: LayerBytes;
  /** With all below it. */
  readonly total: LayerBytes;
  /** What autograd saved in it at the step that is shown. */
  readonly activations: readonly SavedActivation[];
}

export interface LayerBytes {
  readonly parameters: number;
  readonly buffers: number;
  readonly gradients?: number;
  readonly optimizer?: number;
  readonly activations?: number;
}

export interface StepAccount {
  readonly step: number;
  readonly training: boolean;
  /** Gradients were enabled: without them nothing is saved. */
  readonly grad: boolean;
  readonly autocast: boolean;
  readonly checkpointed: boolean;
  readonly batch?: number;
  readonly inputs: readonly { readonly shape: readonly number[]; readonly dtype: string; readonly bytes: number }[];
  readonly memoryBefore?: number;
  readonly memoryPeak?: number;
  readonly measure?: "cuda-allocated" | "rss";
  readonly activations?: number;
  /** Of `activations`, what grows with the batch. */
  readonly activationsScaling?: number;
}

export interface RootAccount {
  readonly type: string;
  readonly at?: { readonly path: string; readonly line: number };
  readonly device: string;
  readonly layers: readonly LayerAccount[];
  readonly steps: readonly StepAccount[];
  /** The step whose activations the layers show: the one with the most. */
  readonly shownStep?: number;
  readonly total: LayerBytes;
}

export type Trial =
  | { readonly kind: "checkpoint"; readonly every: number }
  | { readonly kind: "nano-batch"; readonly chunks: number }
  | { readonly kind: "amp" }
  | { readonly kind: "in-place" };

export interface ModelAccount {
  readonly pid: number;
  readonly torch: string;
  /** How activations were found; `outputs` is a stand-in below torch 1.10. */
  readonly activationsBy: "saved-tensors" | "outputs";
  readonly optimizers: readonly { readonly type: string; readonly bytes: number; readonly other: number }[];
  readonly trial?: { readonly trial: Trial; readonly applied: string; readonly refused?: string };
  readonly roots: readonly RootAccount[];
  readonly complete: boolean;
  readonly problems: readonly string[];
}
