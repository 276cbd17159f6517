/** What a line took in the last runs of its script; the run that is chosen there is shown. */
import * as vscode from "vscode";
import { fileName } from "../../profile/notebook.ts";
import { printable } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import type { LineHistory, LineOfRun } from "../../protocol/server.ts";
import { t } from "../../words/t.ts";
import { withoutIcons } from "../report/plainText.ts";
import { quickItem } from "../runs/tree/runItems.ts";
import type { Services } from "../services.ts";
import { cursorLine } from "./cursorLine.ts";

/** @param argument a hover's `{ uri, line }` (1-based); anything else stands for the cursor's line */
export async function showLineHistory(services: Services, argument: unknown): Promise<void> {
  const { ask, shown, tree } = services;
  if (shown.current === undefined)
    throw new UserError("no-run", t("No run is shown beside the lines."), t("Choose one in Memory Runs."));
  const place = isDocumentLine(argument) ? argument : placeOfCursor();
  const progress = { location: vscode.ProgressLocation.Window, title: t("Reading the last runs…") };
  const found = await vscode.window.withProgress(progress, () => ask("jetsonMemprof/lineHistory", place));
  if (found === null) {
    throw new UserError(
      "not-measured",
      t("The run that is shown did not measure this line, or did not keep its text."),
      t("Choose a line that has a figure beside it."),
    );
  }
  const items = found.runs.map((one) => itemOf(one, quickItem(one.run, tree.context)));
  const chosen = await vscode.window.showQuickPick(items, {
    title: titleOf(found),
    placeHolder: t("The last runs of the script, newest first. Choose one to show its figures."),
    matchOnDescription: true,
  });
  if (chosen !== undefined) await shown.show(chosen.folder);
}

interface Item extends vscode.QuickPickItem {
  readonly folder: string;
}

/** The figure first: it is what is looked for. */
function itemOf({ run, figure, changed }: LineOfRun, known: vscode.QuickPickItem): Item {
  const text = changed ? t("{0} (line changed since)", figure) : figure;
  return {
    label: withoutIcons(printable(text)),
    description: [known.label, known.description].filter(Boolean).join(" · "),
    folder: run.folder,
  };
}

function titleOf({ path, line, text }: LineHistory): string {
  return printable(`${fileName(path)}:${line}  ${text}`);
}

function isDocumentLine(argument: unknown): argument is { readonly uri: string; readonly line: number } {
  const place = argument as { readonly uri?: unknown; readonly line?: unknown } | null | undefined;
  return typeof place?.uri === "string" && Number.isInteger(place.line);
}

function placeOfCursor(): { readonly uri: string; readonly line: number } {
  const { document, line } = cursorLine("file", "vscode-notebook-cell");
  return { uri: document.uri.toString(), line };
}
