/**
 * The massif page in a tab: of a massif.out file, as a custom editor, or of all of a run's. Loaded on first need, as a
 * bundle of its own. Which files are read is the editor's choice alone; the page only names trees and lines of them.
 */
import { randomBytes } from "node:crypto";
import * as path from "node:path";
import * as vscode from "vscode";
import { type Place, readMassifPageState, readToMassifEditor, type ToMassifPage } from "../../protocol/massif.ts";
import type { LineStacks, MassifSource } from "../../protocol/server.ts";
import type { Ask } from "../ask.ts";
import { messageOf } from "../asUserError.ts";
import { coalesced } from "../coalesced.ts";
import { openBeside } from "../openBeside.ts";
import type { Report } from "../report.ts";
import type { RunsFolders } from "../runs/runsFolders.ts";
import type { ShownRun } from "../shownRun.ts";
import { massifHtml } from "./massifHtml.ts";
import { saveExport } from "./saveExport.ts";

export interface FlameViewParts {
  readonly context: Pick<vscode.ExtensionContext, "extensionUri">;
  readonly ask: Ask;
  readonly report: Report;
  readonly folders: RunsFolders;
  readonly shown: ShownRun;
}

/** Keeps the editor and the page in step. */
interface FlamePage {
  readonly panel: vscode.WebviewPanel;
  scopeTo(stacks: LineStacks): void;
}

const VIEW_TYPE = "jetsonMemprof.massifRun";
/** Checkpoints of a run that goes on come every few seconds, in several files at once. */
const SETTLE_MS = 1_000;
const SAID_MS = 5_000;

const runPages = new Map<string, FlamePage>();

/** Opens the flame view of a run, or brings the one that is open to the front; `scope` shows one line's stacks only. */
export function openRunFlameView(
  parts: FlameViewParts,
  folder: string,
  column: vscode.ViewColumn,
  scope?: LineStacks,
): void {
  const open = runPages.get(folder);
  if (open !== undefined) {
    open.panel.reveal(undefined, false);
    if (scope !== undefined) open.scopeTo(scope);
    return;
  }
  const panel = vscode.window.createWebviewPanel(VIEW_TYPE, "Massif Flame View", column);
  fillRunPanel(parts, panel, folder, scope);
}

/** Brings a run's flame view back after VS Code was closed; closes it where its run is not of this workspace. */
export function restoreRunFlameView(parts: FlameViewParts, panel: vscode.WebviewPanel, saved: unknown): void {
  const state = readMassifPageState(saved);
  // The state comes from a page: nothing but a run folder that the Memory Runs view lists is taken from it.
  if (state !== undefined && parts.folders.holds(state.source)) fillRunPanel(parts, panel, state.source);
  else panel.dispose();
}

/** Shows a massif.out file in the custom editor's tab. */
export function showMassifFile(parts: FlameViewParts, panel: vscode.WebviewPanel, uri: vscode.Uri): void {
  if (uri.scheme !== "file") {
    // Such as an older version in a comparison: the file on the disk is another one.
    panel.webview.html = "<p>Only a massif file on the disk can be shown. Save it to a folder and open it there.</p>";
    return;
  }
  fill(parts, panel, { kind: "file", path: uri.fsPath });
}

function fillRunPanel(
  parts: FlameViewParts,
  panel: vscode.WebviewPanel,
  folder: string,
  scope: LineStacks | undefined = undefined,
): void {
  const page = fill(parts, panel, { kind: "run", folder }, scope);
  runPages.set(folder, page);
  panel.onDidDispose(() => {
    if (runPages.get(folder) === page) runPages.delete(folder);
  });
}

