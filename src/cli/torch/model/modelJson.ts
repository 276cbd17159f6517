/** A model account as JSON for other programs: sizes in bytes, what was not seen is left out. */
import { present } from "../../../profile/files/jsonRecords.ts";
import { allBytes, shareOf } from "../../../torch/model/bytes.ts";
import type { LayerAccount, LayerBytes, RootAccount } from "../../../torch/model/model.ts";
import { type TuningSummary, tuningSummary } from "../../../torch/model/tuning.ts";
import type { Estimate, SharedLayer, WhatIf } from "../../../torch/whatif/model.ts";
import type { WhatIfs } from "../../../torch/whatif/whatIfs.ts";
import type { Batches, Check } from "./modelCommand.ts";
import type { ModelRun } from "./modelRun.ts";

export function modelJson(
  { run, account, root }: ModelRun,
  batches: Batches | undefined,
  check: Check | undefined,
): object {
  return present({
    schema: 1,
    run: { id: run.id },
    torch: account.torch,
    activations_by: account.activationsBy,
    complete: account.complete,
    problems: account.problems,
    trial: account.trial,
    model: present({ type: root.type, at: root.at, device: root.device }),
    layers: root.layers.map((layer) => layerJson(layer, root)),
    optimizers: account.optimizers.map(({ type, bytes, other, packed }) =>
      present({ type, bytes, other_bytes: other, packed_bytes: packed }),
    ),
    fine_tuning: tuningJson(tuningSummary(account, root)),
    steps: root.steps.map((step) =>
      present({
        step: step.step,
        training: step.training,
        grad: step.grad,
        batch: step.batch,
        activations_bytes: step.activations,
        activations_scaling_bytes: step.activationsScaling,
        memory_before_bytes: step.memoryBefore,
        memory_peak_bytes: step.memoryPeak,
        measure: step.measure,
      }),
    ),
    batch: batches && batchJson(batches),
    check:
      check && present({ batch: check.batch, expected: estimateJson(check.expected), measured_bytes: check.measured }),
  });
}

function tuningJson({ adapters, packed, ...rest }: TuningSummary): object {
  return present({
    adapters: adapters && { bytes: adapters.bytes, layers: adapters.layers, ranks: adapters.ranks },
    frozen_bytes: rest.frozen,
    packed: packed && { bytes: packed.bytes, kinds: packed.kinds },
    packed_state_bytes: rest.packedState,
    checkpointing: rest.checkpointing,
    sequence: rest.sequence,
  });
}

function layerJson(layer: LayerAccount, root: RootAccount): object {
  return present({
    name: layer.name,
    parent: layer.parent,
    type: layer.type,
    config: layer.config,
    own: bytesJson(layer.own),
    total: bytesJson(layer.total),
    share: shareOf(layer.total, root),
  });
}

function bytesJson(bytes: LayerBytes): object {
  return present({
    total_bytes: allBytes(bytes),
    parameters_bytes: bytes.parameters,
    buffers_bytes: bytes.buffers,
    gradients_bytes: bytes.gradients,
    optimizer_bytes: bytes.optimizer,
    activations_bytes: bytes.activations,
  });
}

function batchJson({ model, free, largest }: Batches): object {
  return present({
    bytes_per_sample_by_shape: model.shape?.bytes,
    bytes_per_sample_by_sizes: model.sizes?.bytes,
    disagreement: model.disagreement,
    input_bytes_per_sample: model.inputPerSample,
    fixed: estimateJson(model.fixed.model),
    outside_bytes: model.fixed.outside,
    measured: model.measured.map(({ batch, peak }) => ({ batch, peak_bytes: peak })),
    free_bytes: free?.bytes,
    largest: largest && present({ ...largest }),
  });
}

function estimateJson({ bytes, low, high }: Estimate): object {
  return { bytes, low_bytes: low, high_bytes: high };
}

export function whatIfsJson(id: string, { estimates, refused }: WhatIfs): object {
  return { schema: 1, run: { id }, estimates: estimates.map(whatIfJson), refused };
}

function whatIfJson(whatIf: WhatIf): object {
  const { now, changed, symbols, textbook, measured, ...rest } = whatIf;
  return present({
    ...rest,
    now: estimateJson(now),
    changed: estimateJson(changed),
    symbols,
    textbook,
    measured: measured && { run: measured.run, bytes: measured.bytes },
  });
}

export function sharedLayersJson(models: readonly string[], layers: readonly SharedLayer[]): object {
  return { schema: 1, models, layers, saving_bytes: layers.reduce((sum, { saving }) => sum + saving, 0) };
}
