/** The programs that measure, their rows and the families of rows: programs.json, in the order of the page. */
import * as v from "valibot";
import table from "../programs.json";

const shape = v.strictObject({
  /** Titles by the rows' part before the slash. */
  families: v.record(v.string(), v.string()),
  programs: v.array(
    v.strictObject({
      command: v.pipe(v.array(v.string()), v.minLength(2)),
      rows: v.pipe(v.array(v.string()), v.nonEmpty()),
    }),
  ),
});

export type Program = v.InferOutput<typeof shape>["programs"][number];

export const { families, programs } = v.parse(shape, table);

export function familyOf(row: string): string {
  return row.split("/")[0] ?? row;
}

export interface Choice {
  readonly program: Program;
  /** All of the program's, or those that were named. */
  readonly rows: readonly string[];
}

/**
 * The programs that measure rows whose names begin like these; all where none is named.
 * @throws Error for a beginning that no row has
 */
export function choose(beginnings: readonly string[], from: readonly Program[] = programs): readonly Choice[] {
  const rows = from.flatMap((program) => program.rows);
  const strangers = beginnings.filter((each) => !rows.some((row) => row.startsWith(each)));
  if (strangers.length > 0)
    throw new Error(`No row begins with ${strangers.join(", ")}. The rows are: ${rows.join(", ")}.`);
  return from.flatMap((program) => {
    const chosen = program.rows.filter(
      (row) => beginnings.length === 0 || beginnings.some((beginning) => row.startsWith(beginning)),
    );
    return chosen.length > 0 ? [{ program, rows: chosen }] : [];
  });
}

/** In the order of the table; those that are not in it come last. */
export function inOrder<T>(results: readonly T[], rowOf: (result: T) => string): readonly T[] {
  const kinds = Object.keys(families);
  const order = programs.flatMap((program) => program.rows);
  const place = (all: readonly string[], name: string) => (all.includes(name) ? all.indexOf(name) : all.length);
  return [...results].sort((a, b) => {
    const [left, right] = [rowOf(a), rowOf(b)];
    const byFamily = place(kinds, familyOf(left)) - place(kinds, familyOf(right));
    return byFamily || place(order, left) - place(order, right) || left.localeCompare(right);
  });
}