function fill(
  parts: FlameViewParts,
  panel: vscode.WebviewPanel,
  source: MassifSource,
  firstScope: LineStacks | undefined = undefined,
): FlamePage {
  const { ask, report } = parts;
  const { webview } = panel;
  const dist = vscode.Uri.joinPath(parts.context.extensionUri, "dist");
  let pageReady = false;
  let waitingScope = firstScope;

  const post = (message: ToMassifPage): Thenable<boolean> => webview.postMessage(message);
  const sendDocument = async (): Promise<void> => {
    if (!pageReady) return;
    try {
      const document = await ask("jetsonMemprof/massifDocument", { source });
      if (source.kind === "run") panel.title = `Massif: ${document.title}`;
      const scope = waitingScope;
      waitingScope = undefined;
      await post({ kind: "document", document, ...(scope === undefined ? {} : scoped(scope)) });
    } catch (error) {
      await post({ kind: "unavailable", message: messageOf(error) });
    }
  };
  const changed = coalesced(SETTLE_MS, () => void sendDocument());
  const watcher = vscode.workspace.createFileSystemWatcher(watched(source));
  watcher.onDidChange(changed.call);
  watcher.onDidCreate(changed.call);
  watcher.onDidDelete(changed.call);

  const received = async (raw: unknown): Promise<void> => {
    const message = readToMassifEditor(raw);
    switch (message?.kind) {
      case "ready":
        pageReady = true;
        return sendDocument();
      case "tree": {
        const { request, ref } = message;
        const answer: ToMassifPage = await ask("jetsonMemprof/massifTree", { source, ref }).then(
          (tree) => ({ kind: "tree", request, tree }),
          (error: unknown) => ({ kind: "tree-failed", request, message: messageOf(error) }),
        );
        await post(answer);
        return;
      }
      case "goTo":
        return report.guard("Going to the line", () => goTo(parts, panel, source, message.place));
      case "copy":
        await vscode.env.clipboard.writeText(message.text);
        vscode.window.setStatusBarMessage("$(check) Copied to the clipboard.", SAID_MS);
        return;
      case "save":
        return report.guard("Saving the export", async () => {
          const saved = await saveExport(message, folderFor(source));
          if (saved !== undefined)
            vscode.window.setStatusBarMessage(`$(check) Saved ${path.basename(saved)}.`, SAID_MS);
        });
      default:
        return;
    }
  };
  webview.options = { enableScripts: true, localResourceRoots: [dist] };
  webview.onDidReceiveMessage((raw: unknown) => void received(raw));
  panel.onDidChangeViewState(() => {
    // A hidden page is thrown away by VS Code and says "ready" again when it is back.
    if (!panel.visible) pageReady = false;
  });
  panel.onDidDispose(() => {
    pageReady = false;
    changed.cancel();
    watcher.dispose();
  });
  webview.html = massifHtml({
    cspSource: webview.cspSource,
    nonce: randomBytes(18).toString("base64"),
    scriptUri: webview.asWebviewUri(vscode.Uri.joinPath(dist, "massif.js")).toString(),
    styleUri: webview.asWebviewUri(vscode.Uri.joinPath(dist, "massif.css")).toString(),
    source: source.kind === "run" ? source.folder : "",
  });
  return {
    panel,
    scopeTo(stacks) {
      waitingScope = stacks;
      void sendDocument();
    },
  };
}

function scoped({ path: file, line, file: process, snapshot }: LineStacks) {
  return { select: { kind: "snapshot", file: process, snapshot }, scope: { path: file, line } } as const;
}

function watched(source: MassifSource): vscode.RelativePattern {
  return source.kind === "run"
    ? new vscode.RelativePattern(vscode.Uri.file(source.folder), "{massif.*,run.json}")
    : new vscode.RelativePattern(vscode.Uri.file(path.dirname(source.path)), globText(path.basename(source.path)));
}

/** The name itself, where it holds characters that mean something in a pattern. */
function globText(name: string): string {
  return name.replace(/[[\]{}*?]/g, "[$&]");
}

function folderFor(source: MassifSource): string {
  return source.kind === "run" ? source.folder : path.dirname(source.path);
}

/** Beside the page, which keeps the keyboard: the next click or key is meant for it. */
async function goTo(
  parts: FlameViewParts,
  panel: vscode.WebviewPanel,
  source: MassifSource,
  place: Place,
): Promise<void> {
  if (place.path.startsWith("/")) {
    // A click on any Python frame comes here, and most of a library's are such: no message that must be closed.
    const text = `${place.path} lies on the board, outside the project.`;
    vscode.window.setStatusBarMessage(`$(info) ${text.replaceAll("$(", "$ (")}`, SAID_MS);
    return;
  }
  await openBeside(parts, panel, { folder: folderFor(source), ...place });
}
