/** A row of a benchmark as programs write it (bench/README.md), checked when it is read. */
import * as v from "valibot";

const finite = v.pipe(v.number(), v.finite());
const names = v.pipe(v.array(v.string()), v.nonEmpty());
/** At which size of the work a goal is judged; the first where none is said. */
const at = v.optional(finite);
/** How much a factor or a figure may come to: at most or at least so much. */
const bounds = v.union([
  v.strictObject({ kind: v.literal("factor"), than: v.string(), atMost: finite, at }),
  v.strictObject({ kind: v.literal("factor"), than: v.string(), atLeast: finite, at }),
  v.strictObject({ kind: v.literal("bound"), atMost: finite, at }),
  v.strictObject({ kind: v.literal("bound"), atLeast: finite, at }),
]);
const goal = v.union([v.strictObject({ kind: v.literal("ahead"), of: names, at }), bounds]);
/** For each size the figure of each round; null where it could not be run, be it a round or a whole size. */
const runs = v.array(v.nullable(v.array(v.nullable(finite))));
const notes = v.optional(v.union([v.string(), v.array(v.string())]), []);

const contestant = v.strictObject({
  name: v.string(),
  version: v.optional(v.string(), ""),
  command: v.optional(v.string(), ""),
  runs,
  notes,
});

const shape = v.strictObject({
  row: v.pipe(v.string(), v.regex(/^[a-z0-9-]+(\/[a-z0-9.-]+)?$/, "a row is named like line-time/hot")),
  title: v.string(),
  measures: v.string(),
  unit: v.picklist(["s", "ms", "us", "ns", "MiB", "MB", "frames/s", "×", "%"]),
  better: v.picklist(["less", "more"]),
  ours: v.string(),
  goal: v.optional(v.union([goal, v.array(goal)]), []),
  work: v.strictObject({ unit: v.string(), sizes: v.pipe(v.array(finite), v.nonEmpty()) }),
  contestants: v.pipe(v.array(contestant), v.nonEmpty()),
  absent: v.optional(v.array(v.strictObject({ name: v.string(), why: v.string() })), []),
  python: v.optional(v.nullable(v.string())),
  notes,
  reference: v.optional(v.nullable(v.strictObject({ name: v.string(), runs }))),
  /** What the figure is made of, for the page; not judged. */
  table: v.optional(v.strictObject({ title: v.string(), head: names, rows: v.array(v.array(v.string())) })),
});

export type Goal = v.InferOutput<typeof goal>;
type Shape = v.InferOutput<typeof shape>;
export type Unit = Shape["unit"];

export interface Contestant {
  readonly name: string;
  readonly version: string;
  readonly command: string;
  /** For each size of the work the figures of the rounds that could be run; empty where none could. */
  readonly runs: readonly (readonly number[])[];
  readonly notes: readonly string[];
}

export interface Row extends Omit<Shape, "goal" | "contestants" | "notes" | "absent" | "python" | "reference"> {
  /** All of them are to be kept; without any the row is for information. */
  readonly goals: readonly Goal[];
  readonly contestants: readonly Contestant[];
  readonly absent: readonly { readonly name: string; readonly why: string }[];
  readonly python: string | undefined;
  readonly notes: readonly string[];
  /** What the figures are beyond: they are differences, and may be below the noise. */
  readonly reference: Contestant | undefined;
}

/** A row that is not as agreed: the message says what is wrong with it. */
export class RowError extends Error {}

/** @throws RowError */
export function parseRow(value: unknown): Row {
  const parsed = v.safeParse(shape, value);
  if (!parsed.success) {
    const name = v.is(v.looseObject({ row: v.string() }), value) ? value.row : "a row";
    const wrong = parsed.issues.map((issue) => `${v.getDotPath(issue) ?? "row"}: ${issue.message}`);
    throw new RowError(`${name}: ${wrong.join("; ")}`);
  }
  const { goal: goals, contestants, reference, ...row } = parsed.output;
  const read: Row = {
    ...row,
    goals: Array.isArray(goals) ? goals : [goals],
    contestants: contestants.map(readContestant),
    absent: row.absent,
    python: row.python ?? undefined,
    notes: list(row.notes),
    reference: reference ? readContestant({ ...reference, version: "", command: "", notes: [] }) : undefined,
  };
  const wrong = contradictions(read);
  if (wrong.length > 0) throw new RowError(`${row.row}: ${wrong.join("; ")}`);
  return read;
}

export interface Written {
  readonly row: Row;
  /** As the program wrote it, for the file that is kept. */
  readonly written: unknown;
}

/** The rows that are as agreed, and what is wrong with the others. */
export function parseRows(value: unknown): { readonly rows: readonly Written[]; readonly wrong: readonly string[] } {
  if (!Array.isArray(value)) return { rows: [], wrong: ["the file holds no list of rows"] };
  const rows: Written[] = [];
  const wrong: string[] = [];
  for (const each of value) {
    try {
      rows.push({ row: parseRow(each), written: each });
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      wrong.push(error.message);
    }
  }
  return { rows, wrong };
}

function readContestant(each: v.InferOutput<typeof contestant>): Contestant {
  return {
    ...each,
    runs: each.runs.map((rounds) => (rounds ?? []).filter((figure) => figure !== null)),
    notes: list(each.notes),
  };
}

function list(words: string | readonly string[]): readonly string[] {
  return typeof words === "string" ? [words].filter((word) => word !== "") : words;
}

function contradictions({ ours, goals, work, contestants, absent, reference, table }: Row): readonly string[] {
  const there = contestants.map(({ name }) => name);
  const known = new Set([...there, ...absent.map(({ name }) => name)]);
  const named = goals.flatMap((goal) => (goal.kind === "ahead" ? goal.of : goal.kind === "factor" ? [goal.than] : []));
  const sizes = goals.flatMap(({ at: size }) => (size === undefined || work.sizes.includes(size) ? [] : [size]));
  return [
    ...(there.includes(ours) ? [] : [`ours (${ours}) is no contestant`]),
    ...named
      .filter((name) => !known.has(name))
      .map((name) => `the goal names ${name}, which is neither there nor absent`),
    ...sizes.map((size) => `the goal is judged at ${size}, which is no size of the work`),
    ...there.filter((name, index) => there.indexOf(name) !== index).map((name) => `${name} is there twice`),
    ...[...contestants, ...(reference ? [reference] : [])]
      .filter(({ runs }) => runs.length !== work.sizes.length)
      .map(({ name, runs }) => `${name} has ${runs.length} sizes of ${work.sizes.length}`),
    ...(table?.rows.some((cells) => cells.length !== table.head.length)
      ? ["a line of its table is too short or too long"]
      : []),
  ];
}
