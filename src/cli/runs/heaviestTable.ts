/** The lines of a run that took the most themselves, of all files, one to a row of the terminal. */
import { heaviestOwnLines, ownLineText } from "../../profile/lines/ownMemory.ts";
import { functionPeak, linesByFunction } from "../../profile/lines/totals.ts";
import type { Metric, Profile } from "../../profile/model.ts";
import { fileName } from "../../profile/notebook.ts";
import { aligned, displayWidth } from "../../profile/text/table.ts";
import { printable, sourceLines } from "../../profile/text/text.ts";
import { t } from "../../words/t.ts";

export interface HeaviestTable {
  readonly count: number;
  /** Only lines of this file. */
  readonly file: string | undefined;
  /** Columns of the terminal; code that goes beyond is cut. */
  readonly width: number;
}

/** @param profile by the metric */
export async function heaviestTable(
  profile: Profile,
  metric: Metric,
  sourceOf: (path: string) => Promise<string | undefined>,
  { count, file: only, width }: HeaviestTable,
): Promise<readonly string[]> {
  const files = await Promise.all(
    profile.files.map(async (file) => {
      const source = sourceLines((await sourceOf(file.path)) ?? "");
      const functions = linesByFunction(file).map((part) => ({
        name: part.name,
        peak: functionPeak(part),
        lines: part.lines.map((row) => ({ ...row, text: source[row.line - 1] ?? "" })),
      }));
      return { path: file.path, functions };
    }),
  );
  const heaviest = heaviestOwnLines(files, Number.POSITIVE_INFINITY)
    .filter(({ path }) => only === undefined || path === only)
    .slice(0, count);
  if (heaviest.length === 0) return [t("No line took memory that could be measured.")];
  const rows = heaviest.map((line) => {
    const { path, row } = line;
    return [ownLineText(line, metric), printable(`${fileName(path)}:${row.line}`), printable(row.text.trim())];
  });
  return aligned(rows, 1).map((row) => cut(row, width));
}

function cut(row: string, width: number): string {
  if (displayWidth(row) <= width) return row;
  let shown = "";
  for (const character of row) {
    if (displayWidth(`${shown}${character}…`) > width) break;
    shown += character;
  }
  return `${shown}…`;
}
