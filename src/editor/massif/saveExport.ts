/** Writes what the flame view exports where the user wants it. */
import * as path from "node:path";
import * as vscode from "vscode";
import { projectOfRun } from "../../profile/run/runsFolder.ts";
import type { ToMassifEditor } from "../../protocol/massif/massif.ts";
import { t } from "../../words/t.ts";
import { exportName } from "./exportName.ts";

type Save = Extract<ToMassifEditor, { kind: "save" }>;

const filters = (): Readonly<Record<Save["format"], Record<string, string[]>>> => ({
  svg: { [t("SVG picture")]: ["svg"] },
  png: { [t("PNG picture")]: ["png"] },
  folded: { [t("Folded stacks")]: ["folded", "txt"] },
  speedscope: { [t("Speedscope profile")]: ["json"] },
  heapprofile: { [t("Heap profile")]: ["heapprofile"] },
});

/**
 * @param shownFrom folder of what is shown; a run's exports are offered to its project instead
 * @returns the file, or undefined when the user declined
 */
export async function saveExport({ format, name, content }: Save, shownFrom: string): Promise<string | undefined> {
  const folder = projectOfRun(shownFrom) ?? shownFrom;
  const uri = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.file(path.join(folder, exportName(name))),
    filters: filters()[format],
    title: t("Save the flame graph"),
  });
  if (uri === undefined) return undefined;
  await vscode.workspace.fs.writeFile(uri, Buffer.from(content, format === "png" ? "base64" : "utf8"));
  return uri.fsPath;
}
