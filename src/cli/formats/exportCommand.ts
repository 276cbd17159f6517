/** `export`: a run as a file for other programs and people. */
import * as path from "node:path";
import { exportRun } from "../../formats/exports/exportRun.ts";
import type { Exported } from "../../formats/exports/model.ts";
import { exportFileName, saveExport } from "../../formats/exports/saveExport.ts";
import { openRunFolder } from "../../profile/run/runFolder.ts";
import { printable, printableLines } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { findRun } from "../runs/runLookup.ts";
import type { Output } from "../terminal/output.ts";
import type { ExportCommand } from "./exportCommandLine.ts";

/** @throws UserError */
export async function exportToFile(command: ExportCommand, stdout: Output, stderr: Output): Promise<void> {
  const { format, metric } = command;
  if (command.out === "-" && format === "pprof" && stdout.isTerminal) {
    throw new UserError(
      "usage",
      t("A pprof profile is not text for a terminal."),
      t("Give a file with --out, or pipe it."),
    );
  }
  const folder = await findRun(command.run, path.resolve(command.project ?? "."));
  const reader = openRunFolder(folder);
  await reader.refresh();
  const exported = await exportRun(reader, format, metric === undefined ? {} : { metric });
  if (command.out === "-") await print(exported, stdout);
  else {
    const file = command.out ?? exportFileName(reader.profile().run, format);
    await saveExport(exported, file, folder);
    stdout.write(`${printable(file)}\n`);
  }
  for (const note of exported.notes) stderr.write(t("Note: {0}\n", printable(note)));
}

/** To a terminal without the signs that it would obey; anything else gets the file as it is. */
async function print({ content }: Exported, output: Output): Promise<void> {
  for (const piece of content) {
    output.write(output.isTerminal && typeof piece === "string" ? printableLines(piece) : piece);
    await output.flushed();
  }
}
