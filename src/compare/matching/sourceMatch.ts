/** Which file and line of the later sources is which of the earlier ones. */
import { pairFiles } from "./filePairs.ts";
import { mapLines } from "./lineMap.ts";
import { type Statements, statementsOf } from "./statements.ts";

export interface SourceFile {
  readonly path: string;
  /** Empty where it is not known. */
  readonly sha256: string;
  /** Absent where the source was not kept. */
  readonly lines?: readonly string[];
}

export interface MatchedLine {
  readonly line: number;
  /** Its text was changed, or it was found by its content alone. */
  readonly edited: boolean;
}

/** A file of both sides. Lines are 1-based first lines of statements; undefined where the other side has none. */
export interface FileMatch {
  readonly before: string;
  readonly after: string;
  /** A source was not kept and the files are not known to be equal: lines are matched by their numbers. */
  readonly byNumbers: boolean;
  toAfter(line: number): MatchedLine | undefined;
  toBefore(line: number): MatchedLine | undefined;
}

export type PlaceAfter =
  | { readonly kind: "at"; readonly path: string; readonly line: number }
  /** The later source has it no more. */
  | { readonly kind: "gone" }
  /** No file of the project: a library, or one that was not measured. */
  | { readonly kind: "elsewhere" };

export interface SourceMatch {
  readonly files: readonly FileMatch[];
  /** Paths that only one side has. */
  readonly onlyBefore: readonly string[];
  readonly onlyAfter: readonly string[];
  /** Where a line of the earlier sources is in the later ones. */
  toAfter(path: string, line: number): PlaceAfter;
}

export function matchSources(before: readonly SourceFile[], after: readonly SourceFile[]): SourceMatch {
  const pairs = pairFiles(before, after);
  const files = pairs.map(([old, now]) => matchFile(old, now));
  const byBefore = new Map(files.map((file) => [file.before, file]));
  const matchedAfter = new Set(files.map((file) => file.after));
  const onlyBefore = before.map(({ path }) => path).filter((path) => !byBefore.has(path));
  const gone = new Set(onlyBefore);
  return {
    files,
    onlyBefore,
    onlyAfter: after.map(({ path }) => path).filter((path) => !matchedAfter.has(path)),
    toAfter(path, line) {
      const file = byBefore.get(path);
      if (file === undefined) return { kind: gone.has(path) ? "gone" : "elsewhere" };
      const found = file.toAfter(line);
      return found === undefined ? { kind: "gone" } : { kind: "at", path: file.after, line: found.line };
    },
  };
}

const unchanged = (line: number): MatchedLine => ({ line, edited: false });

function matchFile(before: SourceFile, after: SourceFile): FileMatch {
  const paths = { before: before.path, after: after.path };
  const isEqual = before.sha256 !== "" && before.sha256 === after.sha256;
  if (isEqual || before.lines === undefined || after.lines === undefined) {
    return { ...paths, byNumbers: !isEqual, toAfter: unchanged, toBefore: unchanged };
  }
  const old = statementsOf(before.lines);
  const now = statementsOf(after.lines);
  const map = mapLines(old.texts, now.texts);
  return {
    ...paths,
    byNumbers: false,
    toAfter: (line) => across(line, old, now, (statement) => map.toDocument(statement)),
    toBefore: (line) => across(line, now, old, (statement) => map.toProfiled(statement)),
  };
}

/** @param find the statement there, both by number from 1 */
function across(
  line: number,
  from: Statements,
  to: Statements,
  find: (statement: number) => { readonly line: number; readonly stale: boolean } | undefined,
): MatchedLine | undefined {
  const statement = from.of[line - 1];
  const found = statement === undefined ? undefined : find(statement + 1);
  const first = found && to.first[found.line - 1];
  if (statement === undefined || found === undefined || first === undefined) return undefined;
  // A line within a statement, as of a lambda's body, is as far into it there, where it is as long.
  const inside = first + line - (from.first[statement] ?? line);
  return { line: to.of[inside - 1] === found.line - 1 ? inside : first, edited: found.stale };
}
