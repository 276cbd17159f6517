/**
 * The .dat files of `mprof run`: `CMDLINE …`, `MEM <MiB> <unix time>`, `CHLD <number or pid> <MiB> <time>` and
 * `FUNC <name> <MiB> <time> <MiB> <time> [<depth>]`, as memory_profiler's `memory_usage` and `TimeStamper` write them.
 */

import type { FunctionRow } from "../../../profile/model.ts";
import { formatBytes, formatCount } from "../../../profile/text/format.ts";
import { sourceLines } from "../../../profile/text/text.ts";
import { phrase, t } from "../../../words/t.ts";
import type { ImportedRun } from "../../model.ts";
import { commandOf } from "../commandOf.ts";
import { damagedFile, type ImportContext, importedRun, nothingFound } from "../importer.ts";
import { NO_FILES, type PlacedFiles } from "../places.ts";
import { foreignNote } from "../text/decodeText.ts";
import { type LogImporter, ownText } from "../text/logReader.ts";
import { createThinning, type Thinning, thinnedNotes, withPeaks } from "./thinned.ts";

const MIB = 2 ** 20;
const NUMBER = String.raw`(-?\d+(?:[.,]\d+)?(?:e[+-]?\d+)?)`;
const MEM = new RegExp(`^MEM ${NUMBER} ${NUMBER}\\s*$`, "i");
const CHILD = new RegExp(`^CHLD (\\d{1,19}) ${NUMBER} ${NUMBER}\\s*$`, "i");
const FUNCTION = new RegExp(`^FUNC (\\S{1,1000}) ${NUMBER} ${NUMBER} ${NUMBER} ${NUMBER}(?: \\d+)?\\s*$`, "i");

/** A function's calls added up. */
interface Calls {
  readonly calls: number;
  readonly net: number;
  readonly ms: number;
}

/** What the file's lines say, as they come; no part of it grows with the file beyond a bound. */
interface Reading {
  commandLine: string | undefined;
  lines: number;
  /** With a figure or without. */
  measurements: number;
  /** With their times, in milliseconds since 1970. */
  readonly timeline: Thinning<number>;
  earliest: number;
  latest: number;
  previous: number;
  backwards: boolean;
  /** Their numbers, and the most that one of them held, bytes. */
  readonly children: Set<string>;
  mostOfChildren: number;
  /** By the name that mprof gives. */
  readonly functions: Map<string, Calls>;
  functionsLeft: number;
  /** 1-based lines that are none of mprof's: the first ones. */
  readonly passedOver: number[];
}

/** No date is farther from 1970, in milliseconds, and differences of such times are whole numbers still. */
const MOST_TIME = 4e15;
/** Far more than anybody marks or starts. */
const MOST_FUNCTIONS = 10_000;
const MOST_CHILDREN = 10_000;
const LISTED = 10;

export const mprofLog: LogImporter = (context) => {
  const reading: Reading = {
    commandLine: undefined,
    lines: 0,
    measurements: 0,
    timeline: createThinning(),
    earliest: Number.POSITIVE_INFINITY,
    latest: Number.NEGATIVE_INFINITY,
    previous: Number.NEGATIVE_INFINITY,
    backwards: false,
    children: new Set(),
    mostOfChildren: 0,
    functions: new Map(),
    functionsLeft: 0,
    passedOver: [],
  };
  return {
    line(line, whole) {
      reading.lines++;
      // A figure that is cut off looks like a smaller one.
      const isKnown = (whole && addTo(reading, line)) || line.trim() === "";
      if (!isKnown && reading.passedOver.length <= LISTED) reading.passedOver.push(reading.lines);
    },
    end: (foreignLines) => runOf(reading, foreignLines, context),
  };
};

function runOf(reading: Reading, foreignLines: number, context: ImportContext): ImportedRun {
  const { measurements, timeline, earliest, latest, passedOver } = reading;
  if (measurements === 0) {
    throw nothingFound(context.file, t('no measurement was found, such as "MEM 74.386719 1795327258.9242".'));
  }
  if (earliest > latest) throw damagedFile(context.file, t("its times cannot be read"));
  const kept = timeline.kept();
  const samples = kept
    .map(({ rss, item: time }) => ({ t: Math.round(time - earliest), rss }))
    .sort((a, b) => a.t - b.t);
  const command = commandOf(reading.commandLine);
  const { files, notes } = functionsOf(reading.functions, command.script, context);
  return importedRun(context, {
    from: {
      format: "mprof",
      measures: phrase("process memory as memory_profiler reads it (RSS, unless it was told otherwise)").text,
    },
    engine: { name: "memory_profiler", exact: false, accelerator: false },
    command,
    started: new Date(earliest),
    elapsedMs: Math.round(latest - earliest),
    files,
    samples: withPeaks(samples),
    notes: [
      ...foreignNote(foreignLines),
      t("The file has the memory over time, not by line."),
      ...damageNotes(reading),
      ...thinnedNotes(timeline.count(), kept.length),
      ...childNote(reading),
      ...listNote(t("These lines of the file are not mprof's and were passed over"), passedOver),
      ...(reading.functionsLeft > 0
        ? [
            t(
              "Marks of more than {0} functions: {1} of further ones were left out.",
              formatCount(MOST_FUNCTIONS),
              formatCount(reading.functionsLeft),
            ),
          ]
        : []),
      ...notes,
    ],
  });
}

