/** What every importer is given and what it gives back. Pure: files are read by `readImport` in node/. */
import { defined } from "../../profile/defined.ts";
import type { ImportedFrom, LineRow, RunInfo } from "../../profile/model.ts";
import { UserError } from "../../profile/userError.ts";
import { phrase, say, t } from "../../words/t.ts";
import type { ImportedRun } from "../model.ts";
import type { PlacedFiles } from "./places.ts";

/** The project that the runs are kept in, as far as importers look at it. */
export interface ProjectFiles {
  /** Absolute, with `/`. */
  readonly root: string;
  /** @param path relative to the project, with `/`; undefined where there is no such file of text */
  source(path: string): { readonly text: string; readonly modified: Date } | undefined;
}

export interface ImportContext {
  /** The file's name, without its folder. */
  readonly file: string;
  readonly modified: Date;
  readonly project: ProjectFiles;
  /** The project's file that the figures belong to, where the user said so. */
  readonly source?: string;
}

/**
 * @param content the whole file
 * @throws UserError `import-nothing`, `import-damaged`, `import-file`
 */
export type Importer = (content: Uint8Array, context: ImportContext) => ImportedRun;

/** A file's figures under the name that the tool gave it; empty where it gave none. */
export interface ReportedFile {
  readonly name: string;
  readonly lines: readonly LineRow[];
  /** By line, where the tool printed its source. */
  readonly text: ReadonlyMap<number, string>;
}

/** What an importer found, before it is a run. */
export interface Found {
  /** Its texts are kept in the run's folder, so in English: phrases that are put into words where they are shown. */
  readonly from: Omit<ImportedFrom, "file">;
  readonly engine?: RunInfo["engine"];
  readonly command?: Partial<RunInfo["command"]>;
  readonly started?: Date;
  readonly elapsedMs?: number;
  readonly board?: RunInfo["board"];
  readonly processes?: RunInfo["processes"];
  readonly versions?: RunInfo["versions"];
  readonly files: PlacedFiles;
  readonly samples?: ImportedRun["samples"];
  readonly verbatim?: ImportedRun["verbatim"];
  readonly notes: readonly string[];
}

/** The run of it. A run whose tool does not say when it was is dated by its file. */
export function importedRun(context: ImportContext, found: Found): ImportedRun {
  const { files, sources } = found.files;
  const first = files[0]?.path;
  const script = found.command?.script ?? (found.command?.module === undefined ? first : undefined);
  const { started = context.modified, elapsedMs } = found;
  const notes = [...found.notes, ...found.files.notes];
  return {
    format: found.from.format,
    profile: {
      run: {
        state: "finished",
        engine: found.engine ?? { name: "line", exact: false, accelerator: false },
        imported: { ...found.from, file: context.file },
        command: { python: "", args: [], ...defined({ script }), ...found.command },
        started: iso(started),
        ...(elapsedMs === undefined ? {} : { elapsedMs, ended: iso(new Date(started.getTime() + elapsedMs)) }),
        lastLines: [],
        environment: {},
        board: found.board ?? {},
        versions: found.versions ?? {},
        processes: found.processes ?? [{ pid: MAIN, kind: "main", label: "main" }],
        warnings: notes.map((message) => ({ code: "imported", message })),
      },
      files,
      byProcess: new Map(),
      metrics: new Set(["rss"]),
      cuda: new Map(),
      phases: [],
      complete: true,
    },
    samples: found.samples ?? [],
    moments: [],
    verbatim: found.verbatim ?? new Map(),
    sources,
    notes,
  };
}

/** Stands for the process where the tool does not name it. */
export const MAIN = 1;

function iso(time: Date): string {
  return Number.isNaN(time.getTime()) ? new Date(0).toISOString() : time.toISOString();
}

const AGAIN = phrase("Copy or write the file again, or say which format it is in.");

/** @param expected what the file should have held, with an example */
export function nothingFound(file: string, expected: string): UserError {
  return new UserError("import-nothing", t("{0} holds nothing that can be imported: {1}", file, expected), say(AGAIN));
}

/** @param what what is wrong and where, as a sentence's middle */
export function damagedFile(file: string, what: string): UserError {
  return new UserError("import-damaged", t("{0} cannot be imported: {1}.", file, what), say(AGAIN));
}
