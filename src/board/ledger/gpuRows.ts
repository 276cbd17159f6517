/** What the GPU holds of a RAM that it shares with the CPU: NvMap, divided among PyTorch, CUDA and other programs. */
import { formatBytes, formatDuration } from "../../profile/text/format.ts";
import { type Phrase, phrase, say, sentences, t } from "../../words/t.ts";
import { type DriverCounts, driverCounts } from "./driverCounts.ts";
import { type Facts, type GpuMemory, nvmapUsed } from "./facts.ts";
import type { LedgerRow, Sureness } from "./model.ts";
import { partsByName } from "./parts.ts";
import { type Purse, wholeBytes } from "./purse.ts";

/** The same figures a little later may differ; from here on the row says how old they are. Milliseconds. */
const FRESH_MS = 3000;

/** How much of NvMap is the run's, and how that is known. */
interface RunPart {
  readonly bytes: number;
  readonly sureness: Sureness;
  readonly how: string;
}

/**
 * Takes NvMap out of `purse`, which holds what no count of the kernel explains.
 * @param grown what no count explained grew by since the baseline; undefined where there is none
 */
export function gpuRows(
  facts: Facts,
  purse: Purse,
  grown: () => number | undefined,
  note: (text: string) => void,
): LedgerRow[] {
  const { moment, gpuMemory } = facts;
  if (gpuMemory !== "shared") {
    if (moment.cuda !== undefined) note(elsewhereText(gpuMemory, formatBytes(wholeBytes(moment.cuda.reserved))));
    const listed = driverCounts(facts);
    if (listed !== undefined) note(listedText(listed));
    return [];
  }
  const used = nvmapUsed(moment);
  const told = used === undefined || used === 0 ? driverCounts(facts) : undefined;
  if (told !== undefined) return driverRows(facts, purse, told);
  if (used === undefined) return uncountedRows(facts, purse, grown, facts.hasNvmap ? HIDDEN : NO_NVMAP);
  // As on boards whose GPU is driven by nvidia.ko: the table is there, its rows say 0K under load.
  if (used === 0 && moment.cuda !== undefined && moment.cuda.reserved > 0) {
    return uncountedRows(facts, purse, grown, EMPTY);
  }
  const nvmap = purse.take(t("GPU memory (NvMap)"), used);
  if (moment.run.length === 0) return othersRows(facts, nvmap);
  const known = knownRun(facts, used);
  const reserved = wholeBytes(moment.cuda?.reserved);
  if (known === undefined && moment.cuda === undefined) return [undividedRow(nvmap)];
  if (known !== undefined && reserved > known.bytes) {
    note(
      t(
        "NvMap has {0} for the run, less than the {1} that PyTorch reserved: the two were not read at the same instant, or NvMap's is divided otherwise. PyTorch's figure was taken.",
        formatBytes(known.bytes),
        formatBytes(reserved),
      ),
    );
  }
  const run = Math.min(nvmap, Math.max(known?.bytes ?? 0, reserved));
  const [torch, left] = torchRows(facts, run);
  return [...torch, contextRow(known, left, moment.cuda !== undefined), ...othersRows(facts, nvmap - run)].filter(
    ({ bytes }) => bytes !== 0,
  );
}

function elsewhereText(gpuMemory: Exclude<GpuMemory, "shared">, reserved: string): string {
  return gpuMemory === "own"
    ? t("PyTorch's {0} on the GPU are in the GPU's own memory, not in this RAM.", reserved)
    : t(
        "Whether PyTorch's {0} on the GPU are in this RAM or in memory of the GPU's own is unknown. No row has them.",
        reserved,
      );
}

/** What the driver lists where it is not known to be RAM, as on a graphics card. */
function listedText({ run, others }: DriverCounts): string {
  const rest = formatBytes(others.reduce((sum, { bytes }) => sum + bytes, 0));
  return run === undefined
    ? t("nvidia-smi lists {0} of GPU memory for all programs. No row has them.", rest)
    : t(
        "nvidia-smi lists {0} of GPU memory for the run and {1} for other programs. No row has them.",
        formatBytes(run),
        rest,
      );
}

