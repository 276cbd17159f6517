/** What the rules of advice look at: a run's figures and sources, with what several rules need worked out once. */
import type { Steps } from "../../profile/files/inTurns.ts";
import { present } from "../../profile/files/jsonRecords.ts";
import type { LineLoad } from "../../profile/loads/lineLoads.ts";
import type { FileProfile, LineRow } from "../../profile/model.ts";
import type { EndingInput } from "../ending/explain.ts";
import { isTight, lastMoments, type Moments } from "../ending/lastMoments.ts";
import type { EndingKind, EndingReport } from "../ending/model.ts";
import type { BoardKind } from "../identity/identify.ts";
import type { Ledger } from "../ledger/model.ts";
import type { Moment } from "../moments/model.ts";
import type { Advice } from "./model.ts";

export interface AdviceInput extends Omit<EndingInput, "sharedMemory" | "lineText" | "moments"> {
  readonly board: BoardKind;
  /** Merged over all processes. */
  readonly files: readonly FileProfile[];
  /** What long lines loaded. */
  readonly loads: readonly LineLoad[];
  readonly moments?: Moments;
  /** The moment before the script was started, and the board's memory then. */
  readonly baseline?: Moment;
  readonly ledgerBefore?: Ledger;
  /** The moment with the least memory available while the run was on. */
  readonly tightest?: Moment;
  readonly report?: EndingReport;
  /** A measured file's lines as they were run. */
  readonly source: (path: string) => readonly string[] | undefined;
}

export interface Version {
  readonly major: number;
  readonly minor: number;
}

export interface SourceLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** A row that says how often its line ran. */
export type CountedRow = LineRow & { readonly hits: number };

export interface ExecutedLine extends SourceLine {
  readonly row: CountedRow;
}

export interface RunFacts extends AdviceInput {
  readonly torch?: Version;
  readonly cuda?: Version;
  /** The script had CUDA's allocator working, or failed in CUDA. */
  readonly cudaUsed: boolean;
  /** The last moment of the run. */
  readonly last?: Moment;
  readonly memTotal?: number;
  /** The RAM was short: the run ended for want of it, or hardly any was left at the tightest moment. */
  readonly tight: boolean;
  /** The RAM was short, or the memory of the GPU, or the run was at its limit. */
  readonly pressed: boolean;
  /** Moments at which the run was on, oldest first: enough of them to see what grew. */
  readonly course: readonly Moment[];
  /** Every line of the measured files that holds code. */
  readonly lines: readonly SourceLine[];
  readonly executed: readonly ExecutedLine[];
}

/** Lines of one step. */
const AT_ONCE = 256;
/** At least so many moments of a long run are looked at: enough for the floor of each quarter. */
const LOOKED_AT = 160;

/** A symptom, and what to do about it where the run shows it. */
export type Rule = (facts: RunFacts) => Advice | undefined;

const CUDA_ENDINGS: ReadonlySet<EndingKind> = new Set<EndingKind>([
  "cuda-out-of-memory",
  "cuda-driver-out-of-memory",
  "nvml-assert",
  "nvmap-error-12",
]);

export function endedInCuda({ report }: Pick<AdviceInput, "report">): boolean {
  return report !== undefined && CUDA_ENDINGS.has(report.kind);
}

export function* factsOf(input: AdviceInput): Steps<RunFacts> {
  const { run, moments, files, source, baseline, tightest } = input;
  const last = lastMoments(moments).at(-1);
  const memTotal = tightest?.meminfo["MemTotal"] ?? baseline?.meminfo["MemTotal"] ?? run.board.memTotal;
  const lines = yield* codeLines(files, source);
  const executed = yield* executedLines(files, source);
  const tight = shortOfMemory(input);
  return {
    ...input,
    ...present({
      torch: versionOf(run.versions["torch"]),
      cuda: versionOf(run.versions["cuda"] ?? input.board.cuda),
      last,
      memTotal,
    }),
    cudaUsed: endedInCuda(input) || [tightest, last].some((moment) => (moment?.cuda?.reserved ?? 0) > 0),
    tight,
    pressed: tight || endedInCuda(input) || input.report?.kind === "memory-limit",
    course: courseOf(moments),
    lines,
    executed,
  };
}

function shortOfMemory(input: AdviceInput): boolean {
  const { report, board, tightest } = input;
  if (tightest !== undefined && isTight(tightest)) return true;
  if (report === undefined) return false;
  // A graphics card has memory of its own.
  if (endedInCuda(input)) return board.tegra;
  // At a limit, or killed by nobody knows whom: only the board's own figures tell whether its memory was short.
  return report.kind !== "killed" && report.kind !== "memory-limit";
}

function courseOf(moments: Moments | undefined): readonly Moment[] {
  if (moments === undefined) return [];
  const step = Math.max(1, Math.floor(moments.size / LOOKED_AT));
  const found: Moment[] = [];
  for (let i = 0; i < moments.size; i += step) {
    const moment = moments.moment(i);
    if (moment.run.length > 0) found.push(moment);
  }
  return found;
}

export function versionOf(text: string | undefined): Version | undefined {
  const [, major, minor] = /^(\d{1,4})\.(\d{1,4})/.exec(text ?? "") ?? [];
  return major === undefined || minor === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}

/** False where the version is not known. */
export function atLeast(version: Version | undefined, major: number, minor: number): boolean {
  return version !== undefined && (version.major > major || (version.major === major && version.minor >= minor));
}

function* codeLines(files: readonly FileProfile[], source: AdviceInput["source"]): Steps<SourceLine[]> {
  const found: SourceLine[] = [];
  for (const { path } of files) {
    for (const [index, line] of (source(path) ?? []).entries()) {
      if (index % AT_ONCE === 0) yield;
      const text = withoutComment(line);
      if (text.trim() !== "") found.push({ path, line: index + 1, text });
    }
  }
  return found;
}

function* executedLines(files: readonly FileProfile[], source: AdviceInput["source"]): Steps<ExecutedLine[]> {
  const found: ExecutedLine[] = [];
  for (const { path, lines } of files) {
    const text = source(path);
    for (const [index, row] of lines.entries()) {
      if (index % AT_ONCE === 0) yield;
      if (!isCounted(row) || row.hits === 0) continue;
      found.push({ path, line: row.line, text: withoutComment(text?.[row.line - 1] ?? ""), row });
    }
  }
  return found;
}

function isCounted(row: LineRow): row is CountedRow {
  return row.hits !== undefined;
}

/** A `#` in a string ends the line too early, so that a rule may miss something but invents nothing. */
function withoutComment(text: string): string {
  const hash = text.indexOf("#");
  return hash < 0 ? text : text.slice(0, hash);
}
