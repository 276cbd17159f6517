/** Writes an export where it is wanted. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { relativePath } from "../../profile/files/relativePath.ts";
import { EXPORT_FORMAT_FACTS, type ExportFormat } from "../../profile/formats/exportFormats.ts";
import type { RunInfo } from "../../profile/model.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import type { Exported } from "./model.ts";

/** The name that is offered: the run's own, with the format's ending. */
export function exportFileName({ id }: Pick<RunInfo, "id">, format: ExportFormat): string {
  return `${id}${EXPORT_FORMAT_FACTS[format].ending}`;
}

/**
 * What is there before is replaced only when all has been written; a link stays one, and so does a device or a pipe.
 * @param runFolder what must not be written into: a run's files are its record
 * @throws UserError `not-written`
 */
export async function saveExport(exported: Exported, file: string, runFolder: string): Promise<void> {
  const place = await fs.realpath(file).catch(() => path.resolve(file));
  const folder = await fs.realpath(path.dirname(place)).catch(() => path.dirname(place));
  const run = await fs.realpath(runFolder).catch(() => runFolder);
  if (relativePath(run, folder) !== undefined) {
    throw new UserError(
      "not-written",
      t("{0} is in the run's own folder, which holds its record.", file),
      t("Choose another folder."),
    );
  }
  try {
    const there = await fs.stat(place).catch(() => undefined);
    if (there === undefined || there.isFile()) await replace(place, exported.content);
    else await fs.writeFile(place, exported.content);
  } catch (error) {
    throw new UserError(
      "not-written",
      t("The export could not be written: {0}.", (error as Error).message),
      t("Check that the folder exists and that you may write there."),
    );
  }
}

async function replace(place: string, content: Exported["content"]): Promise<void> {
  const fresh = `${place}.${process.pid}.new`;
  try {
    await fs.writeFile(fresh, content, { flag: "wx" });
    await fs.rename(fresh, place);
  } catch (error) {
    await fs.rm(fresh, { force: true });
    throw error;
  }
}
