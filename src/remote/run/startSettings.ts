/** What the helper's `start` is told of how to measure: docs/board-protocol.md. */
import { defined } from "../../profile/defined.ts";
import { MASSIF_DEFAULTS } from "../../profile/massifDefaults.ts";
import type { HeapRequest, MassifRequest, ProfileRequest, TorchRequest } from "../../protocol/run/run.ts";

/** Milliseconds. */
const SAMPLE_INTERVAL = 200;
/** Seconds. */
const CHECKPOINT_INTERVAL = 10;
/** Seconds: a snapshot of a large model takes longer than massif's. */
const ALLOCATOR_CHECKPOINT_INTERVAL = 60;

/** What the helper is told of a run under massif; a checkpoint is what a run that is killed leaves. */
function massifSettings(request: MassifRequest): object {
  return {
    threshold: request.threshold,
    depth: request.depth,
    pages_as_heap: request.pagesAsHeap,
    gpu: request.gpu,
    frames: request.frames,
    checkpoint_s: CHECKPOINT_INTERVAL,
    max_hits: request.maxHits,
    lines: linesOf(request),
  };
}

function linesOf({ lines = [] }: Pick<HeapRequest, "lines">): object {
  return lines.map(({ path, line }) => [path, line]);
}

/** What the helper is told of what to record of PyTorch; a checkpoint is what a run that is killed leaves. */
function torchSettings({ exactPeaks, snapshots, model }: TorchRequest): object {
  return {
    exact_peaks: exactPeaks,
    snapshots: snapshots === undefined ? null : { ...snapshots, checkpoint_s: ALLOCATOR_CHECKPOINT_INTERVAL },
    model: model === undefined ? null : { steps: model.steps, trial: model.trial ?? null },
  };
}

export function startSettings(request: ProfileRequest): object {
  return {
    args: request.args,
    ...defined({ launch: request.launch }),
    cwd: null,
    engine: request.engine,
    exact: request.exact,
    accelerator: request.accelerator,
    env: request.environment,
    output_limit: request.outputLimit,
    interval_ms: SAMPLE_INTERVAL,
    moments_interval_ms: request.momentsIntervalMs,
    ...defined({
      massif: request.massif === undefined ? undefined : massifSettings(request.massif),
      torch: request.torch === undefined ? undefined : torchSettings(request.torch),
      heap: request.heap && {
        mean: request.heap.mean,
        max_hits: MASSIF_DEFAULTS.maxHits,
        lines: linesOf(request.heap),
      },
    }),
  };
}
