/**
 * The massif page in a tab: of a massif.out file, as a custom editor, or of all of a run's. Loaded on first need, as a
 * bundle of its own. Which files are read is the editor's choice alone; the page only names trees and lines of them.
 */
import * as path from "node:path";
import * as vscode from "vscode";
import {
  type Place,
  readMassifPageState,
  readToMassifEditor,
  type ToMassifEditor,
  type ToMassifPage,
} from "../../protocol/massif/massif.ts";
import type { LineStacks, MassifSource } from "../../protocol/server.ts";
import { t } from "../../words/t.ts";
import type { Ask } from "../link/ask.ts";
import { coalesced } from "../link/coalesced.ts";
import { openBeside } from "../page/openBeside.ts";
import { copyText, hostPage, openPages, type PageHostParts } from "../page/pageHost.ts";
import { openPanel } from "../page/pageParts.ts";
import { messageOf } from "../report/asUserError.ts";
import { withoutIcons } from "../report/plainText.ts";
import type { RunsFolders } from "../runs/runsFolders.ts";
import type { ShownRun } from "../runs/shownRun.ts";
import { massifHtml } from "./massifHtml.ts";
import { saveExport } from "./saveExport.ts";

export interface FlameViewParts extends PageHostParts {
  readonly ask: Ask;
  readonly folders: RunsFolders;
  readonly shown: ShownRun;
}

/** Keeps the editor and the page in step. */
interface FlamePage {
  readonly panel: vscode.WebviewPanel;
  scopeTo(stacks: LineStacks): void;
}

/** Checkpoints of a run that goes on come every few seconds, in several files at once. */
const SETTLE_MS = 1_000;
const SAID_MS = 5_000;
/** What src/compare puts after the path of a line that the later sources do not have. */
const GONE = " (before)";

const runPages = openPages<FlamePage>();

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
  const panel = openPanel("massifRun", t("Flame View"), column);
  fillRunPanel(parts, panel, { kind: "run", folder }, scope);
}

/** Opens the flame graph of what changed from one run to another, or brings the one that is open to the front. */
export function openFlameDifference(
  parts: FlameViewParts,
  { before, after }: { readonly before: string; readonly after: string },
  column: vscode.ViewColumn,
): void {
  const source: MassifSource = { kind: "runs", before, after };
  const open = runPages.get(keyOf(source));
  if (open !== undefined) open.panel.reveal(undefined, false);
  else fillRunPanel(parts, openPanel("massifRun", t("Flame View"), column), source);
}

/** Brings a run's flame view back after VS Code was closed; closes it where its run is not of this workspace. */
export function restoreRunFlameView(parts: FlameViewParts, panel: vscode.WebviewPanel, saved: unknown): void {
  const state = readMassifPageState(saved);
  // The state comes from a page: nothing but a run folder that the Memory Runs view lists is taken from it.
  const folders = state?.source.split("\n") ?? [];
  const [first, second] = folders.every((folder) => parts.folders.holds(folder)) ? folders : [];
  if (first === undefined) panel.dispose();
  else if (second === undefined) fillRunPanel(parts, panel, { kind: "run", folder: first });
  else fillRunPanel(parts, panel, { kind: "runs", before: first, after: second });
}

/** Shows a massif.out file in the custom editor's tab. */
export function showMassifFile(parts: FlameViewParts, panel: vscode.WebviewPanel, uri: vscode.Uri): void {
  if (uri.scheme !== "file") {
    // Such as an older version in a comparison: the file on the disk is another one.
    const why = t("Only a massif file on the disk can be shown. Save it to a folder and open it there.");
    panel.webview.html = `<p>${why}</p>`;
    return;
  }
  fill(parts, panel, { kind: "file", path: uri.fsPath });
}

function fillRunPanel(
  parts: FlameViewParts,
  panel: vscode.WebviewPanel,
  source: MassifSource,
  scope: LineStacks | undefined = undefined,
): void {
  runPages.add(keyOf(source), fill(parts, panel, source, scope));
}

/** What a page hands back in its saved state: run folders, one a line. A file's tab is kept by VS Code itself. */
function keyOf(source: MassifSource): string {
  switch (source.kind) {
    case "run":
      return source.folder;
    case "runs":
      return `${source.before}\n${source.after}`;
    case "file":
      return "";
  }
}

