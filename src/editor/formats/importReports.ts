/** "Import Memory Report…": files of other tools become runs of the project; loaded on first need. */
import * as path from "node:path";
import * as vscode from "vscode";
import { FORMAT_NAMES } from "../../formats/imports/formatNames.ts";
import { defined } from "../../profile/defined.ts";
import { IMPORT_FORMATS, type ImportFormat } from "../../profile/model.ts";
import { UserError } from "../../profile/userError.ts";
import type { ImportAnswer, ServerRequests } from "../../protocol/server.ts";
import { say, t } from "../../words/t.ts";
import { runCommand } from "../ourCommands.ts";
import type { Report } from "../report/report.ts";
import type { Services } from "../services.ts";

type Parts = Pick<Services, "ask" | "folders" | "report" | "shown">;
type Request = ServerRequests["jetsonMemprof/importFile"]["params"];
type Imported = Extract<ImportAnswer, { readonly kind: "imported" }>;

/** @param chosen files of the Explorer; without any the user is asked */
export async function importReports(parts: Parts, chosen: readonly vscode.Uri[]): Promise<void> {
  const files = chosen.length > 0 ? chosen : await askForFiles();
  const project = files[0] && (await projectOf(files[0]));
  if (project === undefined) return;
  const paths = files.map(({ fsPath }) => fsPath);
  const last = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: t("Importing…"), cancellable: true },
    (progress, token) => importAll(parts, paths, project, (message) => progress.report({ message }), token),
  );
  if (last !== undefined) await show(parts.shown, last);
}

/** @returns the last run that was made */
async function importAll(
  { ask, folders, report }: Parts,
  files: readonly string[],
  project: string,
  progress: (message: string) => void,
  token: vscode.CancellationToken,
): Promise<Imported | undefined> {
  let last: Imported | undefined;
  for (const [position, file] of files.entries()) {
    if (token.isCancellationRequested) break;
    const name = path.basename(file);
    progress(files.length === 1 ? name : t("{0} ({1} of {2})", name, position + 1, files.length));
    // One that cannot be imported does not keep the others from it.
    await report.guard(t("Importing {0}", name), async () => {
      const imported = await importOne((request) => asked(ask, request, token), { file, project });
      if (imported === undefined) return;
      folders.changed();
      tell(report, imported);
      last = imported;
    });
  }
  return last;
}

async function asked(ask: Services["ask"], request: Request, token: vscode.CancellationToken): Promise<ImportAnswer> {
  try {
    return await ask("jetsonMemprof/importFile", request, token);
  } catch (error) {
    throw token.isCancellationRequested ? new vscode.CancellationError() : error;
  }
}

/** Asks the user for what the server needs, until there is a run; undefined where the user declined. */
async function importOne(
  send: (request: Request) => Promise<ImportAnswer>,
  request: Request,
): Promise<Imported | undefined> {
  const answer = await send(request);
  switch (answer.kind) {
    case "imported":
      return answer;
    case "needs-format": {
      const format = await askForFormat(path.basename(request.file));
      return format && (await importOne(send, { ...request, format }));
    }
    case "needs-file": {
      const source = (await askForSource(path.basename(request.file), request.project)) ?? null;
      return await importOne(send, { ...request, format: answer.format, source });
    }
  }
}

async function askForFiles(): Promise<readonly vscode.Uri[]> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const files = await vscode.window.showOpenDialog({
    title: t("Import Memory Report: Reports, logs and profiles of other tools"),
    openLabel: t("Import"),
    canSelectMany: true,
    ...defined({ defaultUri: folder }),
  });
  return files ?? [];
}

/** The folder of the workspace that the file lies in, or the only one, or the one that the user chooses. */
async function projectOf(file: vscode.Uri): Promise<string | undefined> {
  const around = vscode.workspace.getWorkspaceFolder(file);
  const all = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  if (all.length === 0) {
    throw new UserError(
      "no-project",
      t("There is no folder open to keep the imported run in."),
      t("Open the folder with the sources that were measured, then import the file again."),
    );
  }
  if (around?.uri.scheme === "file") return around.uri.fsPath;
  if (all.length === 1) return all[0]?.uri.fsPath;
  const picked = await vscode.window.showWorkspaceFolderPick({ placeHolder: t("Which project was measured?") });
  return picked?.uri.fsPath;
}

async function askForFormat(name: string): Promise<ImportFormat | undefined> {
  const items = IMPORT_FORMATS.map((format) => ({ label: say(FORMAT_NAMES[format]), format }));
  const picked = await vscode.window.showQuickPick<{ label: string; format: ImportFormat }>(items, {
    title: t("Which tool wrote {0}?", name),
    placeHolder: t("Its content matches no tool that is known"),
  });
  return picked?.format;
}

/** The project's file that the figures belong to; undefined: nobody knows. */
async function askForSource(report: string, project: string): Promise<string | undefined> {
  const open = vscode.workspace.textDocuments
    .filter(({ languageId, uri }) => languageId === "python" && uri.scheme === "file")
    .map(({ uri }) => ({ label: path.relative(project, uri.fsPath), file: uri.fsPath }))
    .filter(({ label }) => !label.startsWith("..") && !path.isAbsolute(label));
  const other = { label: t("Choose a file…"), file: undefined };
  const picked = await vscode.window.showQuickPick<{ label: string; file: string | undefined }>([...open, other], {
    title: t("Which source was measured? {0} does not say.", report),
    placeHolder: t("Press Escape if you do not know; the figures are kept without it"),
  });
  if (picked === undefined || picked.file !== undefined) return picked?.file;
  const [chosen] =
    (await vscode.window.showOpenDialog({
      title: t("Which source was measured?"),
      openLabel: t("Choose"),
      defaultUri: vscode.Uri.file(project),
      filters: { Python: ["py"] },
    })) ?? [];
  return chosen?.fsPath;
}

function tell(report: Report, { said, views, folder }: Imported): void {
  report.tell("information", said, {
    ...(views.includes("timeline")
      ? { [t("Show Timeline")]: () => runCommand("jetsonMemprof.showTimeline", folder) }
      : {}),
    [t("Show in Memory Runs")]: () => runCommand("jetsonMemprof.showRunInTree", folder),
  });
}

/** Figures beside the lines, stacks, or nothing but a timeline, which takes no other run's place. */
async function show(shown: Services["shown"], { views, folder }: Imported): Promise<void> {
  if (views.length === 1 && views[0] === "timeline") {
    await runCommand("jetsonMemprof.showTimeline", folder);
    return;
  }
  await shown.show(folder);
  if (views.includes("stacks")) await runCommand("jetsonMemprof.openMassifView", folder);
}
