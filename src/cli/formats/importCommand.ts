/** `import`: files of other tools become runs of the project. */

import * as path from "node:path";
import { writeImportedRun } from "../../formats/importedRunFolder.ts";
import { FORMAT_NAMES } from "../../formats/imports/formatNames.ts";
import { readImport } from "../../formats/imports/node/readImport.ts";
import { UNKNOWN_FILE } from "../../formats/imports/places.ts";
import type { ImportedRun } from "../../formats/model.ts";
import { defined } from "../../profile/defined.ts";
import { isKind } from "../../profile/files/places.ts";
import { IMPORT_FORMATS, type ImportFormat } from "../../profile/model.ts";
import { ensureRunsFolder } from "../../profile/run/runsFolder.ts";
import { formatCount } from "../../profile/text/format.ts";
import { measuresText } from "../../profile/text/measuredElsewhere.ts";
import { printable } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import { changeLabel, LONGEST_NAME } from "../../runs/keeping.ts";
import { type Phrase, phrase, say, t } from "../../words/t.ts";
import { oneOf, readWords, usageError } from "../commandLine/options.ts";
import { IMPORT } from "../commandLine/reference/keeping.ts";
import { FAILURE } from "../run/exitStatus.ts";
import type { Output } from "../terminal/output.ts";

export interface ImportCommand {
  readonly kind: "import";
  readonly files: readonly string[];
  readonly format?: ImportFormat;
  /** The project's file that the figures belong to. */
  readonly source?: string;
  readonly project?: string;
  readonly name?: string;
  readonly intervalMs?: number;
}

/**
 * @returns undefined where help was asked for
 * @throws UserError `usage`
 */
export function parseImport(argv: readonly string[]): ImportCommand | undefined {
  const { values, positionals } = readWords(argv, IMPORT.options);
  if (values.help) return undefined;
  if (positionals.length === 0) throw usageError(t("Name the files: jetson-memprof import FILE…."));
  const { name } = values;
  if (name !== undefined && (name.trim() === "" || name.length > LONGEST_NAME)) {
    throw usageError(t("--name is a text of up to {0} characters.", LONGEST_NAME));
  }
  const intervalMs = values.interval === undefined ? undefined : Number(values.interval);
  if (intervalMs !== undefined && !(intervalMs >= 1 && intervalMs <= 3_600_000)) {
    throw usageError(
      t('--interval is a number of milliseconds, as tegrastats takes it, not "{0}".', values.interval ?? ""),
    );
  }
  return {
    kind: "import",
    files: positionals,
    ...defined({
      format: values.format === undefined ? undefined : oneOf("--format", values.format, IMPORT_FORMATS),
      source: values.file,
      project: values.project,
      name: name?.trim(),
      intervalMs,
    }),
  };
}

const FILE_OPTION = phrase("--file PATH says which file of the project it belongs to.");
const FORMAT_OPTION = phrase("--format FORMAT says which tool wrote the file.");

/** What a terminal has for it, by the error's code; hints fit the editor too. */
const OPTION_FOR: Readonly<Record<string, Phrase>> = {
  "import-foreign": FORMAT_OPTION,
  "import-nothing": FORMAT_OPTION,
  "import-damaged": FORMAT_OPTION,
  "import-file": phrase("--file PATH says which file of the project it is, --project FOLDER which project."),
};

/**
 * A file that cannot be imported does not keep the others from it.
 * @returns the exit status
 * @throws UserError `runs-folder`
 */
export async function importFiles(command: ImportCommand, stdout: Output, stderr: Output): Promise<number> {
  const project = path.resolve(command.project ?? ".");
  if (!(await isKind(project, "folder"))) throw usageError(t("There is no folder {0} to import into.", project));
  const runs = await ensureRunsFolder(project);
  const { files, name, format, source, intervalMs } = command;
  let status = 0;
  for (const file of files) {
    try {
      const choices = { ...defined({ format, source, intervalMs }) };
      const imported = await readImport({ file, project, ...choices });
      const folder = await writeImportedRun(imported, runs);
      if (name !== undefined) await changeLabel(folder, (label) => ({ ...label, name }));
      stdout.write(`${importText(file, imported, folder)}\n`);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      status = FAILURE;
      const option = OPTION_FOR[error.code];
      const said = [`jetson-memprof: ${error.message}`, error.hint, option === undefined ? undefined : say(option)];
      for (const line of said) if (line !== undefined) stderr.write(`${printable(line)}\n`);
    }
  }
  return status;
}

export function importText(
  file: string,
  { format, profile, samples, verbatim, notes }: ImportedRun,
  folder: string,
): string {
  const { imported } = profile.run;
  const lines = profile.files.reduce((sum, { lines: rows }) => sum + rows.length, 0);
  const measured = profile.files.filter(({ lines: rows }) => rows.length > 0).length;
  const functions = profile.files.reduce((sum, file) => sum + file.functions.length, 0);
  const taken = [
    lines === 0 ? undefined : t("{0} of {1}", lineCount(lines), fileCount(measured)),
    functions === 0 ? undefined : functionCount(functions),
    samples.length === 0 ? undefined : momentCount(samples.length),
    verbatim.size > 0 ? t("the file as it is") : undefined,
  ].filter((part) => part !== undefined);
  return [
    printable(t("{0}: {1}, imported as {2}", file, say(FORMAT_NAMES[format]), path.basename(folder))),
    printable(t("  Folder: {0}", folder)),
    t("  Taken over: {0}.", taken.join(", ") || t("nothing by line or over time")),
    ...(lines > 0
      ? [printable(t("  The figures are {0}.", imported === undefined ? t("as measured") : measuresText(imported)))]
      : []),
    ...notes.map((note) => printable(t("  Note: {0}", note))),
    ...(profile.files.some(({ path: place }) => place === UNKNOWN_FILE) ? [`  ${FILE_OPTION}`] : []),
  ].join("\n");
}

const lineCount = (count: number): string => (count === 1 ? t("1 line") : t("{0} lines", formatCount(count)));
const fileCount = (count: number): string => (count === 1 ? t("1 file") : t("{0} files", formatCount(count)));
const functionCount = (count: number): string =>
  count === 1 ? t("1 function") : t("{0} functions", formatCount(count));
const momentCount = (count: number): string => (count === 1 ? t("1 moment") : t("{0} moments", formatCount(count)));
