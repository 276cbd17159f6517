/**
 * The figures of a line by their names in files: the JSON of a run, CSV, and both read back. In this order they also
 * stand in the rows of lines.jsonl (docs/run-folder.md). A new figure is a line here, and one of src/profile/model.ts.
 */
import type { CudaFigures, Figures, SystemFigures } from "../model.ts";

export interface FigureName {
  readonly name: string;
  /** Not negative, or a change of a size. */
  readonly is: "amount" | "change";
  /** Of several processes together: added up, or the highest. */
  readonly together: "sum" | "highest";
  /** Not every row of its kind has it. */
  readonly mayLack?: true;
}

/** Of each figure of a kind. */
export type FigureNames<Kind> = { readonly [Key in keyof Kind]-?: FigureName };

const taken = (name: string): FigureName => ({ name, is: "change", together: "sum" });
const mostTaken = (name: string): FigureName => ({ name, is: "change", together: "highest" });
const counted = (name: string): FigureName => ({ name, is: "amount", together: "sum" });
const most = (name: string): FigureName => ({ name, is: "amount", together: "highest" });
const mayLack = (figure: FigureName): FigureName => ({ ...figure, mayLack: true });

export const LINE_FIGURES: FigureNames<Figures> = {
  hits: mayLack(counted("hits")),
  net: mayLack(taken("net_bytes")),
  self: mayLack(taken("self_bytes")),
  maxIncrement: mayLack(mostTaken("max_increment_bytes")),
  peak: mayLack(most("peak_bytes")),
  usage: mayLack(most("usage_bytes")),
  uncertain: mayLack(counted("uncertain_bytes")),
  peakUncertain: mayLack(most("peak_uncertain_bytes")),
};

export const CUDA_FIGURES: FigureNames<CudaFigures> = {
  net: taken("net_bytes"),
  self: taken("self_bytes"),
  maxIncrement: mayLack(mostTaken("max_increment_bytes")),
  peak: mayLack(most("peak_bytes")),
  peakMost: mayLack(most("peak_at_most_bytes")),
  reservedNet: taken("reserved_net_bytes"),
  reservedSelf: taken("reserved_self_bytes"),
  reservedPeak: mayLack(most("reserved_peak_bytes")),
  deviceNet: mayLack(taken("device_net_bytes")),
  uncertain: counted("uncertain_bytes"),
};

export const SYSTEM_FIGURES: FigureNames<SystemFigures> = {
  net: taken("net_bytes"),
  self: taken("self_bytes"),
  nvmapNet: mayLack(taken("nvmap_net_bytes")),
  uncertain: counted("uncertain_bytes"),
};

/** In a table where all kinds stand beside each other, what the names of each begin with. */
export const COLUMN_PREFIX = { rss: "", cuda: "cuda_", system: "system_" } as const;

type Names<Key extends string> = Readonly<Record<Key, FigureName>>;
type Row<Key extends string> = { readonly [Each in Key]?: number | undefined };

const entriesOf = <Key extends string>(names: Names<Key>): readonly (readonly [Key, FigureName])[] =>
  Object.entries(names) as [Key, FigureName][];

export const namesOf = (names: Names<string>, prefix = ""): readonly string[] =>
  Object.values(names).map(({ name }) => `${prefix}${name}`);

/** The figures of a row in the order of the table. */
export const inOrder = <Key extends string>(
  row: Row<NoInfer<Key>> | undefined,
  names: Names<Key>,
): readonly (number | undefined)[] => entriesOf(names).map(([key]) => row?.[key]);

/** The figures of a row by their names. */
export const named = <Key extends string>(
  row: Row<NoInfer<Key>>,
  names: Names<Key>,
): Record<string, number | undefined> =>
  Object.fromEntries(entriesOf(names).map(([key, { name }]) => [name, row[key]]));

/** The figures that `read`, which is asked for all, finds by name; undefined where one must be there and is not. */
export function unnamed<Kind>(
  names: FigureNames<Kind>,
  read: (figure: FigureName) => number | null | undefined,
): Kind | undefined {
  const found: Record<string, number> = {};
  let isWhole = true;
  for (const [key, figure] of entriesOf(names as Names<string>)) {
    const value = read(figure);
    if (value !== null && value !== undefined) found[key] = value;
    else if (figure.mayLack !== true) isWhole = false;
  }
  // Each figure of the kind is in the table, and is there or may lack.
  return isWhole ? (found as Kind) : undefined;
}

/** The figures of two processes as one. */
export function together<Kind extends object>(a: Kind, b: Kind, names: FigureNames<Kind>): Kind {
  const rows: readonly Row<string>[] = [a, b];
  const merged: Record<string, number> = {};
  for (const [key, { together: how }] of entriesOf(names as Names<string>)) {
    const known = rows.flatMap((row) => row[key] ?? []);
    if (known.length > 0) merged[key] = how === "sum" ? known.reduce((sum, each) => sum + each) : Math.max(...known);
  }
  return merged as Kind;
}
