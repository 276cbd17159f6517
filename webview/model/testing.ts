/** Model accounts for tests of the page, built by hand: their totals follow from their tensors. */
import type { ModelDocument } from "../../src/protocol/torch/model.ts";
import { addBytes } from "../../src/torch/model/bytes.ts";
import type {
  ChainLayer,
  ChainTensor,
  LayerAccount,
  LayerBytes,
  ModelAccount,
  RootAccount,
  SavedActivation,
  StepAccount,
  TensorEntry,
} from "../../src/torch/model/model.ts";
import { withoutSlider } from "../../src/torch/whatif/allWhatIfs.ts";
import type { TrainingContext } from "../../src/torch/whatif/context.ts";

export const BATCH = 64;
const FLOAT = 4;
const MIB = 1024 * 1024;

const product = (shape: readonly number[]): number => shape.reduce((size, factor) => size * factor, 1);

/** A layer before it is part of a model: its weights and what a step of `BATCH` samples saved in it. */
export interface LayerPlan {
  readonly name: string;
  readonly type: string;
  readonly config?: string;
  readonly weights?: Readonly<Record<string, readonly number[]>>;
  readonly buffers?: Readonly<Record<string, readonly number[]>>;
  readonly saved?: readonly (readonly number[])[];
}

const TORCH = "torch.nn.modules";
export const LENET: readonly LayerPlan[] = [
  { name: "", type: "models.LeNet" },
  { name: "features", type: `${TORCH}.container.Sequential` },
  {
    name: "features.0",
    type: `${TORCH}.conv.Conv2d`,
    config: "3, 64, kernel_size=(3, 3), stride=(1, 1)",
    weights: { weight: [64, 3, 3, 3], bias: [64] },
    saved: [[BATCH, 64, 30, 30]],
  },
  {
    name: "features.1",
    type: `${TORCH}.batchnorm.BatchNorm2d`,
    config: "64, eps=1e-05",
    weights: { weight: [64], bias: [64] },
    buffers: { running_mean: [64], running_var: [64] },
    saved: [[BATCH, 64, 30, 30]],
  },
  { name: "features.2", type: `${TORCH}.activation.ReLU`, saved: [[BATCH, 64, 30, 30]] },
  { name: "classifier", type: `${TORCH}.container.Sequential` },
  {
    name: "classifier.0",
    type: `${TORCH}.linear.Linear`,
    config: "in_features=57600, out_features=120, bias=True",
    weights: { weight: [120, 57_600], bias: [120] },
    saved: [[BATCH, 57_600]],
  },
  {
    name: "classifier.1",
    type: `${TORCH}.linear.Linear`,
    config: "in_features=120, out_features=10, bias=True",
    weights: { weight: [10, 120], bias: [10] },
    saved: [[BATCH, 120]],
  },
];

/** What was seen beside the weights; Adam keeps twice their bytes. */
export interface Seen {
  readonly gradients: boolean;
  readonly optimizer: boolean;
  readonly activations: boolean;
}

const ALL: Seen = { gradients: true, optimizer: true, activations: true };

export function rootOf(plans: readonly LayerPlan[], seen: Seen = ALL): RootAccount {
  let storage = 0;
  const tensors = (prefix: string, shapes: Readonly<Record<string, readonly number[]>>): TensorEntry[] =>
    Object.entries(shapes).map(([name, shape]) => ({
      name: prefix === "" ? name : `${prefix}.${name}`,
      storage: ++storage,
      bytes: product(shape) * FLOAT,
      shape,
      dtype: "float32",
      trainable: true,
    }));
  const sum = (entries: readonly { readonly bytes: number }[]): number =>
    entries.reduce((bytes, entry) => bytes + entry.bytes, 0);
  const layers = plans.map((plan, index): LayerAccount => {
    const parameters = tensors(plan.name, plan.weights ?? {});
    const buffers = tensors(plan.name, plan.buffers ?? {});
    const activations = (seen.activations ? (plan.saved ?? []) : []).map((shape): SavedActivation => {
      return {
        storage: ++storage,
        bytes: product(shape) * FLOAT,
        shape,
        dtype: "float32",
        scales: true,
        part: "layer",
      };
    });
    const own: LayerBytes = {
      parameters: sum(parameters),
      buffers: sum(buffers),
      ...(seen.gradients ? { gradients: sum(parameters) } : {}),
      ...(seen.optimizer ? { optimizer: 2 * sum(parameters) } : {}),
      ...(seen.activations ? { activations: sum(activations) } : {}),
    };
    const parent = index === 0 ? {} : { parent: parentOf(plans, plan.name) };
    const { name, type, config = "" } = plan;
    return { index, ...parent, name, type, config, parameters, buffers, own, total: own, activations };
  });
  const totals = layers.map(({ own }) => own);
  for (const { index, parent } of [...layers].reverse()) {
    const [above, own] = [totals[parent ?? -1], totals[index]];
    if (parent !== undefined && above !== undefined && own !== undefined) totals[parent] = addBytes(above, own);
  }
  const whole = layers.map((layer) => ({ ...layer, total: totals[layer.index] ?? layer.own }));
  const total = totals[0] ?? { parameters: 0, buffers: 0 };
  return {
    type: plans[0]?.type ?? "",
    at: { path: "train.py", line: 33 },
    device: "cuda:0",
    layers: whole,
    steps: seen.activations ? [stepOf(total.activations ?? 0)] : [],
    ...(seen.activations ? { shownStep: 1 } : {}),
    total,
  };
}