/** @returns whether the line is mprof's */
function addTo(reading: Reading, line: string): boolean {
  const mem = MEM.exec(line);
  if (mem !== null) {
    measure(reading, number(mem[2]) * 1000, Math.round(number(mem[1]) * MIB));
    return true;
  }
  const [, child, held] = CHILD.exec(line) ?? [];
  if (child !== undefined && Number.isFinite(number(held))) {
    if (reading.children.size < MOST_CHILDREN) reading.children.add(ownText(child));
    reading.mostOfChildren = Math.max(reading.mostOfChildren, number(held) * MIB);
    return true;
  }
  const call = FUNCTION.exec(line);
  if (call?.slice(2).every((figure) => Number.isFinite(number(figure)))) {
    addCall(reading, call);
    return true;
  }
  if (!line.startsWith("CMDLINE ")) return false;
  reading.commandLine ??= line.slice("CMDLINE ".length).trim();
  return true;
}

function measure(reading: Reading, time: number, rss: number): void {
  reading.measurements++;
  if (Math.abs(time) > MOST_TIME) return;
  reading.backwards ||= time < reading.previous;
  reading.previous = time;
  reading.earliest = Math.min(reading.earliest, time);
  reading.latest = Math.max(reading.latest, time);
  if (Number.isSafeInteger(rss) && rss >= 0) reading.timeline.add(rss, time);
}

function addCall(reading: Reading, [, name = "", from, begun, to, ended]: RegExpExecArray): void {
  const known = reading.functions.get(name);
  if (known === undefined && reading.functions.size >= MOST_FUNCTIONS) {
    reading.functionsLeft++;
    return;
  }
  const { calls, net, ms } = known ?? { calls: 0, net: 0, ms: 0 };
  reading.functions.set(known === undefined ? ownText(name) : name, {
    calls: calls + 1,
    net: net + Math.round((number(to) - number(from)) * MIB),
    ms: ms + Math.max(0, (number(ended) - number(begun)) * 1000),
  });
}

function damageNotes({ measurements, timeline, backwards }: Reading): string[] {
  const left = measurements - timeline.count();
  return [
    ...(left > 0
      ? [
          left === 1
            ? t("1 measurement without a readable figure was left out.")
            : t("{0} measurements without a readable figure were left out.", left),
        ]
      : []),
    ...(backwards
      ? [t("The clock was set back while it was measured; the measurements stand in the order of their times.")]
      : []),
  ];
}

function listNote(what: string, list: readonly (string | number)[]): string[] {
  if (list.length === 0) return [];
  const shown = [...list.slice(0, LISTED), ...(list.length > LISTED ? ["…"] : [])];
  return [t("{0}: {1}.", what, shown.join(t(", ")))];
}

/** A locale's decimal comma is one; anything else that is no number is NaN. */
function number(text: string | undefined): number {
  return Number((text ?? "").replace(",", "."));
}

function childNote({ children, mostOfChildren }: Reading): string[] {
  if (children.size === 0) return [];
  const most = formatBytes(mostOfChildren);
  if (children.size === 1) {
    return [
      t("1 child process was measured too, each with at most {0}; the timeline has the main process alone.", most),
    ];
  }
  return [
    children.size < MOST_CHILDREN
      ? t(
          "{0} child processes were measured too, each with at most {1}; the timeline has the main process alone.",
          children.size,
          most,
        )
      : t(
          "{0} or more child processes were measured too, each with at most {1}; the timeline has the main process alone.",
          formatCount(MOST_CHILDREN),
          most,
        ),
  ];
}

/** FUNC names module and function; a function's place is known where the project's file of that module has one such. */
function functionsOf(
  marked: Reading["functions"],
  script: string | undefined,
  { project }: ImportContext,
): { readonly files: PlacedFiles; readonly notes: readonly string[] } {
  const byPlace = new Map<string, FunctionRow[]>();
  const unplaced: string[] = [];
  const sources = new Map<string, string>();
  for (const [marking, calls] of marked) {
    const dot = marking.lastIndexOf(".");
    const module = marking.slice(0, Math.max(0, dot));
    const name = marking.slice(dot + 1);
    const path = module === "__main__" ? script?.replace(/^\.\//, "") : `${module.replaceAll(".", "/")}.py`;
    const source = path === undefined || path.startsWith("/") || path.includes("..") ? undefined : project.source(path);
    const [defLine, ...more] = source === undefined ? [] : defLines(source.text, name);
    if (path === undefined || source === undefined || defLine === undefined || more.length > 0) {
      unplaced.push(marking);
      continue;
    }
    const inFile = byPlace.get(path) ?? [];
    inFile.push(functionRow(name, calls, defLine));
    byPlace.set(path, inFile);
    sources.set(path, source.text);
  }
  const files = [...byPlace].map(([path, functions]) => ({ path, sha256: "", lines: [], functions }));
  const notes = listNote(t("Where these functions are is not known, so their marks were left out"), unplaced);
  return { files: { ...NO_FILES, files, sources }, notes };
}

function defLines(source: string, name: string): number[] {
  if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) return [];
  const definition = new RegExp(`^\\s*(?:async\\s+)?def\\s+${name}\\s*\\(`, "u");
  return sourceLines(source).flatMap((line, position) => (definition.test(line) ? [position + 1] : []));
}

function functionRow(name: string, { calls, net, ms }: Calls, defLine: number): FunctionRow {
  return { name, key: defLine, defLine, lastLine: defLine, calls, timeNs: Math.round(ms * 1e6), net };
}
