/** What PyTorch's out-of-memory message says of the memory, as rows of a table and as parts of a picture. */
import { formatBytes } from "../../src/profile/text/format.ts";
import type { CudaOom } from "../../src/torch/oomMessage.ts";
import { t } from "../../src/words/t.ts";

export interface AllocatorRow {
  readonly label: string;
  /** `not told` where the message does not say. */
  readonly text: string;
}

export type PartKind = "allocated" | "slack" | "rest" | "free";

export interface AllocatorPart {
  readonly kind: PartKind;
  readonly label: string;
  readonly bytes: number;
}

/** The parts add up to `total`, beside which `tried` is drawn to the same scale. */
export interface AllocatorPicture {
  readonly total: number;
  readonly tried: number;
  readonly parts: readonly AllocatorPart[];
}

const PART_LABELS: Readonly<Record<PartKind, () => string>> = {
  allocated: () => t("Allocated by PyTorch"),
  slack: () => t("Reserved by PyTorch, not allocated"),
  rest: () => t("Everything else: CUDA itself, other programs"),
  free: () => t("Free"),
};

/** Reserved but not allocated: told by newer messages, the difference of two figures of older ones. */
function slackOf({ unallocated, reserved, allocated }: CudaOom): number | undefined {
  if (unallocated !== undefined) return unallocated;
  return reserved === undefined || allocated === undefined ? undefined : Math.max(0, reserved - allocated);
}

export function allocatorRows(oom: CudaOom): AllocatorRow[] {
  const row = (label: string, bytes: number | undefined): AllocatorRow => ({
    label,
    text: bytes === undefined ? t("not told") : formatBytes(bytes),
  });
  return [
    row(t("Tried to allocate"), oom.tried),
    row(PART_LABELS.allocated(), oom.allocated),
    row(PART_LABELS.slack(), slackOf(oom)),
    ...(oom.reserved === undefined ? [] : [row(t("Reserved by PyTorch in all"), oom.reserved)]),
    ...(oom.inUse === undefined ? [] : [row(t("In use by this process, PyTorch or not"), oom.inUse)]),
    row(t("Free for the GPU"), oom.free),
    row(t("The GPU's memory in all"), oom.total),
  ];
}

/** Undefined where a part is not told, or where the figures do not fit into the total. */
export function allocatorPicture(oom: CudaOom): AllocatorPicture | undefined {
  const { total, free, allocated, tried } = oom;
  const slack = slackOf(oom);
  if (total === undefined || free === undefined || allocated === undefined || slack === undefined) return undefined;
  const rest = total - free - allocated - slack;
  if (total <= 0 || rest < 0) return undefined;
  const sizes: readonly (readonly [PartKind, number])[] = [
    ["allocated", allocated],
    ["slack", slack],
    ["rest", rest],
    ["free", free],
  ];
  return { total, tried, parts: sizes.map(([kind, bytes]) => ({ kind, label: PART_LABELS[kind](), bytes })) };
}
