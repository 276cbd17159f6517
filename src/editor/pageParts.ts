/** What a page is made of: its bundle in `dist/`, and what lets it run that and nothing else. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { PageParts } from "./pageHtml.ts";

/** @param name of the page's script and style */
export function preparePage(webview: vscode.Webview, extensionUri: vscode.Uri, name: string): PageParts {
  const dist = vscode.Uri.joinPath(extensionUri, "dist");
  const served = (file: string): string => webview.asWebviewUri(vscode.Uri.joinPath(dist, file)).toString();
  webview.options = { enableScripts: true, localResourceRoots: [dist] };
  return {
    cspSource: webview.cspSource,
    nonce: randomBytes(18).toString("base64"),
    scriptUri: served(`${name}.js`),
    styleUri: served(`${name}.css`),
  };
}
