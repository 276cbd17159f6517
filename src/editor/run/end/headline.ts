/** The one sentence at the end of a run: which line took the most, or how the script ended and where. */

import { importOf } from "../../../profile/lines/importOf.ts";
import { metricPrefix } from "../../../profile/lines/metric.ts";
import { isLowerBound, netText } from "../../../profile/lines/netText.ts";
import { ownNet } from "../../../profile/lines/ownMemory.ts";
import { netOrSelf } from "../../../profile/lines/totals.ts";
import type { Exit, Metric, RunInfo } from "../../../profile/model.ts";
import { cellOf, fileName } from "../../../profile/notebook.ts";
import { formatBytes, formatChange } from "../../../profile/text/format.ts";
import { atPeakText } from "../../../protocol/massif/heapText.ts";
import type { HeapFile, RunTree, TreeFile, TreeFunction, TreeLine } from "../../../protocol/server.ts";
import { t } from "../../../words/t.ts";

export interface CodePlace {
  /** Relative to the project folder, with `/`. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
}

/** What there is to say of a run's figures, whatever its engine. */
export interface Findings {
  /** Where most of the memory was taken. */
  readonly heaviest: CodePlace | undefined;
  /** The message of a run that ended well. */
  readonly headline: string;
  /** To follow another sentence; empty where no line took anything. */
  readonly remark: string;
}

/**
 * @param peak the run's highest RSS, bytes; undefined where that is not known, or not what the figures are of
 * @param name what the message calls the script
 */
export function findings(script: string, tree: RunTree, peak?: number, name = script): Findings {
  if (tree.kind === "lines") {
    const heaviest = heaviestLine(tree.files);
    if (heaviest === undefined) {
      return { heaviest, headline: t("{0}: no line took memory that could be measured.", script), remark: "" };
    }
    const sentence = lineSentence(script, heaviest, tree.metric);
    const headline =
      peak === undefined || tree.metric !== "rss"
        ? t("{0}: {1}", name, sentence)
        : t("{0}: peak {1}. {2}", name, formatBytes(peak), sentence);
    const remark = t("Heaviest: {0}.", figureText(script, heaviest, tree.metric));
    return { heaviest: placeOf(heaviest), headline, remark };
  }
  const { peak: heap } = tree;
  if (heap === undefined) {
    const headline = t("{0}: massif recorded no snapshot, so nothing is known of its heap.", script);
    return { heaviest: undefined, headline, remark: "" };
  }
  const heaviest = heaviestOwner(tree.files);
  const share =
    heaviest === undefined ? "" : t(", {0} of it at {1}", formatBytes(heaviest.own), placeText(script, heaviest));
  const text = `${atPeakText(heap.bytes, heap)}${share}`;
  return { heaviest, headline: t("{0}: {1}.", script, text), remark: t("There were {0}.", text) };
}

/** The project's line that allocated the most of what was live at the peak. */
function heaviestOwner(files: readonly HeapFile[]): (CodePlace & { readonly own: number }) | undefined {
  const lines = files.flatMap(({ path, functions }) =>
    functions.flatMap((fn) => fn.lines.map(({ line, own }) => ({ path, line, own }))),
  );
  // Not spread into one call: there may be more lines than a call takes arguments.
  const most = lines.reduce((highest, { own }) => Math.max(highest, own), 0);
  return most === 0 ? undefined : lines.find(({ own }) => own === most);
}

interface HeaviestLine extends CodePlace {
  /** Held for a while, or still there. */
  readonly kind: "held" | "kept";
  readonly row: TreeLine;
}

/** Callers hold at least what their callees hold: of lines this close to the most, the smallest is the most precise. */
const NEARLY_ALL = 0.9;
/** Bytes by which a call may hold more than the function it calls. */
const CALL_OVERHEAD = 1024 * 1024;

/**
 * The line that kept the most by itself, or the one that held the most for a while, whichever is more. Undefined where
 * no line took anything.
 */
function heaviestLine(files: readonly TreeFile[]): HeaviestLine | undefined {
  const functions = files.flatMap((file) => file.functions);
  const places = files.flatMap((file) =>
    file.functions.flatMap((fn) => fn.lines.map((row) => ({ path: file.path, line: row.line, row, fn }))),
  );
  const kept = places
    .map((place) => ({ ...place, bytes: ownNet(place.row) }))
    .reduce((best, place) => (best === undefined || place.bytes > best.bytes ? place : best), undefined as Place);
  const holders = places.map((place) => ({ ...place, bytes: place.row.peak ?? 0 })).filter(({ bytes }) => bytes > 0);
  // What a call holds is told by the lines of the function it calls, which come with a peak of about the same size.
  const own = holders.filter(({ bytes, fn }) => !functions.some((other) => other !== fn && mayBeCalled(other, bytes)));
  const held = mostPrecise(own.length > 0 ? own : holders);
  const keptBytes = kept?.bytes ?? 0;
  if (held !== undefined && held.bytes > keptBytes) {
    // A line that both kept and held its memory is told by what it kept.
    const sameLine = kept !== undefined && kept.path === held.path && kept.line === held.line;
    if (!sameLine || keptBytes < NEARLY_ALL * held.bytes) return { ...placeOf(held), kind: "held", row: held.row };
  }
  return kept === undefined || keptBytes <= 0 ? undefined : { ...placeOf(kept), kind: "kept", row: kept.row };
}

function mayBeCalled(fn: TreeFunction, lineHeld: number): boolean {
  return fn.peak !== undefined && fn.peak >= NEARLY_ALL * lineHeld && fn.peak <= lineHeld + CALL_OVERHEAD;
}

function mostPrecise(holders: readonly NonNullable<Place>[]): Place {
  const most = holders.reduce((highest, { bytes }) => Math.max(highest, bytes), 0);
  return holders
    .filter(({ bytes }) => bytes >= NEARLY_ALL * most)
    .reduce((best, place) => (best === undefined || place.bytes < best.bytes ? place : best), undefined as Place);
}

type Place = (CodePlace & { readonly row: TreeLine; readonly bytes: number }) | undefined;

function placeOf(place: CodePlace): CodePlace {
  return { path: place.path, line: place.line };
}

type Sentence = (place: string, size: string, cause: string) => string;

const KEPT: Readonly<Record<Metric, Sentence>> = {
  rss: (place, size, cause) => t("{0} kept {1}{2}.", place, size, cause),
  cuda: (place, size, cause) => t("{0} kept {1} of CUDA memory{2}.", place, size, cause),
  system: (place, size, cause) => t("{0} took {1} of the board's memory{2}.", place, size, cause),
};
const HELD: Readonly<Record<Metric, Sentence>> = {
  rss: (place, size, cause) => t("{0} held {1} for a while{2}.", place, size, cause),
  cuda: (place, size, cause) => t("{0} held {1} of CUDA memory for a while{2}.", place, size, cause),
  system: (place, size, cause) => t("{0} held {1} of the board's memory for a while{2}.", place, size, cause),
};

/** `Line 33 held 523.1 MiB for a while.`, `Line 8 kept 205.6 MiB (import torch).` */
function lineSentence(script: string, line: HeaviestLine, metric: Metric): string {
  const { kind, row } = line;
  // The figure shown beside the line is its net: the same one here, so that both agree.
  const bytes = formatBytes(kind === "kept" ? netOrSelf(row) : (row.peak ?? 0));
  const size = kind === "kept" && isLowerBound(row) ? t("at least {0}", bytes) : bytes;
  const sentence = (kind === "kept" ? KEPT : HELD)[metric];
  const where = whereText(script, line);
  const place = where === undefined ? t("Line {0}", line.line) : t("Line {0} of {1}", line.line, where);
  return sentence(place, size, importText(row.text));
}

/** `peak +523.1 MiB at line 33`, `+205.6 MiB at line 8 (import torch)`. */
function figureText(script: string, heaviest: HeaviestLine, metric: Metric): string {
  const { kind, row } = heaviest;
  return t(
    "{0}{1} at {2}",
    metricPrefix(metric),
    kind === "kept" ? netText(row) : t("peak {0}", formatChange(row.peak ?? 0)),
    `${placeText(script, heaviest)}${importText(row.text)}`,
  );
}

/** What a library takes is not what the user's code takes: the line is named as what it is. Names alone, no other text. */
function importText(text: string): string {
  const imported = importOf(text);
  if (imported === undefined) return "";
  return imported.word === "import" ? ` (import ${imported.module})` : ` (from ${imported.module} import …)`;
}

function placeText(script: string, place: CodePlace): string {
  const where = whereText(script, place);
  return where === undefined ? t("line {0}", place.line) : t("line {0} of {1}", place.line, where);
}

/** The file or cell; undefined for the script itself. */
function whereText(script: string, place: CodePlace): string | undefined {
  if (place.path === script) return undefined;
  const cell = cellOf(place.path);
  return cell !== undefined && cell.notebook === script ? t("cell {0}", cell.number) : fileName(place.path);
}

/** A run that did not end by itself with code 0, in words; undefined for one that did. */
export function badEndText(script: string, exit: Exit | undefined, at: CodePlace | undefined): string | undefined {
  const where = at === undefined ? "" : t(" at {0}", placeText(script, at));
  switch (exit?.kind) {
    case undefined:
      return undefined;
    case "exited":
      return exit.code === 0 ? undefined : t("{0} ended with exit code {1}.", script, exit.code);
    case "out-of-memory":
      return t("{0} ran out of memory{1}: the board's system ended it ({2}).", script, where, exit.signal);
    case "signalled":
      return t("{0} was ended by {1}{2}.", script, exit.signal, where);
    case "not-started":
      return t("{0} could not be started: {1}", script, exit.message);
    case "cancelled":
      return t("{0} was cancelled{1}. What was measured until then is kept.", script, where);
    case "lost":
      return exit.restarted
        ? t(
            "{0} was lost{1}: the board was restarted. The figures until shortly before are kept; the run is incomplete.",
            script,
            where,
          )
        : t(
            "{0} was lost{1}: the measuring program on the board was ended. The figures until then are kept; the run is incomplete.",
            script,
            where,
          );
  }
}

/** What a run that was made for a model account, and has none, says of it. */
export function noModelText(script: string): string {
  return t("{0} ran no PyTorch model that could be seen, so it has no model account.", script);
}

/** The line the main thread was executing when the run ended. */
export function lastPlace(run: Pick<RunInfo, "lastLines" | "processes">): CodePlace | undefined {
  const mainPid = run.processes.find(({ kind }) => kind === "main")?.pid;
  const ofMain = run.lastLines.filter(({ pid }) => pid === mainPid);
  const at = ofMain.find(({ thread }) => thread === "MainThread") ?? ofMain[0] ?? run.lastLines[0];
  return at === undefined ? undefined : { path: at.path, line: at.line };
}
