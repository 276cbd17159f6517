/** What the files of a run folder have in common: JSON with a schema number, written by a machine we do not trust. */
import * as v from "valibot";
import { t } from "../../words/t.ts";
import { UserError } from "../userError.ts";

const SCHEMA = 1;

/** More than any memory has bytes, and any run nanoseconds: sums of what is below stay finite. */
const MOST = 2 ** 63;

/** A size, a count or a time: not negative. */
export const amount = v.pipe(v.number(), v.minValue(0), v.maxValue(MOST));
/** A change of a size. */
export const change = v.pipe(v.number(), v.minValue(-MOST), v.maxValue(MOST));
const MOST_LINES_OF_FILE = 100_000_000;
export const lineNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(MOST_LINES_OF_FILE));
export const index = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** A path relative to the project with `/`, that cannot lead out of it, not even on Windows, where `\` separates too. */
export const relativePath = v.pipe(v.string(), v.check(isInnerPath, "is not a path inside the project"));

function isInnerPath(path: string): boolean {
  return (
    path.length <= 4096 &&
    !/\0|^[A-Za-z]:/.test(path) &&
    path.split(/[/\\]/).every((part) => part !== "" && part !== "." && part !== "..")
  );
}

/** The same by hand, for tables of tens of thousands of rows: a schema takes several times as long. */
export function isAmount(value: unknown): value is number {
  return isChange(value) && value >= 0;
}

export function isChange(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= MOST;
}

export function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function isLineNumber(value: unknown): value is number {
  return isIndex(value) && value >= 1 && value <= MOST_LINES_OF_FILE;
}

type AbsentKey<T> = {
  [K in keyof T]-?: null extends T[K] ? K : undefined extends T[K] ? K : never;
}[keyof T];
/** `T` without its null and undefined values. */
type Present<T> = { [K in Exclude<keyof T, AbsentKey<T>>]: T[K] } & {
  [K in AbsentKey<T>]?: Exclude<T[K], null | undefined>;
};

/** Leaves out what is null or undefined: a figure that could not be taken is absent. */
export function present<T extends object>(value: T): Present<T> {
  // Added one by one, so that the many rows of a table share one shape: reading and copying them stays fast.
  const result: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) {
    if (part !== null && part !== undefined) result[key] = part;
  }
  return result as Present<T>;
}

/** The object that `text` holds, or undefined where it is not (yet) one. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  // A failed JSON.parse takes thousands of times as long, which a file of empty lines would add up to minutes.
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** @throws UserError `schema-too-new` where a newer program wrote `file`. */
export function checkSchema(record: Record<string, unknown>, file: string): void {
  const found = record["schema"];
  if (typeof found === "number" && found <= SCHEMA) return;
  if (typeof found === "number") {
    throw new UserError(
      "schema-too-new",
      t(
        "{0} was written in format {1}; this version of Jetson Memory Profiler reads up to format {2}.",
        file,
        found,
        SCHEMA,
      ),
      t("Update the Jetson Memory Profiler extension (or command), then open the run again."),
    );
  }
  throw new UserError(
    "run-damaged",
    t("{0} does not say which format it is in.", file),
    t("The file was not written by Jetson Memory Profiler or was changed since; profile the script again."),
  );
}

/** Says in one sentence which part of `file` is wrong. */
export function damaged(file: string, issues: readonly v.BaseIssue<unknown>[]): UserError {
  const first = issues[0];
  return new UserError(
    "run-damaged",
    first === undefined
      ? t("{0} cannot be read.", file)
      : t('{0} cannot be read at "{1}": {2}.', file, v.getDotPath(first) ?? t("(top)"), first.message),
    t("The run's other files are untouched; look at them in a text editor, or profile the script again."),
  );
}
