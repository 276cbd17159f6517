/** Every command by its id. What a command does lies elsewhere; an error is shown, never lost. */
import * as vscode from "vscode";
import { checkBoard } from "./board/doctorCommand.ts";
import { adviceStep, showEnding } from "./board/endingCommand.ts";
import { showBoardMemory } from "./board/registerMemory.ts";
import { watchMemory } from "./board/watchCommand.ts";
import { openMassifView, showNativeStacks, toggleMassifLine } from "./massif/massifCommands.ts";
import { chooseMetric, showNextMetric } from "./metric/metricSwitch.ts";
import { showModel } from "./model/modelCommand.ts";
import type { ActiveRun } from "./run/activeRuns.ts";
import { profileCommand, reconnectCommand } from "./run/profileCommand.ts";
import { takeSnapshot } from "./run/snapshotCommand.ts";
import { refuseForgotten } from "./runs/clickedRow.ts";
import {
  chooseRun,
  deleteRun,
  openLine,
  openRunFolder,
  type RunArgument,
  showRun,
  showTimeline,
} from "./runs/runCommands.ts";
import { openOutput } from "./runs/runOutput.ts";
import type { Services } from "./services.ts";
import { runSettings } from "./settings.ts";
import { openRunSnapshot, openSnapshot } from "./snapshot/registerSnapshots.ts";
import { selectTarget } from "./targets/targetPicker.ts";
import { openTrace } from "./trace/registerTraces.ts";

export function registerCommands(services: Services): vscode.Disposable {
  const { context, log, report, shown, folders, active, tree } = services;
  type Body = (...given: readonly unknown[]) => Promise<unknown>;
  const run = (id: string, doing: string, body: Body): vscode.Disposable =>
    vscode.commands.registerCommand(`jetsonMemprof.${id}`, (...given: unknown[]) =>
      report.guard(doing, () => body(...given)),
    );
  /** What is chosen on a row: never done with another run than the row's. */
  const onRow = (id: string, doing: string, body: Body): vscode.Disposable =>
    run(id, doing, async (...given) => {
      refuseForgotten(given);
      return body(...given);
    });
  // Rows come from our own view, folders from our own code lenses: VS Code hands back what it was given.
  const onRun = (id: string, doing: string, body: (services: Services, argument: RunArgument) => Promise<unknown>) =>
    onRow(id, doing, (argument) => body(services, argument as RunArgument));

  return vscode.Disposable.from(
    run("profile", "Profiling", (resource) => profileCommand(services, uriOf(resource), "settings")),
    run("profileMassif", "Profiling", (resource) => profileCommand(services, uriOf(resource), "massif")),
    run("profileModel", "Profiling", (resource) => profileCommand(services, uriOf(resource), "model")),
    run("profileWithOptions", "Profiling", (resource) => profileCommand(services, uriOf(resource), "ask")),
    run("selectTarget", "Choosing a target", async () => {
      const configuration = vscode.workspace.getConfiguration("jetsonMemprof");
      await selectTarget(context.workspaceState, log, runSettings((name) => configuration.get(name)).target);
    }),
    onRow("cancelRun", "Cancelling", async (row) => (await chooseActive(services, row))?.cancel()),
    onRow("takeSnapshot", "Taking a snapshot", async (row) => {
      const connected = await chooseActive(services, row);
      if (connected !== undefined) await takeSnapshot(connected, report);
    }),
    run("showOutput", "Showing the output", async (row) => {
      const connected = await chooseActive(services, row);
      if (connected !== undefined) return connected.showOutput();
      if (row === undefined && active.all().length > 0) return;
      const kept = await chooseRun(services, row as RunArgument, "Which run's output?");
      if (kept !== undefined) await openOutput(kept.folder, kept.title, report);
    }),
    run("runMenu", "Showing the run", () => runMenu(services)),
    run("chooseMetric", "Choosing the memory of lines", () => chooseMetric(services)),
    run("nextMetric", "Showing the next memory of lines", () => showNextMetric(services)),
    run("hideFigures", "Hiding the figures", () => shown.hide()),
    run("refreshRuns", "Refreshing the runs", async () => folders.changed()),
    onRun("showRun", "Showing a run", showRun),
    onRun("showTimeline", "Showing the timeline", showTimeline),
    run("watchMemory", "Watching a board's memory", (target) => watchMemory(services, target)),
    onRun("showBoardMemory", "Showing the board's memory", showBoardMemory),
    run("checkBoard", "Checking the board", (target) => checkBoard(services, target)),
    onRun("showEnding", "Showing why the run ended", showEnding),
    run("adviceStep", "Taking the advice", (step) => adviceStep(services, step)),
    onRun("showModel", "Showing the model account", showModel),
    onRun("openMassifView", "Opening the flame view", openMassifView),
    run("openTrace", "Opening the trace", (resource) => openTrace(uriOf(resource))),
    run("openSnapshot", "Opening the snapshot", (resource) => openSnapshot(uriOf(resource))),
    onRun("openRunSnapshot", "Opening the snapshot", openRunSnapshot),
    run("showNativeStacks", "Showing the native stacks", (place) => showNativeStacks(services, place)),
    run("toggleMassifLine", "Marking a line", (place) => toggleMassifLine(services, place)),
    run("clearMassifLines", "Removing the marks", () => services.marks.clear()),
    onRun("openRunFolder", "Opening the run folder", openRunFolder),
    onRun("deleteRun", "Deleting a run", deleteRun),
    run("openLine", "Going to the line", (place) => openLine(services, place)),
    onRun("showRunInTree", "Showing the run", async (_services, argument) => {
      const found = await chooseRun(services, argument, "Which run?");
      if (found !== undefined) await tree.reveal(found.folder);
    }),
    onRun("reconnectRun", "Reconnecting", async (_services, argument) => {
      const unfinished = await chooseRun(services, argument, "Reconnect to which run?", {
        fits: ({ state }) => state === "running",
        otherwise: "All runs have ended, so there is nothing to reconnect to.",
      });
      if (unfinished !== undefined) await reconnectCommand(services, unfinished);
    }),
  );
}

function uriOf(resource: unknown): vscode.Uri | undefined {
  return resource instanceof vscode.Uri ? resource : undefined;
}

/** The run of a row where this window is connected to it; without a row the only one there is, or the one asked for. */
async function chooseActive({ active }: Services, row: unknown): Promise<ActiveRun | undefined> {
  const runs = active.all();
  const folder = isRunRow(row) ? row.run.folder : undefined;
  if (folder !== undefined) return runs.find((run) => run.folder === folder);
  if (runs.length <= 1) return runs[0];
  const items = runs.map((run) => ({ label: run.title, run }));
  return (await vscode.window.showQuickPick(items, { title: "Which run?" }))?.run;
}

function isRunRow(row: unknown): row is { readonly run: { readonly folder: string } } {
  return typeof row === "object" && row !== null && "kind" in row && row.kind === "run" && "run" in row;
}

/** What the status bar's item offers. */
async function runMenu(services: Services): Promise<void> {
  const choices = [
    { label: "$(terminal) Show Output", act: (run: ActiveRun) => run.showOutput() },
    { label: "$(stop-circle) Cancel Run", act: (run: ActiveRun) => run.cancel() },
  ];
  const run = await chooseActive(services, undefined);
  if (run === undefined) return;
  const choice = await vscode.window.showQuickPick(choices, { title: run.title });
  choice?.act(run);
}