/** By the driver's own list. What it counts lies in what no count of the kernel explains. */
function driverRows(facts: Facts, purse: Purse, { run, others }: DriverCounts): LedgerRow[] {
  const { cuda } = facts.moment;
  const own = purse.take(t("GPU memory of the run"), Math.max(run ?? 0, wholeBytes(cuda?.reserved)));
  const [torch, left] = torchRows(facts, own);
  const listed = others.reduce((sum, { bytes }) => sum + bytes, 0);
  const bytes = purse.take(othersHead().label, listed);
  const list = t("nvidia-smi's list of the processes that use the GPU");
  const context: LedgerRow = {
    ...contextHead(cuda !== undefined),
    bytes: left,
    sureness: "estimated",
    how: cuda === undefined ? t("{0}.", list) : t("{0}: the run's, less what PyTorch reserved.", list),
  };
  const rest: LedgerRow = {
    ...othersHead(),
    bytes,
    sureness: "estimated",
    how: t("{0}.", list),
    // Parts that do not fit the row would be a second truth beside it.
    ...(bytes === listed ? { parts: partsByName(others) } : {}),
  };
  return [...torch, context, rest].filter((row) => row.bytes !== 0);
}

/** The run's NvMap by the table of clients, or by what NvMap grew by since the run began. */
function knownRun({ moment, baseline }: Facts, used: number): RunPart | undefined {
  if (moment.nvmap !== undefined) {
    const pids = new Set(moment.run);
    const own = moment.nvmap.clients.filter(({ pid }) => pids.has(pid));
    const bytes = own.reduce((sum, client) => sum + wholeBytes(client.bytes), 0);
    const how = t("the rows of NvMap's table with the run's pids, where memory shared with others is divided");
    return { bytes, sureness: "estimated", how };
  }
  const before = baseline && nvmapUsed(baseline);
  if (before === undefined) return undefined;
  const how = t("what NvMap grew by since the moment before the run");
  return { bytes: Math.max(0, used - before), sureness: "inferred", how };
}

/** PyTorch's two rows within `run` bytes, and what is left of them. */
function torchRows({ moment: { cuda } }: Facts, run: number): [rows: LedgerRow[], left: number] {
  if (cuda === undefined) return [[], run];
  const tensors = Math.min(run, wholeBytes(cuda.allocated));
  const slack = Math.min(run - tensors, Math.max(0, wholeBytes(cuda.reserved) - wholeBytes(cuda.allocated)));
  const age = cuda.ageMs > FRESH_MS ? t("As of {0} before this moment.", formatDuration(cuda.ageMs)) : undefined;
  return [
    [
      {
        id: "gpu.tensors",
        group: "gpu",
        label: t("Tensors on the GPU (PyTorch)"),
        bytes: tensors,
        sureness: "exact",
        how: sentences(t("torch.cuda.memory_allocated, as PyTorch's allocator says."), age),
      },
      {
        id: "gpu.slack",
        group: "gpu",
        label: t("Reserved by PyTorch, not in use"),
        bytes: slack,
        sureness: "exact",
        how: sentences(
          t("torch.cuda.memory_reserved less memory_allocated: kept by the allocator for later tensors."),
          age,
        ),
      },
    ],
    run - tensors - slack,
  ];
}

/** @param torch PyTorch's part of the run's has rows of its own */
function contextHead(torch: boolean): Pick<LedgerRow, "id" | "group" | "label"> {
  const label = torch ? t("CUDA context and libraries") : t("GPU memory of the run");
  return { id: "gpu.context", group: "gpu", label };
}

function othersHead(): Pick<LedgerRow, "id" | "group" | "label"> {
  return { id: "gpu.others", group: "gpu", label: t("GPU memory of other programs") };
}

