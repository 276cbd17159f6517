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
  /** `input`: the root's own input, which was there before the step; it is listed, and counted with no layer. */
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
  /** Bytes of this layer alone, without its children. */
  readonly own: LayerBytes;
  /** With all below it. */
  readonly total: LayerBytes;
  /** What autograd saved in it at the step that is shown. */
  readonly activations: readonly SavedActivation[];
}

/** What is absent was not seen. */
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
  readonly measure?: Measure;
  /** The board's MemAvailable when the step began. */
  readonly memAvailable?: number;
  /** What autograd saved, without the root's own input. */
  readonly activations?: number;
  /** Of `activations`, what grows with the batch. */
  readonly activationsScaling?: number;
}

export type Measure = "cuda-allocated" | "rss";

/** Layers that run one after the other, each on what the one before it returned: what a trial can cut into pieces. */
export interface LayerChain {
  readonly step: number;
  readonly batch?: number;
  readonly layers: readonly ChainLayer[];
  /** What the step saved beside the chain's layers and their inputs, by other layers and after the root. */
  readonly elsewhere: number;
}

export interface ChainLayer {
  /** Place in `RootAccount.layers`. */
  readonly layer: number;
  readonly input: ChainTensor;
  readonly output: ChainTensor;
  /** Saved in it or below it beside the chain's own inputs and outputs. */
  readonly inner: number;
}

export interface ChainTensor {
  readonly storage: number;
  readonly bytes: number;
  /** Autograd keeps it without any change to the model. */
  readonly saved: boolean;
  /** It is the root's own input, which was there before the step. */
  readonly before: boolean;
}

/** How a model is fine-tuned, as far as it tells. */
export interface Tuning {
  /** LoRA's; one for each name and layer. */
  readonly adapters: readonly {
    /** Place in `RootAccount.layers`. */
    readonly layer: number;
    readonly name: string;
    readonly rank: number;
    readonly scaling?: number;
  }[];
  /** Weights of bitsandbytes. What is kept beside them is among the layer's buffers. */
  readonly packed: readonly {
    readonly layer: number;
    readonly parameter: string;
    /** `nf4`, `fp4`, `int8`. */
    readonly kind: string;
    /** The scales are packed too. */
    readonly nested: boolean;
  }[];
  /** The model says that some layer is to be computed again in backward; absent where it says nothing of that. */
  readonly checkpointing?: boolean;
  /** By the configuration of transformers: `llama`. */
  readonly modelType?: string;
  /** The longest sequence, by the same. */
  readonly positions?: number;
}

export interface RootAccount {
  readonly type: string;
  readonly at?: { readonly path: string; readonly line: number };
  readonly device: string;
  readonly layers: readonly LayerAccount[];
  readonly steps: readonly StepAccount[];
  /** The step whose activations the layers show: the one with the most. */
  readonly shownStep?: number;
  readonly chain?: LayerChain;
  readonly tuning?: Tuning;
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
  /** `bytes` belong to parameters, `other` are the optimizer's own; `packed` of both are in elements of 8 bits. */
  readonly optimizers: readonly {
    readonly type: string;
    readonly bytes: number;
    readonly other: number;
    readonly packed?: number;
  }[];
  readonly trial?: { readonly trial: Trial; readonly applied: string; readonly refused?: string };
  readonly roots: readonly RootAccount[];
  /** The file's end record was read. */
  readonly complete: boolean;
  /** What could not be read of it; whole sentences. */
  readonly problems: readonly string[];
}
