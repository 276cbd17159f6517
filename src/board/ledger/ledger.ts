/** The ledger: where all of the board's RAM is. docs/ledger.md says what each row is cut out of, and why. */
import { defined } from "../../profile/defined.ts";
import { formatBytes } from "../../profile/text/format.ts";
import { type Phrase, phrase, say, t } from "../../words/t.ts";
import type { Moment } from "../moments/model.ts";
import { type Facts, factsOf } from "./facts.ts";
import { gpuRows } from "./gpuRows.ts";
import { kernelRows } from "./kernelRows.ts";
import type { GroupTotals, Ledger, LedgerChange, LedgerGroup, LedgerRow } from "./model.ts";
import { programRows } from "./programRows.ts";
import { createPurse, type Note, type Purse, wholeBytes } from "./purse.ts";

const GROUP_LABELS: Readonly<Record<LedgerGroup, Phrase>> = {
  run: phrase("This run"),
  gpu: phrase("GPU"),
  others: phrase("Other programs"),
  kernel: phrase("Kernel"),
  cache: phrase("Page cache"),
  free: phrase("Free"),
};

export const groupLabel = (group: LedgerGroup): string => say(GROUP_LABELS[group]);

/** As the groups stand in tables, and from left to right or from the bottom up in pictures. */
export const GROUP_ORDER = [
  "run",
  "gpu",
  "others",
  "kernel",
  "cache",
  "free",
] as const satisfies readonly LedgerGroup[];

/**
 * Divides MemTotal into rows that add up to it exactly, whatever the moment says.
 * @param baseline the moment before the run began: what cannot be read is inferred from what changed since
 */
export function makeLedger(moment: Moment, baseline?: Moment): Ledger {
  const facts = factsOf(moment, baseline);
  const notes: string[] = [];
  const total = facts.count("MemTotal") ?? 0;
  if (total === 0) notes.push(t("This moment does not say how much RAM there is (MemTotal), so it cannot be divided."));
  const note = (what: string, claimed: number, given: number) =>
    notes.push(
      t(
        "{0}: {1} were counted, but only {2} fit beside what was counted before. The counts are not of one instant, or overlap on this kernel.",
        what,
        formatBytes(claimed),
        formatBytes(given),
      ),
    );
  const purse = createPurse(total, note);
  const counted = countedRows(facts, purse, note);
  const before = facts.baseline;
  const grown = () => (before === undefined ? undefined : Math.max(0, purse.left - unexplained(before)));
  const gpu = gpuRows(facts, purse, grown, (text) => notes.push(text));
  notes.push(...containerNote(moment));
  const rows = [...counted, ...gpu, unattributedRow(purse.takeRest(), gpu)];
  const place = (row: LedgerRow) => GROUP_ORDER.indexOf(row.group);
  return { t: moment.t, total, rows: rows.sort((a, b) => place(a) - place(b)), notes };
}

/** The limit is no part of the RAM: what counts against it is in the rows already. */
function containerNote({ container }: Moment): string[] {
  if (container === undefined) return [];
  const { used, limit } = container;
  return [
    limit === undefined
      ? t("The run's container uses {0} and has no memory limit.", formatBytes(used))
      : t("The run's container uses {0} of its memory limit of {1}.", formatBytes(used), formatBytes(limit)),
  ];
}

/** What is free, the programs and the kernel's own counts, in the order in which they are served. */
function countedRows(facts: Facts, purse: Purse, note: Note): LedgerRow[] {
  return [
    freeRow(facts, purse),
    ...pagesetsRow(facts, purse),
    ...programRows(facts, purse, note),
    ...kernelRows(facts, purse),
  ];
}

function freeRow(facts: Facts, purse: Purse): LedgerRow {
  const row = { id: "free.free", group: "free", label: t("Free") } as const;
  const free = facts.count("MemFree");
  if (free === undefined) {
    return { ...row, sureness: "unknown", how: t("MemFree was not recorded; it is in what no count explains.") };
  }
  const bytes = purse.take(t("Free memory (MemFree)"), free);
  return { ...row, bytes, sureness: "exact", how: t("MemFree: pages that nothing uses.") };
}

/** None where the kernel lets the cores keep little, or does not tell. */
function pagesetsRow({ moment }: Facts, purse: Purse): LedgerRow[] {
  const label = t("Free, kept by the processor cores");
  const bytes = purse.take(label, wholeBytes(moment.pagesets ?? 0));
  const how = t(
    "The pagesets of /proc/zoneinfo: free pages that each core keeps for its next request. Linux 6.7 and newer may keep an eighth of the RAM there, and count it neither in MemFree nor in MemAvailable.",
  );
  return bytes === 0 ? [] : [{ id: "free.pagesets", group: "free", label, bytes, sureness: "exact", how }];
}

/** What no count of the kernel explains, GPU memory included. */
function unexplained(moment: Moment): number {
  const facts = factsOf(moment, undefined);
  const ignored = () => {};
  const purse = createPurse(facts.count("MemTotal") ?? 0, ignored);
  countedRows(facts, purse, ignored);
  return purse.left;
}

function unattributedRow(bytes: number, gpu: readonly LedgerRow[]): LedgerRow {
  const hidden = gpu.some(({ id, sureness }) => id === "gpu.others" && sureness === "unknown");
  return {
    id: "kernel.unattributed",
    group: "kernel",
    label: t("What no count explains"),
    bytes,
    sureness: "inferred",
    how: hidden
      ? t(
          "MemTotal less all other rows: pages that drivers and the kernel took without counting them, and GPU memory, which nothing counts here.",
        )
      : t("MemTotal less all other rows: pages that drivers and the kernel took without counting them."),
  };
}

export function groupTotals(ledger: Ledger): GroupTotals {
  const totals: Record<LedgerGroup, number | undefined> = {
    free: undefined,
    cache: undefined,
    kernel: undefined,
    others: undefined,
    run: undefined,
    gpu: undefined,
  };
  for (const { group, bytes } of ledger.rows) {
    if (bytes !== undefined) totals[group] = (totals[group] ?? 0) + bytes;
  }
  return totals;
}

/** Some of them could be read and some not: what they add up to is the least there is. */
export const readInPart = (rows: readonly LedgerRow[]): boolean =>
  rows.some(({ bytes }) => bytes === undefined) && rows.some(({ bytes }) => bytes !== undefined);

/** Every row of either, in the order of `now`. A row that a ledger does not have held nothing there. */
export function compareLedgers(before: Ledger, now: Ledger): readonly LedgerChange[] {
  const then = new Map(before.rows.map((row) => [row.id, row]));
  const ids = new Set(now.rows.map(({ id }) => id));
  const gone = before.rows.filter(({ id }) => !ids.has(id));
  return [
    ...now.rows.map((row) => change(row, bytesOf(then.get(row.id)), row.bytes)),
    ...gone.map((row) => change(row, row.bytes, 0)),
  ];
}

function bytesOf(row: LedgerRow | undefined): number | undefined {
  return row === undefined ? 0 : row.bytes;
}

function change({ id, group, label }: LedgerRow, before: number | undefined, now: number | undefined): LedgerChange {
  return {
    id,
    group,
    label,
    ...defined({ before, now }),
    ...(before === undefined || now === undefined ? {} : { change: now - before }),
  };
}
