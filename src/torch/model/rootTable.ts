/** One root of a model account: its layers, its steps, and which layer holds what. */
import { present } from "../../profile/files/jsonRecords.ts";
import { addBytes } from "./bytes.ts";
import { chainOf } from "./chain.ts";
import type {
  LayerAccount,
  LayerBytes,
  RootAccount,
  SavedActivation,
  StepAccount,
  TensorEntry,
  Tuning,
} from "./model.ts";
import type { RecordOf } from "./record.ts";

const MOST_LAYERS = 100_000;
const MOST_STEPS = 10_000;

export type RootRecord = RecordOf<"module" | "step" | "activations" | "chain" | "gradients" | "tuning">;
export type SavedRow = RecordOf<"activations">["rows"]["good"][number];

export interface RootTable {
  /** @returns false where the record does not fit to those before it */
  add(record: RootRecord): boolean;
  /**
   * Undefined before its first module.
   * @param optimizer bytes by the parameter's storage; undefined where no optimizer was seen
   */
  account(optimizer: ReadonlyMap<number, number> | undefined): RootAccount | undefined;
}

export function createRootTable(root: RecordOf<"root">): RootTable {
  const modules = new Map<number, RecordOf<"module">>();
  const steps = new Map<number, RecordOf<"step">>();
  const saved = new Map<number, SavedRow[]>();
  let gradients: Map<number, number> | undefined;
  let chain: RecordOf<"chain"> | undefined;
  let tuning: RecordOf<"tuning"> | undefined;

  function addModule(record: RecordOf<"module">): boolean {
    // A child comes after its parent, so that there are no circles.
    const fits = record.module === 0 || modules.has(record.parent ?? -1);
    if (!fits || modules.has(record.module) || modules.size >= MOST_LAYERS) return false;
    modules.set(record.module, record);
    return true;
  }

  function addStep(record: RecordOf<"step">): boolean {
    if (steps.size >= MOST_STEPS) return false;
    // Its peak is known only when its backward has ended.
    steps.set(record.step, { ...record, ...steps.get(record.step), ...present(record) });
    return true;
  }

  function addActivations({ step, rows }: RecordOf<"activations">): void {
    const known = saved.get(step) ?? [];
    saved.set(step, known);
    for (const row of rows.good) known.push(row);
  }

  function addGradients(record: RecordOf<"gradients">): void {
    gradients ??= new Map();
    for (const [, storage, bytes] of record.rows.good) {
      gradients.set(storage, Math.max(gradients.get(storage) ?? 0, bytes));
    }
  }

  return {
    add(record) {
      switch (record.record) {
        case "module":
          return addModule(record);
        case "step":
          return addStep(record);
        case "activations":
          addActivations(record);
          return true;
        case "chain":
          chain ??= record;
          return true;
        case "tuning":
          tuning ??= record;
          return true;
        case "gradients":
          addGradients(record);
          return true;
      }
    },
    account(optimizer) {
      if (modules.size === 0) return undefined;
      const { order, place } = preorder(modules);
      const rowsOf = new Map([...saved].map(([step, rows]) => [step, countedOnce(rows)]));
      const told = [...steps.values()].map((step) => stepAccount(step, rowsOf.get(step.step)));
      const shown = heaviestStep(told);
      const held = bytesHeld(shown === undefined ? undefined : (rowsOf.get(shown) ?? []), place);
      const layers = layerTree(order, place, { gradients, optimizer, ...held });
      return present({
        type: root.type,
        at: root.path === undefined || root.line === undefined ? undefined : { path: root.path, line: root.line },
        device: root.device,
        layers,
        steps: told,
        shownStep: shown,
        chain: chain && chainOf(chain, rowsOf.get(chain.step) ?? [], steps.get(chain.step), { layers, place }),
        tuning: tuning && tuningOf(tuning, place),
        total: layers[0]?.total ?? { parameters: 0, buffers: 0 },
      });
    },
  };
}

/** The modules with each child after its parent and before its parent's next child. */
function preorder(modules: ReadonlyMap<number, RecordOf<"module">>) {
  const children = new Map<number, RecordOf<"module">[]>();
  for (const module of modules.values()) {
    if (module.module === 0) continue;
    const siblings = children.get(module.parent ?? 0);
    if (siblings === undefined) children.set(module.parent ?? 0, [module]);
    else siblings.push(module);
  }
  const order: RecordOf<"module">[] = [];
  const place = new Map<number, number>();
  const root = modules.get(0);
  const waiting = root === undefined ? [] : [root];
  for (let module = waiting.pop(); module !== undefined; module = waiting.pop()) {
    place.set(module.module, order.length);
    order.push(module);
    for (const child of (children.get(module.module) ?? []).reverse()) waiting.push(child);
  }
  return { order, place };
}

/** Without what is said of layers that are not there. */
function tuningOf({ adapters, packed, ...said }: RecordOf<"tuning">, place: ReadonlyMap<number, number>): Tuning {
  return present({
    adapters: adapters.good.flatMap(([module, name, rank, scaling]) => {
      const layer = place.get(module);
      return layer === undefined || rank === 0 ? [] : [present({ layer, name, rank, scaling })];
    }),
    packed: packed.good.flatMap(([module, parameter, kind, , nested]) => {
      const layer = place.get(module);
      return layer === undefined ? [] : [{ layer, parameter, kind, nested }];
    }),
    checkpointing: said.checkpointing,
    modelType: said.type,
    positions: said.positions,
  });
}

