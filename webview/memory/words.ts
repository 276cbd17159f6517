/** What the page says in words; no document. */
import type { Sureness } from "../../src/board/ledger/model.ts";
import type { Moment } from "../../src/board/moments/model.ts";
import { formatBytes, formatChange, formatDuration } from "../../src/profile/format.ts";

export const NOT_READ = "not read";

/** A moment of the run or of the watch. */
export function momentText(t: number): string {
  if (t < 0) return "before the start";
  return t === 0 ? "0 s" : formatDuration(t);
}

export const sizeText = (bytes: number | undefined): string => (bytes === undefined ? NOT_READ : formatBytes(bytes));

/** `12.3 %`; `< 0.1 %` for what would read as nothing. */
export function shareText(bytes: number, total: number): string {
  if (total <= 0) return "";
  const percent = (100 * bytes) / total;
  return bytes > 0 && percent < 0.05 ? "< 0.1 %" : `${percent.toFixed(1)} %`;
}

export const percentText = (share: number | undefined): string =>
  share === undefined ? NOT_READ : `${Math.round(share * 100)} %`;

export const changeText = (change: number | undefined): string =>
  change === undefined ? "unknown" : formatChange(change);

/** The oldest reading of other programs that still counts as one of the moment, in ms. */
const FRESH_MS = 1_000;

/** That other programs were read before the moment, where that was a while ago. */
export const ageNotes = ({ processesAgeMs }: Pick<Moment, "processesAgeMs">): readonly string[] =>
  processesAgeMs > FRESH_MS
    ? [
        `The figures of other programs were read ${formatDuration(processesAgeMs)} before this moment, to spare the board.`,
      ]
    : [];

/** A sign beside the word, so that neither colour nor reading is needed to see a pattern down the column. */
export const SURENESS_SIGNS: Readonly<Record<Sureness, string>> = {
  exact: "●",
  estimated: "◐",
  inferred: "○",
  unknown: "?",
};
