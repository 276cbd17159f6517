/** The figures of a program that a launcher (torchrun, mpirun) started several times: all together, or of one rank. Pure. */

import { t } from "../../words/t.ts";
import { mergeFiles } from "../lines/merge.ts";
import { netOrSelf, weight } from "../lines/totals.ts";
import type { Figures, FileProfile, LineRow, Metric, Profile, RunInfo } from "../model.ts";
import { processName } from "../run/processName.ts";

/** Of which ranks the figures are. `highest` and `median`: of each line those of the rank that is so there. */
export type RankView =
  | { readonly kind: "together" }
  | { readonly kind: "highest" }
  | { readonly kind: "median" }
  | { readonly kind: "rank"; readonly rank: number };

export const TOGETHER: RankView = { kind: "together" };

/** Ascending; empty where nothing was started several times. */
export function ranksOf({ processes }: Pick<RunInfo, "processes">): readonly number[] {
  const ranks = new Set(processes.flatMap(({ rank }) => rank ?? []));
  return ranks.size > 1 ? [...ranks].sort((a, b) => a - b) : [];
}

export type RankTables = ReadonlyMap<number, readonly FileProfile[]>;

/** What each rank's processes took, its own and those that it started; of those that have figures, ascending. */
export function tablesByRank({ run, byProcess }: Pick<Profile, "run" | "byProcess">): RankTables {
  const rankOf = new Map(run.processes.map(({ pid, rank }) => [pid, rank]));
  const tables = ranksOf(run).flatMap((rank) => {
    const own = [...byProcess].flatMap(([pid, files]) => (rankOf.get(pid) === rank ? [files] : []));
    return own.length === 0 ? [] : [[rank, mergeFiles(own)] as const];
  });
  return new Map(tables);
}

/** A line's figures in each rank, and in each process that belongs to none; of those that have the line. */
export function lineByRank(
  { run, byProcess }: Pick<Profile, "run" | "byProcess">,
  path: string,
  line: number,
): readonly { readonly name: string; readonly row: LineRow }[] {
  const rankOf = new Map(ranksOf(run).length === 0 ? [] : run.processes.map(({ pid, rank }) => [pid, rank]));
  const parts = new Map<string, FileProfile[]>();
  for (const [pid, files] of byProcess) {
    const rank = rankOf.get(pid);
    const name = rank === undefined ? processName(run, pid) : t("rank {0}", rank);
    const part = files.flatMap((file) =>
      file.path === path ? [{ ...file, lines: file.lines.filter((row) => row.line === line) }] : [],
    );
    parts.set(name, [...(parts.get(name) ?? []), ...part]);
  }
  return [...parts].flatMap(([name, files]) => {
    const row = mergeFiles([files])[0]?.lines[0];
    return row === undefined ? [] : [{ name, row }];
  });
}

/** The profile as `view` has it: as it is where the run has no ranks, without lines for a rank that has none. */
export function seenBy(profile: Profile, view: RankView, metric: Metric): Profile {
  if (view.kind === "together" || ranksOf(profile.run).length === 0) return profile;
  const tables = tablesByRank(profile);
  if (view.kind === "rank") return { ...profile, files: tables.get(view.rank) ?? [], byProcess: new Map() };
  const place = view.kind === "highest" ? tables.size - 1 : Math.floor((tables.size - 1) / 2);
  const files = profile.files.map((file) => {
    const each = [...tables.values()].flatMap((table) => table.find(({ path }) => path === file.path) ?? []);
    const missing = tables.size - each.length;
    const lines = at(
      place - missing,
      each.map((one) => one.lines),
      ({ line }) => line,
      (row) => figuresOf(row, metric),
    );
    const functions = at(
      place - missing,
      each.map((one) => one.functions),
      ({ key }) => key,
      (row) => row,
    );
    return { ...file, lines: lines.sort((a, b) => a.line - b.line), functions };
  });
  return { ...profile, files };
}

type Held = Pick<Figures, "net" | "self" | "peak">;

const figuresOf = (row: LineRow, metric: Metric): Held => (metric === "rss" ? row : (row[metric] ?? {}));

/** By what was left or held; of what gave back alone, by that. */
const ascending = (a: Held, b: Held): number => weight(a) - weight(b) || netOrSelf(a) - netOrSelf(b);

/** Of the rows of each key the one at that place of all tables, ascending: a table without the row is a low one. */
function at<T>(
  place: number,
  tables: readonly (readonly T[])[],
  keyOf: (row: T) => number,
  figures: (row: T) => Held,
): T[] {
  const rows = new Map<number, T[]>();
  for (const row of tables.flat()) {
    const alike = rows.get(keyOf(row));
    if (alike === undefined) rows.set(keyOf(row), [row]);
    else alike.push(row);
  }
  return [...rows.values()].flatMap((alike) => {
    alike.sort((a, b) => ascending(figures(a), figures(b)));
    return alike[place - (tables.length - alike.length)] ?? [];
  });
}

/** As `rankViewName` writes it: `together`, `highest`, `median`, or a rank's number. */
export function readRankView(text: unknown): RankView | undefined {
  if (text === "together" || text === "highest" || text === "median") return { kind: text };
  return typeof text === "string" && /^\d{1,6}$/.test(text) ? { kind: "rank", rank: Number(text) } : undefined;
}

export const rankViewName = (view: RankView): string => (view.kind === "rank" ? String(view.rank) : view.kind);