/** Each storage with its bytes at the first row that names it, and 0 at the others. */
function countedOnce(rows: readonly SavedRow[]): SavedRow[] {
  const seen = new Set<number>();
  return rows.map((row) => {
    const [module, storage, , shape, dtype, scales, part] = row;
    if (seen.has(storage)) return [module, storage, 0, shape, dtype, scales, part];
    seen.add(storage);
    return row;
  });
}

function stepAccount(step: RecordOf<"step">, rows: readonly SavedRow[] | undefined): StepAccount {
  const counted = rows?.filter((row) => row[6] !== "input");
  const total = (list: readonly SavedRow[]) => list.reduce((sum, row) => sum + row[2], 0);
  return present({
    step: step.step,
    training: step.training,
    grad: step.grad,
    autocast: step.autocast,
    checkpointed: step.checkpointed,
    batch: step.batch,
    inputs: step.inputs.good.map(([shape, dtype, bytes]) => ({ shape, dtype, bytes })),
    memoryBefore: step.memory_before,
    memoryPeak: step.memory_peak,
    measure: step.measure,
    memAvailable: step.mem_available,
    activations: counted && total(counted),
    activationsScaling: counted && total(counted.filter((row) => row[5])),
  });
}

/** The first of those with the most activations. */
function heaviestStep(steps: readonly StepAccount[]): number | undefined {
  let best: StepAccount | undefined;
  for (const step of steps) {
    if (step.activations !== undefined && (best?.activations ?? -1) < step.activations) best = step;
  }
  return best?.step;
}

interface Held {
  readonly activations: ReadonlyMap<number, readonly SavedActivation[]> | undefined;
  readonly gradients: ReadonlyMap<number, number> | undefined;
  readonly optimizer: ReadonlyMap<number, number> | undefined;
}

/** By the place of the layer. */
function bytesHeld(
  rows: readonly SavedRow[] | undefined,
  place: ReadonlyMap<number, number>,
): Pick<Held, "activations"> {
  if (rows === undefined) return { activations: undefined };
  const activations = new Map<number, SavedActivation[]>();
  for (const [module, storage, bytes, shape, dtype, scales, part] of rows) {
    // A module that is not known is somewhere in the root.
    const layer = place.get(module) ?? 0;
    const list = activations.get(layer) ?? [];
    list.push({ storage, bytes, shape, dtype, scales, part });
    activations.set(layer, list);
  }
  return { activations };
}

function layerTree(
  order: readonly RecordOf<"module">[],
  place: ReadonlyMap<number, number>,
  held: Held,
): readonly LayerAccount[] {
  const seen = new Set<number>();
  const own = order.map((module) => {
    const parameters = module.parameters.good.map((row) => entry([...row], seen));
    const buffers = module.buffers.good.map((row) => entry([...row, false], seen));
    return { parameters, buffers };
  });
  const ownBytes = own.map(({ parameters, buffers }, index) =>
    bytesOf(parameters, buffers, held.activations && (held.activations.get(index) ?? []), held),
  );
  const totals = [...ownBytes];
  // Children have higher places than their parents, so each is complete when its turn comes.
  for (let index = order.length - 1; index > 0; index--) {
    const parent = place.get(order[index]?.parent ?? 0) ?? 0;
    totals[parent] = addBytes(totals[parent] ?? NOTHING, totals[index] ?? NOTHING);
  }
  return order.map((module, index) =>
    present({
      index,
      parent: module.module === 0 ? undefined : (place.get(module.parent ?? 0) ?? 0),
      name: module.name,
      type: module.type,
      config: module.config,
      parameters: own[index]?.parameters ?? [],
      buffers: own[index]?.buffers ?? [],
      own: ownBytes[index] ?? NOTHING,
      total: totals[index] ?? NOTHING,
      activations: held.activations?.get(index) ?? [],
    }),
  );
}

const NOTHING: LayerBytes = { parameters: 0, buffers: 0 };

function entry(
  [name, storage, bytes, shape, dtype, trainable]: [string, number, number, number[], string, boolean],
  seen: Set<number>,
): TensorEntry {
  const first = !seen.has(storage);
  seen.add(storage);
  return { name, storage, bytes: first ? bytes : 0, shape, dtype, trainable };
}

function bytesOf(
  parameters: readonly TensorEntry[],
  buffers: readonly TensorEntry[],
  activations: readonly SavedActivation[] | undefined,
  { gradients, optimizer }: Held,
): LayerBytes {
  const total = (sizes: readonly number[]) => sizes.reduce((sum, bytes) => sum + bytes, 0);
  // A tensor that is counted elsewhere has its gradient and state counted there too.
  const counted = parameters.filter(({ bytes }) => bytes > 0);
  return present({
    parameters: total(parameters.map(({ bytes }) => bytes)),
    buffers: total(buffers.map(({ bytes }) => bytes)),
    gradients: gradients && total(counted.map(({ storage }) => gradients.get(storage) ?? 0)),
    optimizer: optimizer && total(counted.map(({ storage }) => optimizer.get(storage) ?? 0)),
    activations: activations && total(activations.filter(({ part }) => part !== "input").map(({ bytes }) => bytes)),
  });
}
