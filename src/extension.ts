/** Activation: wiring only. */
import * as vscode from "vscode";
import { registerEndings } from "./editor/board/endingCommand.ts";
import { registerMemory } from "./editor/board/registerMemory.ts";
import { registerCommands } from "./editor/commands.ts";
import { createDecorator } from "./editor/decorations/decorator.ts";
import { createServerLink, type ServerLink } from "./editor/link/serverLink.ts";
import { createLineMarks } from "./editor/massif/lineMarks.ts";
import { registerFlameViews } from "./editor/massif/registerFlameViews.ts";
import { createMetricSwitch } from "./editor/metric/metricSwitch.ts";
import { registerModels } from "./editor/model/modelCommand.ts";
import { createReport } from "./editor/report.ts";
import { createActiveRuns } from "./editor/run/activeRuns.ts";
import { createRunsFolders } from "./editor/runs/runsFolders.ts";
import { createRunsTree } from "./editor/runs/runsTree.ts";
import type { Services } from "./editor/services.ts";
import { type ViewSettings, viewSettings } from "./editor/settings.ts";
import { createShownRun } from "./editor/shownRun.ts";
import { registerSnapshots } from "./editor/snapshot/registerSnapshots.ts";
import { registerTimelineSerializer } from "./editor/timelinePanel.ts";
import { registerTraces } from "./editor/trace/registerTraces.ts";

let link: ServerLink | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Jetson Memory Profiler", { log: true });
  const settings = (): ViewSettings => {
    const configuration = vscode.workspace.getConfiguration("jetsonMemprof");
    return viewSettings((name) => configuration.get(name));
  };
  const report = createReport(log);
  const serverLink = createServerLink(context.asAbsolutePath("dist/server.cjs"), log, () => settings().codeLens);
  link = serverLink;
  const { ask } = serverLink;
  const shown = createShownRun(serverLink, context.workspaceState, settings, log);
  const active = createActiveRuns();
  const folders = createRunsFolders(context.workspaceState);
  const tree = createRunsTree(ask, folders, shown, active, report);
  const marks = createLineMarks(context.workspaceState, vscode.Uri.joinPath(context.extensionUri, "media"));
  const services: Services = { context, log, report, ask, shown, active, folders, tree, marks };
  context.subscriptions.push(
    log,
    serverLink,
    shown,
    active,
    folders,
    tree,
    marks,
    createDecorator(ask, shown, settings, report),
    createMetricSwitch(shown, report),
    registerCommands(services),
    registerTimelineSerializer(context, ask, folders),
    registerFlameViews(services),
    registerSnapshots(services),
    registerTraces(services),
    registerMemory(services),
    registerEndings(services),
    registerModels(services),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("jetsonMemprof.codeLens")) serverLink.refreshCodeLenses();
    }),
  );
  void report.guard("Showing the last run again", shown.restore);
}

export async function deactivate(): Promise<void> {
  await link?.stop();
}
