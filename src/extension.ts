/** Activation: wiring only. */
import * as vscode from "vscode";
import type { JetsonMemprofExports } from "../docs/api/jetson-memprof.d.ts";
import { registerAgents } from "./editor/agents/registerAgents.ts";
import { registerEndings } from "./editor/board/ending/endingCommand.ts";
import { registerMemory } from "./editor/board/memory/registerMemory.ts";
import { registerCommands } from "./editor/commands.ts";
import { registerComparison } from "./editor/compare/compareCommand.ts";
import { createDecorator } from "./editor/lines/decorator.ts";
import { createServerLink, type ServerLink } from "./editor/link/serverLink.ts";
import { createLineMarks } from "./editor/massif/lineMarks.ts";
import { registerFlameViews } from "./editor/massif/registerFlameViews.ts";
import { createMetricSwitch } from "./editor/metric/metricSwitch.ts";
import { createReport } from "./editor/report/report.ts";
import { createActiveRuns } from "./editor/runs/followed/activeRuns.ts";
import { createFollowedRuns } from "./editor/runs/followed/followedRuns.ts";
import { createRunsFolders } from "./editor/runs/runsFolders.ts";
import { createShownRun } from "./editor/runs/shownRun.ts";
import { createRunsTree } from "./editor/runs/tree/runsTree.ts";
import type { Services } from "./editor/services.ts";
import { type ViewSettings, viewSettings } from "./editor/settings/settings.ts";
import { registerStart } from "./editor/start/registerStart.ts";
import { registerSweeps } from "./editor/sweep/sweepCommand.ts";
import { registerTimelineSerializer } from "./editor/timeline/timelinePanel.ts";
import { registerModels } from "./editor/torch/model/modelCommand.ts";
import { registerSnapshots } from "./editor/torch/snapshot/registerSnapshots.ts";
import { registerTraces } from "./editor/torch/trace/registerTraces.ts";
import { useLanguage } from "./words/language.ts";
import { t } from "./words/t.ts";

let link: ServerLink | undefined;

export function activate(context: vscode.ExtensionContext): JetsonMemprofExports {
  useLanguage(vscode.env.language, context.asAbsolutePath("dist"));
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
  const followed = createFollowedRuns(vscode.Uri.joinPath(context.globalStorageUri, "followed").fsPath);
  const folders = createRunsFolders(context.workspaceState);
  const elsewhere = (): readonly string[] => followed.left().taken;
  const tree = createRunsTree(ask, folders, shown, active, elsewhere, report, context.workspaceState);
  const marks = createLineMarks(context.workspaceState, vscode.Uri.joinPath(context.extensionUri, "media"), log);
  const services: Services = { context, log, report, ask, shown, active, followed, folders, tree, marks };
  context.subscriptions.push(
    log,
    serverLink,
    shown,
    active,
    followed,
    folders,
    tree,
    marks,
    createDecorator(ask, shown, active, settings, report),
    createMetricSwitch(shown, report),
    registerCommands(services),
    registerTimelineSerializer(services),
    registerFlameViews(services),
    registerSnapshots(services),
    registerTraces(services),
    registerMemory(services),
    registerEndings(services),
    registerModels(services),
    registerSweeps(services),
    registerComparison(services),
    registerStart(services),
    registerAgents(context),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("jetsonMemprof.codeLens")) serverLink.refreshCodeLenses();
    }),
  );
  void report.guard(t("Showing the last run again"), shown.restore);
  const followAgain = (): void =>
    void report.guard(t("Following the runs again"), async () => {
      const { free, taken } = followed.left();
      if ([...free, ...taken].some(folders.holds)) await (await import("./editor/onBoard.ts")).reattachLeft(services);
    });
  followAgain();
  context.subscriptions.push(vscode.workspace.onDidGrantWorkspaceTrust(followAgain));
  return { getApi: async (version) => (await import("./editor/api/publicApi.ts")).getApi(services, version) };
}

export async function deactivate(): Promise<void> {
  await link?.stop();
}
