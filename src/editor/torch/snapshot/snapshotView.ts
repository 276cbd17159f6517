/**
 * The page of an allocator snapshot, as the custom editor of its file. Loaded on first need, as a bundle of its own. The
 * page only asks about moments and lines; which file is read is the editor's choice alone.
 */
import * as path from "node:path";
import * as vscode from "vscode";
import { isKind } from "../../../profile/files/places.ts";
import { relativePath } from "../../../profile/files/relativePath.ts";
import { projectOfRun } from "../../../profile/run/runsFolder.ts";
import {
  type Place,
  readToSnapshotEditor,
  type ToSnapshotEditor,
  type ToSnapshotPage,
} from "../../../protocol/torch/snapshot.ts";
import { t } from "../../../words/t.ts";
import type { Ask } from "../../link/ask.ts";
import { coalesced } from "../../link/coalesced.ts";
import { columnBeside, openBeside } from "../../page/openBeside.ts";
import { copyText, hostPage, type PageHostParts } from "../../page/pageHost.ts";
import { messageOf } from "../../report/asUserError.ts";
import { withoutIcons } from "../../report/plainText.ts";
import type { RunsFolders } from "../../runs/runsFolders.ts";
import type { ShownRun } from "../../runs/shownRun.ts";
import { pickOther } from "./pickSnapshot.ts";
import { snapshotHtml } from "./snapshotHtml.ts";
import { type WorkspaceFile, workspaceFile } from "./workspaceFile.ts";

export interface SnapshotViewParts extends PageHostParts {
  readonly ask: Ask;
  readonly folders: RunsFolders;
  readonly shown: ShownRun;
}

/** A checkpoint of a run that goes on takes the place of the one before it. */
const SETTLE_MS = 1_000;
const SAID_MS = 5_000;

export function showSnapshot(parts: SnapshotViewParts, panel: vscode.WebviewPanel, uri: vscode.Uri): void {
  if (uri.scheme !== "file") {
    // Such as an older version in a comparison: the file on the disk is another one.
    const why = t("Only a snapshot on the disk can be shown. Save it to a folder and open it there.");
    panel.webview.html = `<p>${why}</p>`;
    return;
  }
  const { ask, report } = parts;
  const file = uri.fsPath;
  /** What it is compared with. */
  let other: string | undefined;

  const documentOf = (path: string) => ask("jetsonMemprof/snapshotDocument", { path });
  /** It is the one that is compared with only once it could be read. */
  const compareWith = (path: string) =>
    report.guard(t("Comparing snapshots"), async () => {
      const document = await documentOf(path);
      other = path;
      await page.post({ kind: "other", document });
    });
  const sendDocument = async (): Promise<void> => {
    if (!page.listens) return;
    try {
      await page.post({ kind: "document", document: await documentOf(file) });
    } catch (error) {
      await page.post({ kind: "unavailable", message: messageOf(error) });
    }
    if (other !== undefined) await compareWith(other);
  };
  const page = hostPage<ToSnapshotPage, ToSnapshotEditor>(parts, panel, {
    name: "snapshot",
    doing: t("Showing the snapshot"),
    html: (bundle) => snapshotHtml({ ...bundle, source: file }),
    read: readToSnapshotEditor,
    async received(message): Promise<void> {
      switch (message.kind) {
        case "ready":
          return sendDocument();
        case "query": {
          const { request, query, of } = message;
          const path = of === "shown" ? file : other;
          if (path === undefined) {
            return page.post({
              kind: "failed",
              request,
              message: t("This snapshot is no longer compared with another."),
            });
          }
          const answer: ToSnapshotPage = await ask("jetsonMemprof/snapshotQuery", { path, query }).then(
            (found) => ({ kind: "answer", request, answer: found }),
            (error: unknown) => ({ kind: "failed", request, message: messageOf(error) }),
          );
          return page.post(answer);
        }
        case "find": {
          const found = await Promise.all(
            message.paths.map(async (wanted) => {
              const known = await fileOf(wanted, file);
              return known === undefined ? [] : [{ path: wanted, byName: known.byName }];
            }),
          );
          return page.post({ kind: "found", paths: found.flat() });
        }
        case "compare":
          return pickOther(file).then((chosen) => (chosen === undefined ? undefined : compareWith(chosen)));
        case "stopComparing":
          other = undefined;
          return;
        case "goTo":
          return report.guard(t("Going to the line"), () => goTo(parts, panel, file, message.place));
        case "copy":
          return copyText(message.text);
      }
    },
    closed() {
      changed.cancel();
      watcher.dispose();
    },
  });
  const changed = coalesced(SETTLE_MS, () => page.guarded(sendDocument));
  const name = path.basename(file).replace(/[[\]{}*?]/g, "[$&]");
  const watcher = vscode.workspace.createFileSystemWatcher(
    new vscode.RelativePattern(vscode.Uri.file(path.dirname(file)), name),
  );
  watcher.onDidChange(changed.call);
  watcher.onDidCreate(changed.call);
}

/** The file that a path of the snapshot means: of its run's project first, then of the workspace. */
function fileOf(wanted: string, snapshot: string): Promise<WorkspaceFile | undefined> {
  const project = projectOfRun(path.dirname(snapshot));
  const open = (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) =>
    uri.scheme === "file" ? [uri.fsPath] : [],
  );
  return workspaceFile(wanted, [...new Set([...(project === undefined ? [] : [project]), ...open])], (file) =>
    isKind(file, "file"),
  );
}

/** Beside the page, which keeps the keyboard: the next click or key is meant for it. */
async function goTo(
  parts: SnapshotViewParts,
  panel: vscode.WebviewPanel,
  snapshot: string,
  place: Place,
): Promise<void> {
  const file = (await fileOf(place.path, snapshot))?.file;
  if (file === undefined) {
    // Most frames of a library are such: no message that must be closed.
    const text = t("{0} is outside the workspace.", place.path);
    vscode.window.setStatusBarMessage(`$(info) ${withoutIcons(text)}`, SAID_MS);
    return;
  }
  const run = path.dirname(snapshot);
  const project = projectOfRun(run);
  const inProject = project === undefined ? undefined : relativePath(project, file);
  if (inProject && parts.folders.holds(run)) {
    // The run knows the source as it was then, and so where the line is now.
    await openBeside(parts, panel, { folder: run, path: inProject, line: place.line });
    return;
  }
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
  const line = Math.min(place.line, document.lineCount) - 1;
  const editor = await vscode.window.showTextDocument(document, {
    viewColumn: columnBeside(panel),
    preserveFocus: true,
    selection: new vscode.Range(line, 0, line, 0),
  });
  editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