function stepOf(activations: number): StepAccount {
  const before = 400 * MIB;
  return {
    step: 1,
    training: true,
    grad: true,
    autocast: false,
    checkpointed: false,
    batch: BATCH,
    inputs: [{ shape: [BATCH, 3, 32, 32], dtype: "float32", bytes: BATCH * 3 * 32 * 32 * FLOAT }],
    memoryBefore: before,
    memoryPeak: before + activations + 20 * MIB,
    measure: "cuda-allocated",
    activations,
    activationsScaling: activations,
  };
}

function parentOf(plans: readonly LayerPlan[], name: string): number {
  const above = name.includes(".") ? name.slice(0, name.lastIndexOf(".")) : "";
  return Math.max(
    0,
    plans.findIndex((plan) => plan.name === above),
  );
}

export function accountOf(...roots: readonly RootAccount[]): ModelAccount {
  return {
    pid: 4242,
    torch: "1.13.1",
    activationsBy: "saved-tensors",
    optimizers: [{ type: "torch.optim.adam.Adam", bytes: 2 * (roots[0]?.total.parameters ?? 0), other: 72 }],
    roots,
    complete: true,
    problems: [],
  };
}

/**
 * Layers that run one after the other, alike: each is given and gives `passed` bytes, and saves its input and `inner`
 * bytes more. As in the textbook form of checkpointing, X is `passed` and Y is `inner`.
 */
export function chained(layers: number, passed: number, inner: number): RootAccount {
  const tensor = (storage: number): ChainTensor => ({ storage, bytes: passed, saved: true, before: storage === 0 });
  const saved = (bytes: number): readonly number[] => [BATCH, bytes / FLOAT / BATCH];
  const plans = Array.from({ length: layers }, (_, i): LayerPlan => {
    return { name: String(i), type: "models.Block", saved: [...(i === 0 ? [] : [saved(passed)]), saved(inner)] };
  });
  const root = rootOf([{ name: "", type: "torch.nn.modules.container.Sequential" }, ...plans]);
  const steps = plans.map((_, i): ChainLayer => {
    return { layer: i + 1, input: tensor(i), output: { ...tensor(i + 1), saved: i + 1 < layers }, inner };
  });
  return { ...root, chain: { step: 1, batch: BATCH, layers: steps, elsewhere: 0 } };
}

/** Thousands of layers in one long list, as generated models have them. */
export function hugePlans(layers: number): readonly LayerPlan[] {
  const blocks = Array.from({ length: layers - 2 }, (_, i): LayerPlan => {
    return {
      name: `blocks.${i}`,
      type: `${TORCH}.linear.Linear`,
      config: `in_features=${64 + i}, out_features=64, bias=False`,
      weights: { weight: [64, 64 + i] },
      saved: [[BATCH, 64 + i]],
    };
  });
  return [{ name: "", type: "models.Deep" }, { name: "blocks", type: `${TORCH}.container.ModuleList` }, ...blocks];
}

export const CONTEXT: TrainingContext = {
  sharedMemory: true,
  computeCapability: "5.3",
  availableBefore: 2_400 * MIB,
  moves: [],
  loader: [],
  others: [],
};

/** With the what-ifs that the server works out. */
export function processOf(account: ModelAccount): ModelDocument["processes"][number] {
  const whatIfs = account.roots.map((root) => withoutSlider({ account, root, context: CONTEXT }));
  return { name: "main", account, whatIfs };
}

export const DOCUMENT: ModelDocument = {
  title: "train.py --batch-size 64",
  board: "NVIDIA Jetson Nano Developer Kit, JetPack 4.6.1",
  simulated: "Jetson Nano",
  running: false,
  processes: [processOf(accountOf(rootOf(LENET)))],
  context: CONTEXT,
  repeatable: true,
  shared: [],
  compared: 1,
};
