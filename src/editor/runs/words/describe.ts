/** The words of the rows below a run: label, description, tooltip and what a screen reader says of each. */

import { metricPrefix } from "../../../profile/lines/metric.ts";
import { isLowerBound, netText } from "../../../profile/lines/netText.ts";
import { type OwnLine, ownLineText } from "../../../profile/lines/ownMemory.ts";
import { netOrSelf, together } from "../../../profile/lines/totals.ts";
import type { Metric } from "../../../profile/model.ts";
import { cellOf, fileName } from "../../../profile/notebook.ts";
import { formatBytes, formatChange, formatCount } from "../../../profile/text/format.ts";
import { explained, GLOSSARY } from "../../../profile/text/glossary.ts";
import { rowFigures } from "../../../protocol/lines/functionText.ts";
import { atPeakText, heapLabel, heapMoved, measuredText } from "../../../protocol/massif/heapText.ts";
import type {
  HeapFile,
  HeapFunction,
  HeapLine,
  HeapPeak,
  TreeFile,
  TreeFunction,
  TreeLine,
} from "../../../protocol/server.ts";
import { sentences, t } from "../../../words/t.ts";

const FIGURES = GLOSSARY["Figures of a line"];

export interface RowText {
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  readonly spoken: string;
}

export function describeFile(file: TreeFile, metric: Metric): RowText {
  const net = file.net === undefined ? undefined : `${metricPrefix(metric)}${formatChange(file.net)}`;
  const most = Math.max(0, ...file.functions.map((fn) => fn.peak ?? 0));
  const peak = most > Math.max(0, file.net ?? 0) ? t("peak {0}", formatChange(most)) : undefined;
  return {
    label: fileName(file.path),
    description: join(" · ", [net, peak]),
    tooltip: join("\n", [fileTooltip(file), net === undefined ? undefined : ownLines()]),
    spoken: withCommas([fileName(file.path), net, peak]),
  };
}

const ownLines = (): string => t("The file's own lines; what they call in other files stands there.");

function fileTooltip({ path, absolutePath }: Pick<TreeFile, "path" | "absolutePath">): string {
  if (absolutePath !== undefined) return absolutePath;
  // A cell is no file of its own; where it is now is looked up when it is opened.
  return cellOf(path)?.notebook ?? t("{0} is no longer in the project.", path);
}

export function describeFunction(fn: TreeFunction, metric: Metric): RowText {
  const name = functionName(fn);
  const figures = rowFigures(fn, metric);
  return {
    label: name,
    description: join(" · ", figures),
    tooltip: join("\n", [
      t("{0}, line {1}", name, fn.defLine),
      join(" · ", figures),
      fn.net === undefined ? undefined : explained(FIGURES.net),
      fn.peak ? explained(FIGURES.peakAboveEntry) : undefined,
    ]),
    spoken: withCommas([t("Function {0}", name), ...figures]),
  };
}

function functionName({ name }: Pick<TreeFunction, "name">): string {
  return name === "<module>" ? t("module level") : name;
}

export function describeLine(line: TreeLine, metric: Metric): RowText {
  const figures = `${metricPrefix(metric)}${lineFigures(line)}`;
  const code = line.text.trim();
  return {
    // The figures first: they are what must be seen where the view is narrow.
    label: figures,
    description: `${line.line}: ${code}`,
    tooltip: join("\n", [
      code,
      join(" · ", [figures, hitsText(line)]),
      explained(line.net === undefined ? FIGURES.self : FIGURES.net),
      heldMore(line) ? explained(FIGURES.peakAboveEntry) : undefined,
    ]),
    spoken: withCommas([t("Line {0}", line.line), figures, code]),
  };
}

/** Of the heaviest lines of all files: its own part. @param file absent where the run has only one */
export function describeHeaviestLine(
  line: Pick<OwnLine<TreeLine>, "row" | "kind" | "bytes">,
  metric: Metric,
  file: string | undefined,
): RowText {
  const { row } = line;
  const whole = describeLine(row, metric);
  const own = ownLineText(line, metric);
  return {
    label: own,
    description: file === undefined ? whole.description : `${file}:${whole.description}`,
    tooltip: whole.tooltip,
    spoken: withCommas([file, t("Line {0}", row.line), own, row.text.trim()]),
  };
}

