/** The whole glossary, as Markdown is shown: a document that is made here, as the package brings no files of docs. */
import * as vscode from "vscode";
import { glossaryAlone } from "../../profile/text/glossaryDocument.ts";
import { t } from "../../words/t.ts";

const SCHEME = "jetson-memprof-glossary";

let provided: vscode.Disposable | undefined;

export async function openGlossary(subscriptions: vscode.Disposable[]): Promise<void> {
  if (provided === undefined) {
    provided = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      provideTextDocumentContent: () => glossaryAlone(),
    });
    subscriptions.push(provided);
  }
  await vscode.commands.executeCommand(
    "markdown.showPreview",
    vscode.Uri.from({ scheme: SCHEME, path: `/${t("Glossary")}.md` }),
  );
}
