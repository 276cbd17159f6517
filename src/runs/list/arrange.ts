/** Which runs a list shows, in which order, and which of them stand together. */
import * as path from "node:path";
import { newestFirst } from "../../profile/run/runNames.ts";
import { inEnglish } from "../../words/inEnglish.ts";
import { t } from "../../words/t.ts";
import type { RunListEntry, RunSummary } from "../model.ts";
import { endWords, type Outcome, outcomeOf } from "./outcome.ts";

export const ORDERS = ["newest", "oldest", "name", "peak"] as const;
export type Order = (typeof ORDERS)[number];

/** All that is given must fit. */
export interface Filter {
  /** Any part of what a row says. */
  readonly text?: string;
  readonly tag?: string;
  readonly script?: string;
  readonly target?: string;
  readonly outcome?: Outcome;
}

export type Row =
  | { readonly kind: "run"; readonly run: RunSummary }
  | RunGroupRow
  | Extract<RunListEntry, { kind: "unreadable" }>;

/** Two or more runs that were made together. */
export interface RunGroupRow {
  readonly kind: "group";
  /** The same for as long as the group is there. */
  readonly id: string;
  readonly makes: "repeat" | "sweep";
  /** In the order in which they were made. */
  readonly runs: readonly RunSummary[];
  /** How many were planned. */
  readonly of: number;
}

export function isFiltered(filter: Filter): boolean {
  return Object.values(filter).some((part) => part !== undefined);
}

export function fits(run: RunSummary, { text, tag, script, target, outcome }: Filter): boolean {
  return (
    (tag === undefined || run.label.tags.includes(tag)) &&
    (script === undefined || run.script === script) &&
    (target === undefined || run.target === target) &&
    (outcome === undefined || outcomeOf(run) === outcome) &&
    (text === undefined || textOf(run).includes(text.toLocaleLowerCase()))
  );
}

function textOf({ id, title, label, target, state, exit, git, imported, group }: RunSummary): string {
  const end = () => (state === "running" ? t("running") : endWords(exit));
  const values = group?.kind === "sweep" ? Object.entries(group.values).map((pair) => pair.join(" ")) : [];
  const parts = [
    label.name,
    label.note,
    title,
    id,
    target,
    end(),
    inEnglish(end),
    git?.commit,
    git?.branch,
    imported?.format,
    ...values,
  ];
  return [...parts, ...label.tags.map((tag) => `#${tag}`), label.pinned ? "pinned" : ""].join("\n").toLocaleLowerCase();
}

/** Runs that cannot be read fit no filter, as nothing is known of them. */
export function filtered(entries: readonly RunListEntry[], filter: Filter): readonly RunListEntry[] {
  if (!isFiltered(filter)) return entries;
  return entries.filter((entry) => entry.kind === "run" && fits(entry.run, filter));
}

/**
 * The order is that of the folders' names, which begin with the time at home: a board's clock may be wrong. Pinned runs
 * come first, runs that cannot be read where their names put them, or last where they have no place.
 */
export function sorted(entries: readonly RunListEntry[], order: Order): readonly RunListEntry[] {
  const compareMade = newestFirst();
  const byMade: Compare = (a, b) => compareMade(path.basename(folderOf(a)), path.basename(folderOf(b)));
  const compare = order === "newest" ? byMade : order === "oldest" ? reversed(byMade) : COMPARE[order];
  return [...entries].sort((a, b) => pinnedFirst(a, b) || compare(a, b) || byMade(a, b));
}

type Compare = (a: RunListEntry, b: RunListEntry) => number;

const names = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
const pinnedFirst: Compare = (a, b) => Number(isPinned(b)) - Number(isPinned(a));
const reversed =
  (compare: Compare): Compare =>
  (a, b) =>
    compare(b, a);
const COMPARE: Readonly<Record<Exclude<Order, "newest" | "oldest">, Compare>> = {
  name: (a, b) => unknownLast(nameOf(a), nameOf(b), names.compare),
  peak: (a, b) => unknownLast(peakOf(a), peakOf(b), (one, other) => other - one),
};

function unknownLast<T>(a: T | undefined, b: T | undefined, compare: (a: T, b: T) => number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return compare(a, b);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function folderOf(entry: RunListEntry): string {
  return entry.kind === "run" ? entry.run.folder : entry.folder;
}

function isPinned(entry: RunListEntry): boolean {
  return entry.kind === "run" && entry.run.label.pinned;
}

function nameOf(entry: RunListEntry): string | undefined {
  return entry.kind === "run" ? (entry.run.label.name ?? entry.run.title) : undefined;
}

/** The highest RSS of the script itself; under massif it is valgrind's for the most part. */
function peakOf(entry: RunListEntry): number | undefined {
  return entry.kind === "run" && !entry.run.massif ? entry.run.rssPeak : undefined;
}

/** Runs of one group become one row, at the place of the first of them. A group of which one is left is just a run. */
export function grouped(entries: readonly RunListEntry[]): readonly Row[] {
  const members = new Map<string, RunSummary[]>();
  for (const entry of entries) {
    const key = entry.kind === "run" ? groupKey(entry.run) : undefined;
    if (key === undefined || entry.kind !== "run") continue;
    members.set(key, [...(members.get(key) ?? []), entry.run]);
  }
  return entries.flatMap((entry): readonly Row[] => {
    const key = entry.kind === "run" ? groupKey(entry.run) : undefined;
    const runs = key === undefined ? undefined : members.get(key);
    if (entry.kind !== "run" || key === undefined || runs === undefined || runs.length < 2) return [entry];
    return runs[0] === entry.run ? [groupRow(key, runs)] : [];
  });
}

/** Groups of two projects may have the same id, as copies have. */
export function groupKey({ folder, group }: RunSummary): string | undefined {
  return group && `${path.dirname(folder)}\n${group.kind} ${group.id}`;
}

function groupRow(id: string, members: readonly RunSummary[]): RunGroupRow {
  const runs = [...members].sort(
    (a, b) =>
      (a.group?.index ?? 0) - (b.group?.index ?? 0) || compareText(path.basename(a.folder), path.basename(b.folder)),
  );
  const of = Math.max(...runs.map(({ group }) => group?.of ?? 0), runs.length);
  return { kind: "group", id, makes: runs[0]?.group?.kind ?? "repeat", runs, of };
}

/** Of what was measured; undefined where nothing was. */
export function median(values: readonly number[]): number | undefined {
  const ordered = [...values].sort((a, b) => a - b);
  const middle = ordered.length >> 1;
  const [low, high] = [ordered[middle - 1], ordered[middle]];
  if (high === undefined) return undefined;
  return ordered.length % 2 === 1 || low === undefined ? high : (low + high) / 2;
}
