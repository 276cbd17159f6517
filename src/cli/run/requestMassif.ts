/** What a run under massif is asked for, from what was typed and from the script's last run. */
import { createHash } from "node:crypto";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { relativePath } from "../../profile/files/relativePath.ts";
import { heaviestLines, type LinePlace } from "../../profile/lines/totals.ts";
import { MASSIF_DEFAULTS } from "../../profile/massifDefaults.ts";
import { expectationOf, type LastRun, lastLineRun } from "../../profile/run/lastRun.ts";
import { printable } from "../../profile/text/text.ts";
import { importPlaces, massifRequestOf } from "../../protocol/run/massifRequest.ts";
import type { MassifRequest } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";
import { usageError } from "../commandLine/options.ts";
import type { Entry, MassifChoices } from "./profileCommandLine.ts";

export interface MassifContext {
  readonly projectFolder: string;
  readonly entry: Entry;
  /** Where earlier runs lie. */
  readonly runsFolder: string;
  /** Shows a note to the person. */
  readonly tell: (note: string) => void;
}

/** @throws UserError `usage` where a line that was named is in no file of the project */
export async function massifRequest(
  choices: MassifChoices,
  { projectFolder, entry, runsFolder, tell }: MassifContext,
): Promise<MassifRequest> {
  const program = entry.kind === "script" ? { script: entry.path } : { module: entry.name };
  const last = await lastLineRun(runsFolder, program);
  const lines =
    choices.lines.length > 0
      ? await linesInProject(choices.lines, projectFolder)
      : last === undefined
        ? await importsOf(entry, projectFolder)
        : await heaviestOf(last, projectFolder, tell);
  return massifRequestOf(choices, lines, last && expectationOf(last));
}

/** Of files as typed. @throws UserError `usage` */
export async function linesInProject(lines: readonly LinePlace[], projectFolder: string): Promise<LinePlace[]> {
  return await Promise.all(lines.map((place) => inProject(place, projectFolder)));
}

/** A file as typed, from the current folder or from the project's. */
async function inProject({ path: typed, line }: LinePlace, projectFolder: string): Promise<LinePlace> {
  for (const from of [process.cwd(), projectFolder]) {
    const full = path.resolve(from, typed);
    const stat = await fs.stat(full).catch(() => undefined);
    const inside = relativePath(projectFolder, full);
    if (stat?.isFile() === true && inside) return { path: inside, line };
  }
  throw usageError(t("There is no file {0} in the project folder {1}.", typed, projectFolder));
}

async function importsOf(entry: Entry, projectFolder: string): Promise<MassifRequest["lines"]> {
  if (entry.kind !== "script") return [];
  const source = await fs.readFile(path.join(projectFolder, entry.path), "utf8").catch(() => "");
  return importPlaces(entry.path, source, MASSIF_DEFAULTS.lines);
}

/** The heaviest lines of files that are as they were then: in others the numbers may mean other lines. */
async function heaviestOf(last: LastRun, projectFolder: string, tell: MassifContext["tell"]): Promise<LinePlace[]> {
  const checked = await Promise.all(
    last.profile.files.map(async (file) => ({ file, same: (await digest(projectFolder, file.path)) === file.sha256 })),
  );
  const lines = heaviestLines(
    { files: checked.flatMap(({ file, same }) => (same ? [file] : [])) },
    MASSIF_DEFAULTS.lines,
  );
  const changed = checked.flatMap(({ file, same }) => (same ? [] : [file.path]));
  if (changed.length > 0) {
    tell(
      t(
        "{0} changed since the last profile, so no line there is measured before and after. Name lines with --massif-line.",
        printable(changed.join(", ")),
      ),
    );
  }
  return lines;
}

async function digest(projectFolder: string, file: string): Promise<string | undefined> {
  const content = await fs.readFile(path.join(projectFolder, ...file.split("/"))).catch(() => undefined);
  return content && createHash("sha256").update(content).digest("hex");
}
