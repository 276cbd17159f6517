/** A file of another tool, read into a run. */
import type { ImportFormat } from "../../profile/model.ts";
import { UserError } from "../../profile/userError.ts";
import { say, t } from "../../words/t.ts";
import type { ImportedRun } from "../model.ts";
import { detectFormat } from "./detect.ts";
import { FORMAT_NAMES } from "./formatNames.ts";
import type { ImportContext, Importer } from "./importer.ts";
import { importOwnCsv, isOwnCsv } from "./own/ownCsv.ts";
import { importOwnJson } from "./own/ownJson.ts";
import { decodeText } from "./text/decodeText.ts";
import { createLogReader, type LogImporter } from "./text/logReader.ts";
import { importMassif } from "./tools/massif.ts";
import { importMemoryProfiler } from "./tools/memoryProfiler.ts";
import { importMemray } from "./tools/memray.ts";
import { mprofLog } from "./tools/mprof.ts";
import { importScalene } from "./tools/scalene.ts";
import { tegrastatsLog } from "./tools/tegrastats.ts";
import { importTracemalloc } from "./tools/tracemalloc.ts";

export interface ImportChoices {
  /** Where the user said so; else by content. */
  readonly format?: ImportFormat;
  /** Between lines of a tegrastats log that have no times. */
  readonly intervalMs?: number;
}

/** How files of a format are read. */
export type FormatReader =
  | { readonly kind: "whole"; readonly read: Importer }
  | { readonly kind: "log"; readonly open: LogImporter };

/**
 * @param head the file's beginning, HEAD_BYTES where it is longer
 * @param file the name shown in errors
 * @throws UserError `import-foreign`, `import-nothing`
 */
export function formatReader(head: Uint8Array, choices: ImportChoices, file: string): FormatReader {
  if (head.length === 0) {
    throw new UserError("import-nothing", t("{0} is empty.", file), t("Copy or write the file again."));
  }
  const format = choices.format ?? detectFormat(head);
  if (format === undefined) throw foreign(file);
  return readerOf(format, choices);
}

/** @throws UserError as formatReader and Importer */
export function importContent(content: Uint8Array, choices: ImportChoices, context: ImportContext): ImportedRun {
  const reader = formatReader(content, choices, context.file);
  if (reader.kind === "whole") return reader.read(content, context);
  const log = createLogReader(reader.open, context);
  log.push(content);
  return log.end();
}

const importOwn: Importer = (content, { file }) => {
  const { text } = decodeText(content);
  return isOwnCsv(text) ? importOwnCsv(text, file) : importOwnJson(text, file);
};

function readerOf(format: ImportFormat, { intervalMs }: ImportChoices): FormatReader {
  switch (format) {
    case "memory_profiler":
      return { kind: "whole", read: importMemoryProfiler };
    case "mprof":
      return { kind: "log", open: mprofLog };
    case "massif":
      return { kind: "whole", read: importMassif };
    case "tracemalloc":
      return { kind: "whole", read: importTracemalloc };
    case "scalene":
      return { kind: "whole", read: importScalene };
    case "memray":
      return { kind: "whole", read: importMemray };
    case "tegrastats":
      return { kind: "log", open: tegrastatsLog(intervalMs) };
    case "jetson-memprof":
      return { kind: "whole", read: importOwn };
  }
}

function foreign(file: string): UserError {
  const known = Object.values(FORMAT_NAMES).map(say).join(t(", "));
  return new UserError(
    "import-foreign",
    t("{0} is in no format that can be imported. These can: {1}.", file, known),
    t(
      "Check that it is the right file; a memray .bin file is first made into a table (memray table FILE). If it is one of these, say which.",
    ),
  );
}
