/** Opens the row of what CUDA holds beside PyTorch into who asked for it, by each process's own calls. */
import type { GpuPart, GpuSummary } from "../../profile/gpu/gpuMemory.ts";
import { formatBytes } from "../../profile/text/format.ts";
import { sentences, t } from "../../words/t.ts";
import type { Moment } from "../moments/model.ts";
import { driverCounts } from "./driverCounts.ts";
import { nvmapUsed } from "./facts.ts";
import type { Ledger, LedgerRow } from "./model.ts";
import { partsByName } from "./parts.ts";
import { wholeBytes } from "./purse.ts";

/**
 * What the calls held is known of each process's peak and of its end, not of each moment: that is taken which fits into
 * the row, and what is left of the row the driver took by itself.
 */
export function withGpuParts(ledger: Ledger, moment: Moment, processes: readonly GpuSummary[]): Ledger {
  const pids = new Set(moment.run);
  const all = processes.filter(({ pid }) => pids.has(pid)).flatMap(({ parts }) => parts);
  if (all.length === 0) return ledger;
  // Pinned memory is the CPU's: NvMap has it, and so has what no count explains; nvidia-smi has not.
  const byDriver = (nvmapUsed(moment) ?? 0) === 0 && driverCounts({ moment }) !== undefined;
  const counted = byDriver ? all.filter(({ pinned }) => !pinned) : all;
  const hasTorch = ledger.rows.some(({ id }) => id === "gpu.tensors");
  // What may be PyTorch's may stand in its own rows: how much of it is in this one is not known.
  const unsure = ({ name, pinned }: GpuPart): GpuPart => ({ name, pinned });
  const parts = hasTorch
    ? counted.filter(({ pytorch }) => pytorch !== true).map((part) => (part.pytorch === false ? part : unsure(part)))
    : counted;
  return { ...ledger, rows: ledger.rows.map((row) => (row.id === "gpu.context" ? divided(row, parts) : row)) };
}

function divided(row: LedgerRow, parts: readonly GpuPart[]): LedgerRow {
  const asAt = [
    { of: ({ peak }: GpuPart) => peak, how: t("Who asked for it: as at the GPU peak of the run's processes.") },
    { of: ({ live }: GpuPart) => live, how: t("Who asked for it: as at the end of the run's processes.") },
  ];
  for (const { of, how } of asAt) {
    const known = parts.flatMap((part) => of(part) ?? []);
    const left = (row.bytes ?? -1) - known.reduce((sum, bytes) => sum + wholeBytes(bytes), 0);
    if (known.length < parts.length || left < 0) continue;
    const items = parts.map((part) => ({ name: nameOf(part), bytes: wholeBytes(of(part)) }));
    return {
      ...row,
      how: sentences(row.how, how),
      parts: partsByName([...merged(items), { name: driver(), bytes: left }]),
    };
  }
  const peaks = parts.flatMap(({ peak }) => peak ?? []);
  const held = formatBytes(peaks.reduce((sum, bytes) => sum + bytes, 0));
  const unknown = t(
    "Calls of its processes held {0} at their peaks. What the driver took by itself is unknown: that is not of this moment, or counted otherwise.",
    held,
  );
  return { ...row, how: sentences(row.how, unknown) };
}

const driver = (): string => t("Taken by the driver itself");

const nameOf = ({ pytorch, name }: GpuPart): string => (pytorch ? t("Reserved by PyTorch") : name);

/** Of several processes one part each: they are no processes of one name. */
function merged(
  items: readonly { readonly name: string; readonly bytes: number }[],
): { name: string; bytes: number }[] {
  const sums = new Map<string, number>();
  for (const { name, bytes } of items) sums.set(name, (sums.get(name) ?? 0) + bytes);
  return [...sums].map(([name, bytes]) => ({ name, bytes }));
}
