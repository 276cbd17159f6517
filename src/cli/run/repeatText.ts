/** A series of repeats: the middle of each figure and how far the runs lie apart. */
import * as path from "node:path";
import { COMPARED_NAMES } from "../../compare/label.ts";
import type { ComparedFile, ComparedLine, Comparison, Measured } from "../../compare/model.ts";
import { present } from "../../profile/files/jsonRecords.ts";
import type { Paint } from "../../profile/lines/annotate.ts";
import { formatBytes, formatChange, formatCount, orUnknown } from "../../profile/text/format.ts";
import { aligned } from "../../profile/text/table.ts";
import { printable } from "../../profile/text/text.ts";
import { t } from "../../words/t.ts";
import { totalsOf } from "../compare/diffCells.ts";
import { measuredJson } from "../compare/diffJson.ts";

export interface Series {
  readonly id: string;
  readonly planned: number;
  /** Of the runs that were made, in their order. */
  readonly folders: readonly string[];
}

const MOST_LINES = 15;

/** @param figures the series compared with itself */
export function seriesText({ id, planned, folders }: Series, figures: Comparison, paint: Paint): string {
  const { after } = figures;
  const made = folders.length === planned ? t("{0} runs", planned) : t("{0} of {1} runs", folders.length, planned);
  const totals = totalsOf(figures).flatMap(({ label, difference, unit }) =>
    difference.after === undefined ? [] : [[...cells(difference.after, unit.size, unit.size), label]],
  );
  const heavy = heaviest(figures);
  const name = COMPARED_NAMES[figures.metric];
  const lines = heavy
    .slice(0, MOST_LINES)
    .map(({ file, line }) => [
      ...cells(line.net.after, formatChange, formatBytes),
      ...cells(line.peak.after, formatChange, formatBytes),
      printable(`${file.path}:${line.after}`),
      printable(line.text),
    ]);
  const parts = [
    paint.strong(printable(t("{0} of {1}", made, after.runs[0] === undefined ? id : titleOf(after.title)))),
    ...figures.notes.map((note) => t("Note: {0}", printable(note))),
    ...table([[t("Median"), t("Spread"), t("What")], ...totals], 2, paint),
    "",
    ...(lines.length === 0
      ? [t("No line took memory.")]
      : [
          paint.strong(t("Heaviest lines ({0})", name)),
          ...table([[t("Net"), t("Spread"), t("Peak"), t("Spread"), t("Line"), t("Source")], ...lines], 4, paint),
        ]),
    ...(heavy.length > MOST_LINES ? [t("and {0} more lines", formatCount(heavy.length - MOST_LINES))] : []),
    paint.faint(t("Median: the middle of the runs.  Spread: the largest less the smallest.  –: not measured.")),
    "",
    t("Series: {0}", id),
    ...folders.map((folder) => t("Run folder: {0}", folder)),
    t("Compare it with another run: jetson-memprof diff {0} RUN", id),
  ];
  return `${parts.join("\n")}\n`;
}

/** Without the number of runs, which is told before it. */
function titleOf(title: string): string {
  return title.replace(/ · \d+ runs$/, "");
}

function cells(
  measured: Measured | undefined,
  size: (amount: number) => string,
  spread: (amount: number) => string,
): string[] {
  return [orUnknown(measured?.median, size), orUnknown(measured?.spread, spread)];
}

interface Heavy {
  readonly file: ComparedFile;
  readonly line: ComparedLine;
  readonly weight: number;
}

/** Lines that took or held something, heaviest first. */
function heaviest({ files }: Comparison): Heavy[] {
  const weight = ({ net, peak }: ComparedLine) =>
    Math.max(
      Math.abs(net.after?.median ?? 0),
      peak.after?.median ?? 0,
      net.after?.spread ?? 0,
      peak.after?.spread ?? 0,
    );
  return files
    .flatMap((file) => file.lines.map((line) => ({ file, line, weight: weight(line) })))
    .filter((heavy) => heavy.weight > 0)
    .sort((a, b) => b.weight - a.weight);
}

/** @param figures the series compared with itself */
export function seriesJson({ id, planned, folders }: Series, figures: Comparison): object {
  const bytes = (measured: Measured | undefined) => measured && measuredJson(measured, "bytes");
  const { metric, peak, cudaPeak, boardPeak, baseline, elapsedMs, notes } = figures;
  return present({
    schema: 1,
    series: { id, planned, runs: folders.map((folder) => ({ id: path.basename(folder), folder })) },
    metric,
    peak: bytes(peak.after),
    cuda_peak: bytes(cudaPeak.after),
    board_peak: bytes(boardPeak.after),
    baseline: bytes(baseline.after),
    elapsed: elapsedMs.after && measuredJson(elapsedMs.after, "ms"),
    lines: heaviest(figures).map(({ file, line }) =>
      present({
        path: file.path,
        line: line.after,
        text: line.text,
        net: bytes(line.net.after),
        peak: bytes(line.peak.after),
      }),
    ),
    notes,
  });
}

function table(rows: readonly (readonly string[])[], figures: number, paint: Paint): string[] {
  return aligned(rows, figures).map((line, row) => (row === 0 ? paint.faint(line) : line));
}
