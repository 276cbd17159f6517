/** What changed between two sides, largest first, and how much did not. */
import type { ComparedFile, ComparedLine, Comparison, Difference, LedgerLine } from "./model.ts";
import { changeOf } from "./noise.ts";

/** A figure of a line that changed. */
export interface LineChanged {
  readonly file: ComparedFile;
  readonly line: ComparedLine;
  readonly what: "net" | "peak";
  readonly difference: Difference;
}

export interface LineChanges {
  readonly changed: readonly LineChanged[];
  /** Lines of which no figure changed, or by no more than the noise. */
  readonly same: readonly LineChanged[];
  /** Lines of which a figure could not be compared, and none changed. */
  readonly unknown: readonly LineChanged[];
}

export function lineChanges({ files }: Pick<Comparison, "files">): LineChanges {
  const changed: LineChanged[] = [];
  const same: LineChanged[] = [];
  const unknown: LineChanged[] = [];
  for (const file of files) {
    for (const line of file.lines) {
      const figures = changedFigures(line);
      for (const what of figures) changed.push({ file, line, what, difference: line[what] });
      if (figures.length > 0) continue;
      const isUnknown = line.net.verdict === "unknown";
      (isUnknown ? unknown : same).push({ file, line, what: "net", difference: line.net });
    }
  }
  return { changed: changed.sort((a, b) => size(b.difference) - size(a.difference)), same, unknown };
}

/** The peak is told too where it changed by another amount than what the line keeps. */
function changedFigures({ net, peak }: ComparedLine): ("net" | "peak")[] {
  const kept = changeOf(net);
  const held = changeOf(peak);
  const apart = held !== undefined && Math.abs(held - (kept ?? 0)) > peak.noise.amount;
  return [...(kept === undefined ? [] : ["net" as const]), ...(apart ? ["peak" as const] : [])];
}

export function ledgerChanges({ ledger }: Pick<Comparison, "ledger">): LedgerLine[] {
  return ledger
    .filter(({ difference }) => changeOf(difference) !== undefined)
    .sort((a, b) => size(b.difference) - size(a.difference));
}

function size(difference: Difference): number {
  return Math.abs(changeOf(difference) ?? 0);
}
