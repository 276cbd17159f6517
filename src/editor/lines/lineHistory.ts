/** What a line took in the last runs of its script; the run that is chosen there is shown. */
import * as vscode from "vscode";
import { defined } from "../../profile/defined.ts";
import { fileName } from "../../profile/notebook.ts";
import { printable } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import type { LineOfRun } from "../../protocol/server.ts";
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
  const place = isDocumentLine(argument) ? asSent(argument) : placeOfCursor();
  const found = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: t("Reading the last runs…"), cancellable: true },
    async (_, token) => {
      const answer = ask("jetsonMemprof/lineHistory", place, token);
      return await answer.catch((error: unknown) => {
        if (!token.isCancellationRequested) throw error;
        return undefined;
      });
    },
  );
  if (found === undefined) return;
  if (found === null) {
    throw new UserError(
      "not-measured",
      t("The run that is shown has no figure of this line that could be compared."),
      t("Choose a line that has a figure beside it, of a run without massif."),
    );
  }
  const items = found.runs.map((one) => itemOf(one, quickItem(one.run, tree.context)));
  const chosen = await vscode.window.showQuickPick(items, {
    title: printable(`${fileName(found.path)}:${found.line}  ${found.text}`),
    placeHolder: t("The last runs of the script, newest first. Choose one to show its figures."),
    matchOnDescription: true,
  });
  if (chosen !== undefined) await shown.show(chosen.folder);
}

interface Item extends vscode.QuickPickItem {
  readonly folder: string;
}

/** The figure first: it is what is looked for. */
function itemOf({ run, figure, textThen }: LineOfRun, known: vscode.QuickPickItem): Item {
  return {
    label: withoutIcons(printable(figure)),
    description: [known.label, known.description].filter(Boolean).join(" · "),
    ...defined({ detail: textThen === undefined ? undefined : withoutIcons(t("The line was: {0}", textThen)) }),
    folder: run.folder,
  };
}

function isDocumentLine(argument: unknown): argument is { readonly uri: string; readonly line: number } {
  const place = argument as { readonly uri?: unknown; readonly line?: unknown } | null | undefined;
  return typeof place?.uri === "string" && Number.isInteger(place.line);
}

/** VS Code decodes a link's argument twice; the server knows the document by its URI as it was. */
function asSent({ uri, line }: { readonly uri: string; readonly line: number }) {
  return { uri: vscode.Uri.parse(uri).toString(), line };
}

function placeOfCursor(): { readonly uri: string; readonly line: number } {
  const { document, line } = cursorLine("file", "vscode-notebook-cell");
  return { uri: document.uri.toString(), line };
}
