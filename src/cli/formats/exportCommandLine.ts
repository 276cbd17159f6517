/** The command `export`: which run, as what, and where to. */

import { defined } from "../../profile/defined.ts";
import { EXPORT_FORMATS, type ExportFormat } from "../../profile/formats/exportFormats.ts";
import type { MetricChoice } from "../../profile/lines/columns.ts";
import { t } from "../../words/t.ts";
import { metricChoice, oneOf, onlyOneRun, readWords, usageError } from "../commandLine/options.ts";
import { EXPORT } from "../commandLine/reference/reading.ts";

export interface ExportCommand {
  readonly kind: "export";
  readonly run: string;
  readonly format: ExportFormat;
  /** `-` is standard output; absent: a name of our own in the current folder. */
  readonly out?: string;
  readonly metric?: MetricChoice;
  readonly project?: string;
}

/**
 * @returns undefined where help was asked for
 * @throws UserError `usage`
 */
export function parseExport(argv: readonly string[]): ExportCommand | undefined {
  const { values, positionals } = readWords(argv, EXPORT.options);
  if (values.help) return undefined;
  if (values.format === undefined) throw usageError(t("Choose a format: --format {0}.", EXPORT_FORMATS.join(", ")));
  if (values.out === "") throw usageError(t("--out is a file, or - for standard output."));
  return {
    kind: "export",
    run: onlyOneRun(positionals),
    format: oneOf("--format", values.format, EXPORT_FORMATS),
    ...defined({
      out: values.out,
      metric: values.metric === undefined ? undefined : metricChoice(values.metric),
      project: values.project,
    }),
  };
}
