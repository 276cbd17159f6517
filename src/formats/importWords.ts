/** What is said of a file that was imported. */

import type { ImportedFrom } from "../profile/model.ts";
import { formatCount } from "../profile/text/format.ts";
import { measuresText, TOOL_NAMES } from "../profile/text/measuredElsewhere.ts";
import { printable } from "../profile/text/text.ts";
import { sentences, t } from "../words/t.ts";
import type { ImportedRun } from "./model.ts";

/** More than these are found in the run's row. */
const MOST_NOTES = 2;

export function importedSentence({ profile, samples, notes, verbatim }: ImportedRun): string {
  const { imported } = profile.run;
  const lines = profile.files.reduce((sum, file) => sum + file.lines.length, 0);
  const taken = [
    ...(lines > 0 ? [lines === 1 ? t("1 line") : t("{0} lines", formatCount(lines))] : []),
    ...(samples.length > 0
      ? [samples.length === 1 ? t("1 moment") : t("{0} moments", formatCount(samples.length))]
      : []),
    ...(verbatim.size > 0 ? [t("the file as it is")] : []),
  ];
  const what =
    taken.length === 0 ? t("nothing by line or over time") : taken.reduce((all, part) => t("{0} and {1}", all, part));
  return printable(
    sentences(
      cameSentence(imported, what),
      lines > 0 && imported !== undefined ? t("The figures are {0}.", measuresText(imported)) : undefined,
      ...notes.slice(0, MOST_NOTES),
      moreSentence(notes.length - MOST_NOTES),
    ),
  );
}

function cameSentence(imported: ImportedFrom | undefined, what: string): string {
  return imported === undefined
    ? t("A run was imported: {0}.", what)
    : t("A run was imported from {0} ({1}): {2}.", TOOL_NAMES[imported.format], imported.file, what);
}

function moreSentence(more: number): string | undefined {
  if (more <= 0) return undefined;
  return more === 1 ? t("1 more note is in the run's tooltip.") : t("{0} more notes are in the run's tooltip.", more);
}
