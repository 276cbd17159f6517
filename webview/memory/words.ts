/** What the page says in words; no document. */
import type { Sureness } from "../../src/board/ledger/model.ts";
import type { Moment } from "../../src/board/moments/model.ts";
import { formatBytes, formatChange, formatDuration, formatShare } from "../../src/profile/text/format.ts";
import { t } from "../../src/words/t.ts";

export const notRead = (): string => t("not read");

/** A moment of the run or of the watch. */
export function momentText(ms: number): string {
  if (ms < 0) return t("before the start");
  return ms === 0 ? "0 s" : formatDuration(ms);
}

export const sizeText = (bytes: number | undefined): string => (bytes === undefined ? notRead() : formatBytes(bytes));

/** `12.3 %`; nothing where there is no whole. */
export function shareText(bytes: number, total: number): string {
  return total <= 0 ? "" : formatShare(bytes / total);
}

export const percentText = (share: number | undefined): string =>
  share === undefined ? notRead() : `${Math.round(share * 100)} %`;

export const changeText = (change: number | undefined): string =>
  change === undefined ? t("unknown") : formatChange(change);

/** The oldest reading of other programs that still counts as one of the moment, in ms. */
const FRESH_MS = 1_000;

/** That other programs were read before the moment, where that was a while ago. */
export const ageNotes = ({ processesAgeMs }: Pick<Moment, "processesAgeMs">): readonly string[] =>
  processesAgeMs > FRESH_MS
    ? [
        t(
          "The figures of other programs were read {0} before this moment, to spare the board.",
          formatDuration(processesAgeMs),
        ),
      ]
    : [];

/** A sign beside the word, so that neither color nor reading is needed to see a pattern down the column. */
export const SURENESS_SIGNS: Readonly<Record<Sureness, string>> = {
  exact: "●",
  estimated: "◐",
  inferred: "○",
  unknown: "?",
};
