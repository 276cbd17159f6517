/** Logs of tegrastats (`--logfile`, or its output redirected) as a timeline of the board's memory in use. */
import { parseTegrastats, type Tegrastats } from "../../../board/parse/tegrastats.ts";
import { defined } from "../../../profile/defined.ts";
import { formatBytes } from "../../../profile/text/format.ts";
import { phrase, t } from "../../../words/t.ts";
import type { ImportedRun } from "../../model.ts";
import { type ImportContext, importedRun, nothingFound } from "../importer.ts";
import { NO_FILES } from "../places.ts";
import { foreignNote } from "../text/decodeText.ts";
import type { LogImporter } from "../text/logReader.ts";
import { createThinning, type Thinning, thinnedNotes, withPeaks } from "./thinned.ts";

/** What tegrastats waits without `--interval`. */
const DEFAULT_INTERVAL_MS = 1_000;
/** Newer releases begin each line with `05-15-2023 14:21:30`, the month first, in local time. */
const STAMP = /^\s*(\d{2})-(\d{2})-(\d{4}) (\d{2}):(\d{2}):(\d{2})\s/;
/** Some logs begin with the output of `date`: `Tue Jan 26 18:22:31 UTC 2021`. */
const DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} +\d{1,2} \d{2}:\d{2}:\d{2} .*\d{4}$/;

/** Lines of the same second, one after the other. */
interface Second {
  /** Milliseconds since 1970. */
  readonly stamp: number;
  /** Milliseconds since the log's beginning. */
  readonly begin: number;
  lines: number;
}

/** Of a line only what is kept. */
interface Reading {
  /** The line's own time, where it has one. */
  readonly second: Second | undefined;
  /** Of the second's lines, from 0. */
  readonly place: number;
}

/** What the file's lines say, as they come; no part of it grows with the file beyond a bound. */
interface Log {
  readonly timeline: Thinning<Reading>;
  readonly first: { readonly stamp: number | undefined; readonly total: number } | undefined;
  /** What `date` printed at its beginning. */
  readonly date: number | undefined;
  /** Every line so far has a time. */
  readonly timed: boolean;
  readonly last: Second | undefined;
  readonly backwards: boolean;
  readonly mostSwap: number;
  readonly passedOver: number;
}

/** @param intervalMs between lines that have no time of their own */
export function tegrastatsLog(intervalMs: number | undefined): LogImporter {
  return (context) => {
    let log: Log = {
      timeline: createThinning(),
      first: undefined,
      date: undefined,
      timed: true,
      last: undefined,
      backwards: false,
      mostSwap: 0,
      passedOver: 0,
    };
    return {
      line(line) {
        log = withLine(log, line);
      },
      end: (foreignLines) => runOf(log, foreignLines, intervalMs, context),
    };
  };
}

function withLine(log: Log, line: string): Log {
  const stats = parseTegrastats(line);
  if (stats !== undefined) return withReading(log, stats, stampOf(line));
  const trimmed = line.trim();
  if (trimmed === "") return log;
  if (DATE.test(trimmed) && log.first === undefined) return { ...log, date: dateOf(trimmed) };
  return { ...log, passedOver: log.passedOver + 1 };
}

function withReading(log: Log, { ramUsed, ramTotal, swap }: Tegrastats, stamp: number | undefined): Log {
  const before = log.last;
  const second = stamp === undefined ? undefined : secondOf(stamp, before);
  log.timeline.add(ramUsed, { second, place: second === undefined ? 0 : second.lines++ });
  return {
    ...log,
    first: log.first ?? { stamp, total: ramTotal },
    timed: log.timed && stamp !== undefined,
    last: second ?? before,
    backwards: log.backwards || (stamp !== undefined && before !== undefined && stamp < before.stamp),
    mostSwap: Math.max(log.mostSwap, swap?.used ?? 0),
  };
}

/** Where the clock goes backwards the time stands still. */
function secondOf(stamp: number, before: Second | undefined): Second {
  if (before === undefined) return { stamp, begin: 0, lines: 0 };
  if (stamp === before.stamp) return before;
  const begin = Math.max(timeOf(before, before.lines - 1), before.begin + Math.max(0, stamp - before.stamp));
  return { stamp, begin, lines: 0 };
}

/** Lines of one second share it evenly. */
function timeOf({ begin, lines }: Second, place: number): number {
  return begin + Math.round((place * 1000) / lines);
}

function runOf(
  { timeline, first, date, timed, backwards, mostSwap, passedOver }: Log,
  foreignLines: number,
  intervalMs: number | undefined,
  context: ImportContext,
): ImportedRun {
  if (first === undefined) {
    throw nothingFound(context.file, t('no line of tegrastats was found, such as "RAM 613/3964MB (lfb 634x4MB) …".'));
  }
  const kept = timeline.kept();
  const samples = kept.map(({ position, rss, item: { second, place } }) => ({
    t: timed && second !== undefined ? timeOf(second, place) : position * (intervalMs ?? DEFAULT_INTERVAL_MS),
    rss,
  }));
  const begun = timed ? first.stamp : date;
  return importedRun(context, {
    from: {
      format: "tegrastats",
      measures: phrase("the whole board's RAM in use, as tegrastats prints it").text,
      timeline: phrase("RAM in use on the board (tegrastats)").text,
    },
    command: { script: context.file },
    ...defined({ started: begun === undefined ? undefined : new Date(begun) }),
    elapsedMs: samples.at(-1)?.t ?? 0,
    board: { memTotal: first.total },
    processes: [],
    files: NO_FILES,
    samples: withPeaks(samples),
    notes: [
      ...foreignNote(foreignLines),
      t("A tegrastats log is of the whole board: it knows neither lines nor processes."),
      ...(timed ? clockNote(backwards) : [intervalNote(intervalMs)]),
      ...(passedOver > 0
        ? [
            passedOver === 1
              ? t("1 line that is not tegrastats' was passed over.")
              : t("{0} lines that are not tegrastats' were passed over.", passedOver),
          ]
        : []),
      ...thinnedNotes(timeline.count(), kept.length),
      ...swapNote(mostSwap),
      t("Loads, temperatures and power were left out."),
    ],
  });
}

function clockNote(backwards: boolean): string[] {
  return backwards ? [t("The clock was set back within the log; the time continues from there.")] : [];
}

function intervalNote(intervalMs: number | undefined): string {
  return intervalMs === undefined
    ? t("Its lines have no times. They are taken to be 1 s apart, as tegrastats does by default.")
    : t("Its lines have no times. They are taken to be {0} ms apart.", intervalMs);
}

function swapNote(most: number): string[] {
  return most === 0 ? [] : [t("Swap was in use too, up to {0}; the timeline has RAM alone.", formatBytes(most))];
}

function stampOf(line: string): number | undefined {
  const match = STAMP.exec(line);
  if (match === null) return undefined;
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  // The board's time zone is not in the log.
  const time = new Date(year, month - 1, day, hour, minute, second).getTime();
  return Number.isNaN(time) ? undefined : time;
}

function dateOf(line: string): number | undefined {
  const time = Date.parse(line);
  return Number.isNaN(time) ? undefined : time;
}
