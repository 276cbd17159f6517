/** "Export Run…": a run as a file for other programs and people. Loaded when it is first asked for. */
import * as path from "node:path";
import * as vscode from "vscode";
import { EXPORT_FORMAT_FACTS, EXPORT_FORMATS, type ExportFormat } from "../../profile/formats/exportFormats.ts";
import { METRIC_NAMES } from "../../profile/lines/metric.ts";
import type { Metric } from "../../profile/model.ts";
import { projectOfRun } from "../../profile/run/runsFolder.ts";
import type { RunSummary } from "../../protocol/server.ts";
import { say, sentences, t } from "../../words/t.ts";
import type { Actions } from "../report/report.ts";
import { chooseRun, type RunArgument } from "../runs/runCommands.ts";
import type { Services } from "../services.ts";

/** Formats that show one measure. */
const SINGLE: readonly ExportFormat[] = ["speedscope", "heapprofile"];

export async function exportRun(services: Services, argument: RunArgument): Promise<void> {
  const run = await chooseRun(services, argument, t("Export which run?"));
  const format = run && (await chooseFormat());
  if (run === undefined || format === undefined) return;
  const metric = SINGLE.includes(format) && run.metrics.length > 1 ? await chooseMetric(run.metrics) : "default";
  const file = metric && (await chooseFile(run, format));
  if (metric === undefined || file === undefined) return;
  const params = { folder: run.folder, format, file: file.fsPath, ...(metric === "default" ? {} : { metric }) };
  const title = t("Exporting as {0}", say(EXPORT_FORMAT_FACTS[format].name));
  const { notes } = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title },
    async () => await services.ask("jetsonMemprof/exportRun", params),
  );
  const saved = t("The export is in {0}.", file.fsPath);
  services.report.tell("information", sentences(saved, ...notes), opening(format, file));
}

async function chooseFormat(): Promise<ExportFormat | undefined> {
  const items = EXPORT_FORMATS.map((format) => {
    const { name, purpose, ending } = EXPORT_FORMAT_FACTS[format];
    return { label: say(name), description: ending, detail: say(purpose), format };
  });
  return (await vscode.window.showQuickPick(items, { title: t("Export as"), matchOnDetail: true }))?.format;
}

async function chooseMetric(metrics: readonly Metric[]): Promise<Metric | undefined> {
  const items = metrics.map((metric) => ({ label: METRIC_NAMES[metric], metric }));
  return (await vscode.window.showQuickPick(items, { title: t("Which memory? The format holds one.") }))?.metric;
}

async function chooseFile({ folder, id }: RunSummary, format: ExportFormat): Promise<vscode.Uri | undefined> {
  const { name, ending } = EXPORT_FORMAT_FACTS[format];
  return await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.file(path.join(projectOfRun(folder) ?? path.dirname(folder), `${id}${ending}`)),
    // The dialogue takes the last part of an ending only.
    filters: { [say(name)]: [ending.split(".").at(-1) ?? ""] },
    title: t("Export the run"),
  });
}

/** What opens the file: the browser, VS Code, or for a packed profile the folder that it is in. */
function opening(format: ExportFormat, file: vscode.Uri): Actions {
  const here = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
  const inEditor = { [t("Open")]: () => vscode.commands.executeCommand("vscode.open", file) };
  // A browser reads files of its own computer only.
  if (format === "html") return here ? { [t("Open in Browser")]: () => vscode.env.openExternal(file) } : inEditor;
  if (format !== "pprof") return inEditor;
  return here ? { [t("Show in Folder")]: () => vscode.commands.executeCommand("revealFileInOS", file) } : {};
}