function fill(
  parts: FlameViewParts,
  panel: vscode.WebviewPanel,
  source: MassifSource,
  firstScope: LineStacks | undefined = undefined,
): FlamePage {
  const { ask, report } = parts;
  let waitingScope = firstScope;

  const sendDocument = async (): Promise<void> => {
    if (!page.listens) return;
    try {
      const document = await ask("jetsonMemprof/massifDocument", { source });
      // A page that was hidden meanwhile asks again when it is back, and is told the scope then.
      if (!page.listens) return;
      if (source.kind !== "file") page.setTitle(t("Stacks: {0}", document.title));
      const scope = waitingScope;
      waitingScope = undefined;
      await page.post({ kind: "document", document, ...(scope === undefined ? {} : scoped(scope)) });
    } catch (error) {
      await page.post({ kind: "unavailable", message: messageOf(error) });
    }
  };
  const page = hostPage<ToMassifPage, ToMassifEditor>(parts, panel, {
    name: "massif",
    doing: t("Showing the native stacks"),
    html: (bundle) => massifHtml({ ...bundle, source: keyOf(source) }),
    read: readToMassifEditor,
    async received(message): Promise<void> {
      switch (message.kind) {
        case "ready":
          return sendDocument();
        case "tree": {
          const { request, ref } = message;
          const answer: ToMassifPage = await ask("jetsonMemprof/massifTree", { source, ref }).then(
            (tree) => ({ kind: "tree", request, tree }),
            (error: unknown) => ({ kind: "tree-failed", request, message: messageOf(error) }),
          );
          return page.post(answer);
        }
        case "goTo":
          return report.guard(t("Going to the line"), () => goTo(parts, panel, source, message.place));
        case "copy":
          return copyText(message.text);
        case "save":
          return report.guard(t("Saving the export"), async () => {
            const saved = await saveExport(message, folderFor(source));
            if (saved !== undefined)
              vscode.window.setStatusBarMessage(`$(check) ${t("Saved {0}.", path.basename(saved))}`, SAID_MS);
          });
      }
    },
    closed() {
      changed.cancel();
      watcher.dispose();
    },
  });
  const changed = coalesced(SETTLE_MS, () => page.guarded(sendDocument));
  const watcher = vscode.workspace.createFileSystemWatcher(watched(source));
  watcher.onDidChange(changed.call);
  watcher.onDidCreate(changed.call);
  watcher.onDidDelete(changed.call);
  return {
    panel,
    scopeTo(stacks) {
      waitingScope = stacks;
      page.guarded(sendDocument);
    },
  };
}

function scoped({ path: file, line, file: process, snapshot }: LineStacks) {
  return { select: { kind: "snapshot", file: process, snapshot }, scope: { path: file, line } } as const;
}

function watched(source: MassifSource): vscode.RelativePattern {
  return source.kind !== "file"
    ? new vscode.RelativePattern(vscode.Uri.file(folderFor(source)), "{massif.*,run.json}")
    : new vscode.RelativePattern(vscode.Uri.file(path.dirname(source.path)), globText(path.basename(source.path)));
}

/** The name itself, where it holds characters that mean something in a pattern. */
function globText(name: string): string {
  return name.replace(/[[\]{}*?]/g, "[$&]");
}

/** Of two runs the later one, whose sources the lines are of. */
function folderFor(source: MassifSource): string {
  switch (source.kind) {
    case "run":
      return source.folder;
    case "runs":
      return source.after;
    case "file":
      return path.dirname(source.path);
  }
}

/** Why a frame's line is in no file of the project. */
function placeNowhere({ path: file }: Place): string | undefined {
  if (file.startsWith("/")) return t("{0} is on the board, outside the project.", file);
  if (!file.endsWith(GONE)) return undefined;
  return t("This line of {0} is in the earlier run only.", file.slice(0, -GONE.length));
}

/** Beside the page, which keeps the keyboard: the next click or key is meant for it. */
async function goTo(
  parts: FlameViewParts,
  panel: vscode.WebviewPanel,
  source: MassifSource,
  place: Place,
): Promise<void> {
  const nowhere = placeNowhere(place);
  if (nowhere !== undefined) {
    // A click on any Python frame comes here, and most of a library's are such: no message that must be closed.
    vscode.window.setStatusBarMessage(`$(info) ${withoutIcons(nowhere)}`, SAID_MS);
    return;
  }
  await openBeside(parts, panel, { folder: folderFor(source), ...place });
}
