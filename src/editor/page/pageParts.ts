/** What a page is made of: its bundle in `dist/`, and what lets it run that and nothing else. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { defined } from "../../profile/defined.ts";
import { wordsScript } from "../../words/storedWords.ts";
import { wordsHolder } from "../../words/wordsHolder.ts";
import type { PageName } from "../contributions/pages.ts";
import type { PageParts } from "./pageHtml.ts";

/** Of every page: its text can be searched with VS Code's own keys. */
export const PAGE_OPTIONS: vscode.WebviewPanelOptions = { enableFindWidget: true };

/** A new panel for a page. */
export function openPanel(page: PageName, title: string, column: vscode.ViewColumn): vscode.WebviewPanel {
  return vscode.window.createWebviewPanel(`jetsonMemprof.${page}`, title, column, PAGE_OPTIONS);
}

/** @param name of the page's script and style */
export function preparePage(webview: vscode.Webview, extensionUri: vscode.Uri, name: string): PageParts {
  const dist = vscode.Uri.joinPath(extensionUri, "dist");
  const served = (file: string): string => webview.asWebviewUri(vscode.Uri.joinPath(dist, file)).toString();
  const { jetsonMemprofWords: words } = wordsHolder;
  webview.options = { enableScripts: true, localResourceRoots: [dist] };
  return {
    cspSource: webview.cspSource,
    nonce: randomBytes(18).toString("base64"),
    scriptUri: served(`${name}.js`),
    styleUri: served(`${name}.css`),
    ...defined({ words: words === undefined ? undefined : wordsScript(words) }),
  };
}
