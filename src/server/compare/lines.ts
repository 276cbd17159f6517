/** A comparison beside the lines of a document as it is now: labels, code lenses. Pure. */
import { changeLabel, comparedPrefix, lineLabel, mainChange, told } from "../../compare/label.ts";
import type { LineMap } from "../../compare/matching/lineMap.ts";
import type { ComparedFile, ComparedLine, ComparedMetric, Comparison } from "../../compare/model.ts";
import { sumOfNets } from "../../compare/sum.ts";
import { present } from "../../profile/files/jsonRecords.ts";
import { FLOOR, severityOf } from "../../profile/lines/severity.ts";
import { linesByFunction } from "../../profile/lines/totals.ts";
import type { FileProfile } from "../../profile/model.ts";
import { formatDuration } from "../../profile/text/format.ts";
import { printable } from "../../profile/text/text.ts";
import { callsText } from "../../protocol/lines/functionText.ts";
import type { LineDelta } from "../../protocol/server.ts";
import { t } from "../../words/t.ts";
import { type FunctionLens, isNameless } from "../lines/views.ts";

/** What is compared of a document's file. */
export interface ComparedView {
  readonly comparison: Comparison;
  readonly file: ComparedFile;
}

export function comparedView(comparison: Comparison, path: string): ComparedView {
  const known = comparison.files.find((file) => file.path === path && file.kind !== "only-before");
  return { comparison, file: known ?? { path, kind: "only-after", sourcesMissing: false, lines: [] } };
}

export function comparedDeltas({ comparison, file }: ComparedView, map: LineMap): LineDelta[] {
  const whole = heaviest(comparison);
  const prefix = comparedPrefix(comparison.metric);
  const deltas: LineDelta[] = [];
  for (const line of file.lines) {
    const place = line.after === undefined ? undefined : map.toDocument(line.after);
    if (place === undefined) continue;
    const label = lineLabel(line);
    const change = mainChange(line);
    deltas.push({
      ...place,
      severity: severityOf({ net: change ?? 0 }, whole),
      label: label === "" ? "" : `${prefix}${label}`,
      // Lines that moved by it, and lines that hold so much and did not.
      bytes: Math.abs(change ?? told(line)[0].difference.after?.median ?? 0),
    });
  }
  return deltas.sort((a, b) => a.line - b.line);
}

/** What changes are shares of: the most that one line took in the later run. */
function heaviest({ files }: Comparison): number {
  let most = 0;
  for (const { lines } of files) {
    for (const { net, peak } of lines) most = Math.max(most, net.after?.median ?? 0, peak.after?.median ?? 0);
  }
  return most;
}

/** Functions that were called with the change of what their lines took, and lines that are gone where they were. */
export function comparedLenses(
  { file, comparison }: ComparedView,
  profile: FileProfile,
  map: LineMap,
): readonly FunctionLens[] {
  return [
    ...functionLenses({ file, comparison }, profile, map),
    ...goneLenses(goneLines(file), comparison.metric, map),
  ];
}

interface GoneLine {
  readonly line: ComparedLine;
  /** The measured lines of the later source around the place where it was. */
  readonly above?: number;
  readonly below?: number;
}

function goneLines({ lines }: ComparedFile): GoneLine[] {
  const below: (number | undefined)[] = [];
  let next: number | undefined;
  for (let i = lines.length - 1; i >= 0; i--) {
    next = lines[i]?.after ?? next;
    below[i] = next;
  }
  let above: number | undefined;
  return lines.flatMap((line, i) => {
    above = line.after ?? above;
    return line.after === undefined ? [present({ line, above, below: below[i] })] : [];
  });
}

function goneLenses(gone: readonly GoneLine[], metric: ComparedMetric, map: LineMap): FunctionLens[] {
  return gone.flatMap(({ line, above, below }) => {
    if (Math.abs(mainChange(line) ?? 0) < FLOOR) return [];
    const near = below ?? above;
    const place = near === undefined ? undefined : map.toDocument(near);
    const label = `${comparedPrefix(metric)}${lineLabel(line)}`;
    return [{ line: place?.line ?? 1, title: `${label} · ${shortText(line.text)}` }];
  });
}

const SHORT = 60;

function shortText(text: string): string {
  const plain = printable(text.trim());
  return plain.length <= SHORT ? plain : `${plain.slice(0, SHORT - 1)}…`;
}

function functionLenses({ file, comparison }: ComparedView, profile: FileProfile, map: LineMap): FunctionLens[] {
  const compared = comparedByLine(file);
  return linesByFunction(profile).flatMap(({ row, lines }) => {
    if (row === undefined || row.calls === 0 || isNameless(row)) return [];
    const place = map.toDocument(row.key) ?? map.toDocument(row.defLine);
    if (place === undefined) return [];
    const sum = sumOfNets(
      lines.flatMap(({ line }) => compared.get(line) ?? []),
      comparison,
    );
    const label = changeLabel(sum);
    const parts = [
      ...(label === "" ? [] : [t("{0}{1} net", comparedPrefix(comparison.metric), label)]),
      row.timeNs === undefined ? t("unfinished") : formatDuration(row.timeNs / 1e6),
      callsText(row.calls),
    ];
    return [{ line: place.line, title: parts.join(" · ") }];
  });
}

/** By the later source's lines; one that is gone counts to the measured line above. */
function comparedByLine({ lines }: ComparedFile): Map<number, ComparedLine[]> {
  const found = new Map<number, ComparedLine[]>();
  let at = 0;
  for (const line of lines) {
    at = line.after ?? at;
    const known = found.get(at);
    if (known === undefined) found.set(at, [line]);
    else known.push(line);
  }
  return found;
}
