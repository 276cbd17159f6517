/** The page of a comparison, one for each two sides. */
import * as path from "node:path";
import * as vscode from "vscode";
import { isBelow } from "../../profile/files/relativePath.ts";
import {
  type CompareDocument,
  type ComparedFolders,
  readComparePageState,
  readToCompareEditor,
  type ToCompareEditor,
  type ToComparePage,
} from "../../protocol/compare.ts";
import { t } from "../../words/t.ts";
import { columnBeside, type OpenBesideParts } from "../page/openBeside.ts";
import { openPlace } from "../page/openPlace.ts";
import { hostPage, openPages } from "../page/pageHost.ts";
import { openPanel } from "../page/pageParts.ts";
import { messageOf } from "../report/asUserError.ts";
import type { Report } from "../report/report.ts";
import { compareHtml } from "./compareHtml.ts";

export interface ComparePanelParts extends OpenBesideParts {
  readonly context: Pick<vscode.ExtensionContext, "extensionUri" | "subscriptions">;
  readonly report: Report;
  readonly openFlameDifference: (folders: ComparedFolders) => Promise<void>;
}

const pages = openPages();
const keyOf = ({ before, after }: ComparedFolders): string => JSON.stringify([before, after]);

/** Opens the page of a comparison, or brings the one that is open to the front. */
export function openComparison(parts: ComparePanelParts, folders: ComparedFolders): void {
  if (pages.reveal(keyOf(folders)) !== undefined) return;
  fill(parts, openPanel("compare", t("Compare Runs"), vscode.ViewColumn.Active), folders);
}

/** Brings a page back after VS Code was closed; closes it where a run is not of this workspace. */
export function restoreComparison(parts: ComparePanelParts, panel: vscode.WebviewPanel, saved: unknown): void {
  const folders = readComparePageState(saved)?.folders;
  // The state comes from a page: nothing but run folders that the Memory Runs view lists is taken from it.
  const ours =
    folders !== undefined && [...folders.before, ...folders.after].every((each) => parts.folders.holds(each));
  if (ours) fill(parts, panel, folders);
  else panel.dispose();
}

function fill(parts: ComparePanelParts, panel: vscode.WebviewPanel, folders: ComparedFolders): void {
  const { ask, shown } = parts;

  const load = async (): Promise<ToComparePage> => {
    try {
      const document = await ask("jetsonMemprof/compare", { folders, metric: shown.wanted });
      page.setTitle(titleOf(document));
      return { kind: "comparison", document };
    } catch (error) {
      return { kind: "unavailable", message: messageOf(error) };
    }
  };
  const send = async (): Promise<void> => page.post(await load());
  const page = hostPage<ToComparePage, ToCompareEditor>(parts, panel, {
    name: "compare",
    doing: t("Comparing runs"),
    html: (bundle) => compareHtml({ ...bundle, folders }),
    read: readToCompareEditor,
    async received(message): Promise<void> {
      switch (message.kind) {
        case "ready":
          return send();
        case "goTo":
          return goTo(parts, panel, folders, message);
        case "swap": {
          const swapped = { before: folders.after, after: folders.before };
          openComparison(parts, swapped);
          panel.dispose();
          return showBesideLines(parts, swapped);
        }
        case "flame":
          return parts.openFlameDifference(folders);
      }
    },
    closed: () => changes.dispose(),
  });
  // Other figures may be wanted now.
  const changes = shown.onSwitched(() => {
    if (page.listens) page.guarded(send);
  });
  pages.add(keyOf(folders), page);
}

function titleOf({ before, after }: CompareDocument): string {
  if (before === undefined) return t("Repeats: {0}", after.name);
  return before.name === after.name ? t("Compare: {0}", after.name) : `${before.name} → ${after.name}`;
}

/** What changed stands beside the lines of the later run. */
export async function showBesideLines(
  { shown }: Pick<ComparePanelParts, "shown">,
  folders: ComparedFolders,
): Promise<void> {
  const [first] = folders.after;
  if (first !== undefined) await shown.show(first, folders.before.length === 0 ? undefined : folders);
}

/** A line of the later side opens in the project, with what changed beside it; one that is gone in the earlier source. */
async function goTo(
  parts: ComparePanelParts,
  panel: vscode.WebviewPanel,
  folders: ComparedFolders,
  { side, place }: Extract<ToCompareEditor, { kind: "goTo" }>,
): Promise<void> {
  const [folder] = folders[side];
  if (folder === undefined) return;
  const how = { viewColumn: columnBeside(panel), preserveFocus: true };
  if (side === "before") return openKeptSource(path.join(folder, "sources"), place, how);
  await openPlace(parts.ask, { folder, ...place }, how);
  const { compared } = parts.shown;
  if (compared === undefined || keyOf(compared) !== keyOf(folders)) await showBesideLines(parts, folders);
}

/** The project's file has the line no more: the copy that was kept with the run has. */
async function openKeptSource(
  sources: string,
  place: { readonly path: string; readonly line: number },
  how: vscode.TextDocumentShowOptions,
): Promise<void> {
  const file = path.resolve(sources, place.path);
  if (!isBelow(path.resolve(sources), file)) return;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
  const line = Math.min(place.line, document.lineCount) - 1;
  await vscode.window.showTextDocument(document, { ...how, selection: new vscode.Range(line, 0, line, 0) });
}