export function describeHeaviest(): RowText {
  const label = t("Heaviest lines");
  const why = t("Lines of all files by what they took themselves, or held for a while.");
  return { label, description: "", tooltip: why, spoken: label };
}

/** Import statements of one function, none of which holds another. */
export function describeImports(lines: readonly TreeLine[], metric: Metric): RowText {
  const { net, peak: most } = together(lines);
  const atLeast = lines.some(isLowerBound) ? "≥ " : "";
  const peak = most !== undefined && most > Math.max(0, net) ? t("peak {0}", formatChange(most)) : undefined;
  const label = join(" · ", [`${metricPrefix(metric)}${atLeast}${formatChange(net)}`, peak]);
  const what = t("{0} imports", formatCount(lines.length));
  return { label, description: what, tooltip: join("\n", [what, label]), spoken: withCommas([what, label]) };
}

/** Of a run with so many lines that only the heaviest are listed. */
export function describeLeft(count: number): RowText {
  const label = count === 1 ? t("1 more line") : t("{0} more lines", formatCount(count));
  const why = t("not listed: the heaviest of the run are");
  return {
    label,
    description: why,
    tooltip: sentences(t("{0}, {1}.", label, why), t("The editor marks all of them.")),
    spoken: withCommas([label, why]),
  };
}

function hitsText({ hits }: Pick<TreeLine, "hits">): string | undefined {
  if (hits === undefined) return undefined;
  return hits === 1 ? t("1 hit") : t("{0} hits", formatCount(hits));
}

export function describeHeapFile(file: HeapFile, peak: HeapPeak | undefined): RowText {
  const held = atPeakText(file.total, peak);
  return {
    label: file.path,
    description: held,
    tooltip: join("\n", [fileTooltip(file), held, ownText(file, "file")]),
    spoken: withCommas([file.path, held]),
  };
}

export function describeHeapFunction(fn: HeapFunction, peak: HeapPeak | undefined): RowText {
  const name = functionName(fn);
  const held = atPeakText(fn.total, peak);
  return {
    label: name,
    description: held,
    tooltip: join("\n", [t("{0}, line {1}", name, fn.defLine), held, ownText(fn, "function")]),
    spoken: withCommas([t("Function {0}", name), held]),
  };
}

/** How much of what was held no other code of the project stands behind. */
function ownText(
  { total, own }: Pick<HeapFunction, "total" | "own">,
  whose: "file" | "function" | "line",
): string | undefined {
  if (own >= total) return undefined;
  const bytes = formatBytes(own);
  switch (whose) {
    case "file":
      return t("{0} of it by the file's own lines, not through other code of the project", bytes);
    case "function":
      return t("{0} of it by its own lines, not through other code of the project", bytes);
    case "line":
      return t("{0} of it by this line itself, not through other code of the project", bytes);
  }
}

export function describeHeapLine(line: HeapLine, peak: HeapPeak | undefined): RowText {
  const code = line.text.trim();
  const held = heapLabel(line, peak);
  const { measured, total } = line;
  const change =
    measured && t("{0} measured before and after it ran, {1}", formatChange(measured.net), measuredText(measured));
  const other = heapMoved(line) === total ? change : total > 0 ? atPeakText(total, peak) : undefined;
  return {
    label: held,
    description: `${line.line}: ${code}`,
    tooltip: join("\n", [code, held, ownText(line, "line"), other]),
    spoken: withCommas([t("Line {0}", line.line), held, code]),
  };
}

/** Its peak says something that its net does not. */
const heldMore = (line: TreeLine): boolean => (line.peak ?? 0) > Math.max(0, netOrSelf(line));

function lineFigures(line: TreeLine): string {
  const net = netOrSelf(line);
  const held = heldMore(line) ? t("peak {0}", formatChange(line.peak ?? 0)) : undefined;
  // As beside the line in the editor: a line that only held memory is told by its peak alone.
  return join(" · ", [held !== undefined && net === 0 ? undefined : netText(line), held]);
}

type Parts = readonly (string | undefined)[];

const said = (parts: Parts): string[] => parts.flatMap((part) => part || []);

export const join = (separator: string, parts: Parts): string => said(parts).join(separator);

/** As a list is read aloud. */
export function withCommas(parts: Parts): string {
  const [first = "", ...others] = said(parts);
  return others.reduce((before, part) => t("{0}, {1}", before, part), first);
}
