/** torch.profiler traces in the timeline page: as the editor of such a file, and opened by a command. */
import * as path from "node:path";
import * as vscode from "vscode";
import { defined } from "../../../profile/defined.ts";
import { readToEditor, type ToEditor, type ToPage } from "../../../protocol/timeline.ts";
import { t } from "../../../words/t.ts";
import { hostPage } from "../../page/pageHost.ts";
import { PAGE_OPTIONS } from "../../page/pageParts.ts";
import { messageOf } from "../../report/asUserError.ts";
import type { Services } from "../../services.ts";
import { traceHtml } from "../../timeline/timelineHtml.ts";

const VIEW_TYPE = "jetsonMemprof.trace";

type TraceParts = Pick<Services, "context" | "ask" | "report">;

export function registerTraces(parts: TraceParts): vscode.Disposable {
  const files: vscode.CustomReadonlyEditorProvider = {
    openCustomDocument: (uri) => ({ uri, dispose: () => {} }),
    resolveCustomEditor({ uri }, panel) {
      if (uri.scheme === "file") fill(parts, panel, uri.fsPath);
      else
        panel.webview.html = `<p>${t("Only a trace on the disk can be shown. Save it to a folder and open it there.")}</p>`;
    },
  };
  return vscode.window.registerCustomEditorProvider(VIEW_TYPE, files, {
    supportsMultipleEditorsPerDocument: true,
    webviewOptions: PAGE_OPTIONS,
  });
}

/** @param resource a file of the Explorer; without one the user picks it */
export async function openTrace(resource: vscode.Uri | undefined): Promise<void> {
  const file = resource ?? (await pickFile());
  if (file !== undefined) await vscode.commands.executeCommand("vscode.openWith", file, VIEW_TYPE);
}

async function pickFile(): Promise<vscode.Uri | undefined> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const picked = await vscode.window.showOpenDialog({
    title: t("Open a PyTorch Profiler Trace"),
    openLabel: t("Open Trace"),
    filters: { [t("Traces")]: ["json", "gz"], [t("All files")]: ["*"] },
    ...defined({ defaultUri: folder?.uri }),
  });
  return picked?.[0];
}

function fill({ ask, ...parts }: TraceParts, panel: vscode.WebviewPanel, file: string): void {
  // Read once: a trace of hundreds of MiB takes seconds, and is never added to.
  let reading: Promise<ToPage> | undefined;
  const read = (): Promise<ToPage> =>
    ask("jetsonMemprof/trace", { path: file }).catch((error: unknown) => {
      reading = undefined;
      return { kind: "unavailable", message: messageOf(error) };
    });
  const page = hostPage<ToPage, ToEditor>(parts, panel, {
    name: "timeline",
    doing: t("Showing the trace"),
    html: (bundle) => traceHtml({ ...bundle, folder: file }),
    read: readToEditor,
    async received(message): Promise<void> {
      if (message.kind !== "ready") return;
      reading ??= read();
      await page.post(await reading);
    },
  });
  page.setTitle(path.basename(file));
}