function contextRow(known: RunPart | undefined, bytes: number, torch: boolean): LedgerRow {
  const row = contextHead(torch);
  if (known === undefined) {
    return {
      ...row,
      sureness: "unknown",
      how: t("Not readable without root. It is in the GPU memory of other programs below."),
    };
  }
  const how = torch
    ? t("NvMap of the run: {0}, less what PyTorch reserved.", known.how)
    : t("NvMap of the run: {0}.", known.how);
  return { ...row, bytes, sureness: known.sureness, how };
}

function othersRows({ moment }: Facts, bytes: number): LedgerRow[] {
  if (bytes === 0) return [];
  const pids = new Set(moment.run);
  const clients = moment.nvmap?.clients.filter(({ pid }) => !pids.has(pid)) ?? [];
  const listed = clients.map(({ process, bytes: held }) => ({ name: process, bytes: wholeBytes(held) }));
  const sum = listed.reduce((total, { bytes: held }) => total + held, 0);
  const row = {
    ...othersHead(),
    bytes,
    sureness: moment.run.length === 0 ? "exact" : "estimated",
  } as const;
  // Parts that do not fit the row would be a second truth beside it.
  if (sum === 0 || sum > bytes) {
    return [{ ...row, how: t("NvMap in use less the run's. Whose it is, only root may read.") }];
  }
  const rest = { name: t("of no listed client"), bytes: bytes - sum };
  return [
    { ...row, how: t("NvMap in use less the run's, by its table of clients."), parts: partsByName([...listed, rest]) },
  ];
}

function undividedRow(bytes: number): LedgerRow {
  return {
    id: "gpu.undivided",
    group: "gpu",
    label: t("GPU memory, of the run and of others"),
    bytes,
    sureness: "exact",
    how: t("NvMapMemUsed. Whose it is, only root may read, and there is no moment before the run to compare with."),
  };
}

/** Why NvMap tells nothing: of a row, and of what is inferred instead. */
interface Uncounted {
  readonly row: Phrase;
  readonly inferred: Phrase;
}

const HIDDEN: Uncounted = {
  row: phrase("Not readable without root on this release. It is in the kernel's row of what no count explains."),
  inferred: phrase(
    "NvMap is not readable without root on this release: what no count of the kernel explains grew by this since the moment before the run, beyond what PyTorch reserved.",
  ),
};
const EMPTY: Uncounted = {
  row: phrase(
    "NvMap counts nothing on this board, though PyTorch holds GPU memory. It is in the kernel's row of what no count explains.",
  ),
  inferred: phrase(
    "NvMap counts nothing on this board: what no count of the kernel explains grew by this since the moment before the run, beyond what PyTorch reserved.",
  ),
};

/** As on a DGX Spark: CUDA says that it uses this RAM, and nothing counts how much. */
const NO_NVMAP: Uncounted = {
  row: phrase(
    "Nothing on this board counts how much of its RAM the GPU uses. It is in the kernel's row of what no count explains.",
  ),
  inferred: phrase(
    "Nothing on this board counts how much of its RAM the GPU uses: what no count of the kernel explains grew by this since the moment before the run, beyond what PyTorch reserved.",
  ),
};

/** NvMap is there but does not tell: only what PyTorch says of itself can be told apart. */
function uncountedRows(
  facts: Facts,
  purse: Purse,
  grown: () => number | undefined,
  { row, inferred }: Uncounted,
): LedgerRow[] {
  const { cuda } = facts.moment;
  if (cuda === undefined || facts.moment.run.length === 0) {
    return [{ id: "gpu.others", group: "gpu", label: t("GPU memory (NvMap)"), sureness: "unknown", how: say(row) }];
  }
  const growth = grown();
  const [torch] = torchRows(facts, purse.take(t("PyTorch's GPU memory"), wholeBytes(cuda.reserved)));
  const others: LedgerRow = { ...othersHead(), sureness: "unknown", how: say(row) };
  const context = contextHead(true);
  if (growth === undefined) return [...torch, { ...context, sureness: "unknown", how: say(row) }, others];
  const bytes = Math.min(purse.left, Math.max(0, growth - wholeBytes(cuda.reserved)));
  purse.take(context.label, bytes);
  return [...torch, { ...context, bytes, sureness: "inferred", how: say(inferred) }, others];
}
