/** Every command by its id. What a command does lies elsewhere; an error is shown, never lost. */
import * as vscode from "vscode";
import { t } from "../words/t.ts";
import { adviceStep, showEnding } from "./board/ending/endingCommand.ts";
import { showBoardMemory } from "./board/memory/registerMemory.ts";
import { compareCommand } from "./compare/compareCommand.ts";
import { importCommand } from "./formats/importCommand.ts";
import { readLine } from "./lines/readLine.ts";
import { openMassifView, showNativeStacks, toggleMassifLine } from "./massif/massifCommands.ts";
import { chooseMetric, showNextMetric } from "./metric/metricSwitch.ts";
import type { Manner } from "./run/profileCommand.ts";
import type { ActiveRun } from "./runs/followed/activeRuns.ts";
import type { historyActions } from "./runs/history/historyActions.ts";
import {
  chooseRun,
  openLine,
  openRunFolder,
  type RunArgument,
  showFigures,
  showRun,
  showTimeline,
} from "./runs/runCommands.ts";
import { openOutput } from "./runs/runOutput.ts";
import { isForgotten, refuseForgotten } from "./runs/tree/clickedRow.ts";
import type { Services } from "./services.ts";
import { runSettings } from "./settings/settings.ts";
import { sweepCommand } from "./sweep/sweepCommand.ts";
import { showModel } from "./torch/model/modelCommand.ts";
import { openRunSnapshot, openSnapshot } from "./torch/snapshot/registerSnapshots.ts";
import { openTrace } from "./torch/trace/registerTraces.ts";

const onBoard = () => import("./onBoard.ts");
const firstSteps = () => import("./start/firstSteps.ts");

export function registerCommands(services: Services): vscode.Disposable {
  const { context, report, shown, folders, active, tree } = services;
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
    // From an editor's menu comes the editor's file, which is no run: there the shown one is meant.
    onRow(id, doing, (argument) =>
      body(services, uriOf(argument) === undefined ? (argument as RunArgument) : undefined),
    );

  const history =
    (action: keyof typeof historyActions): Body =>
    async (row, selected) =>
      (await import("./runs/history/runHistory.ts")).historyActions[action](services, row, selected);

  const profile =
    (manner: Manner): Body =>
    async (resource) =>
      (await onBoard()).profileCommand(services, uriOf(resource), manner);

  return vscode.Disposable.from(
    run("profile", t("Profiling"), profile("settings")),
    run("profileMassif", t("Profiling"), profile("massif")),
    run("profileModel", t("Profiling"), profile("model")),
    run("profileWithOptions", t("Profiling"), profile("ask")),
    run("profileAgain", t("Profiling"), async () => (await onBoard()).profileAgain(services)),
    run("profileRepeatedly", t("Profiling"), (resource) => compareCommand(services, "repeats", resource)),
    run("selectTarget", t("Choosing a target"), async () => {
      const configuration = vscode.workspace.getConfiguration("jetsonMemprof");
      await (await onBoard()).selectTarget(services, runSettings((name) => configuration.get(name)).target);
    }),
    run("choosePython", t("Choosing a Python"), async (wish) => (await onBoard()).choosePython(services, wish)),
    run("verifyKey", t("Verifying the key"), async (target) => (await onBoard()).verifyKey(services, target)),
    run("createSample", t("Creating the sample project"), async () => (await firstSteps()).createSample(services)),
    onRun("showHeaviestLine", t("Going to the heaviest line"), async (all, row) =>
      (await firstSteps()).showHeaviestLine(all, row),
    ),
    onRow("cancelRun", t("Cancelling"), async (row) => (await chooseActive(services, row))?.cancel()),
    onRow("takeSnapshot", t("Taking a snapshot"), async (row) => {
      const connected = await chooseActive(services, row);
      if (connected !== undefined) await (await onBoard()).takeSnapshot(connected, report);
    }),
    run("showOutput", t("Showing the output"), async (...given) => {
      const [row] = given;
      // The view's title offers it too: without a row that has the focus that looks like one that is forgotten.
      const connected = isForgotten(given) ? undefined : await chooseActive(services, row);
      if (connected !== undefined) return connected.showOutput();
      if (given.length === 0 && active.all().length > 0) return;
      const chosen = await chooseRun(services, row as RunArgument, t("Which run's output?"));
      if (chosen === undefined) return;
      const followed = active.find(chosen.folder);
      return followed === undefined ? openOutput(chosen.folder, chosen.title, report) : followed.showOutput();
    }),
    run("runMenu", t("Showing the run"), () => runMenu(services)),
    run("chooseMetric", t("Choosing the memory of lines"), () => chooseMetric(services)),
    run("nextMetric", t("Showing the next memory of lines"), () => showNextMetric(services)),
    run("readLine", t("Reading the memory of a line"), () => readLine(services)),
    run("showLineHistory", t("Reading the last runs"), async (place) =>
      (await import("./lines/lineHistory.ts")).showLineHistory(services, place),
    ),
    run("showFigures", t("Showing the figures"), () => showFigures(services)),
    run("hideFigures", t("Hiding the figures"), () => shown.hide()),
    run("refreshRuns", t("Refreshing the runs"), async () => {
      tree.refresh();
      folders.changed();
    }),
    onRun("showRun", t("Showing a run"), showRun),
    onRun("showTimeline", t("Showing the timeline"), showTimeline),
    run("watchMemory", t("Watching a board's memory"), async (target) =>
      (await onBoard()).watchMemory(services, target),
    ),
    onRun("showBoardMemory", t("Showing the board's memory"), showBoardMemory),
    run("checkBoard", t("Checking the board"), async (target) => (await onBoard()).checkBoard(services, target)),
    onRun("showEnding", t("Showing why the run ended"), showEnding),
    run("adviceStep", t("Taking the advice"), (step) => adviceStep(services, step)),
    onRun("showModel", t("Showing the model account"), showModel),
    onRun("openMassifView", t("Opening the flame view"), openMassifView),
    run("openTrace", t("Opening the trace"), (resource) => openTrace(uriOf(resource))),
    run("openSnapshot", t("Opening the snapshot"), (resource) => openSnapshot(uriOf(resource))),
    onRun("openRunSnapshot", t("Opening the snapshot"), openRunSnapshot),
    run("showNativeStacks", t("Showing the native stacks"), (place) => showNativeStacks(services, place)),
    run("toggleMassifLine", t("Marking a line"), (place) => toggleMassifLine(services, place)),
    run("clearMassifLines", t("Removing the marks"), () => services.marks.clear()),
    run("sweep", t("Making a sweep"), (resource) => sweepCommand(services, "make", resource)),
    onRow("showSweep", t("Showing the sweep"), (row) => sweepCommand(services, "show", row)),
    run("compareRuns", t("Comparing runs"), () => compareCommand(services, "compare")),
    onRow("compareWith", t("Comparing runs"), (row, rows) => compareCommand(services, "compare", row, rows)),
    onRow("compareSelected", t("Comparing runs"), (row, rows) => compareCommand(services, "compare", row, rows)),
    onRow("compareFlameGraphs", t("Comparing flame graphs"), (row, rows) =>
      compareCommand(services, "flame", row, rows),
    ),
    run("openComparison", t("Opening the comparison"), () => compareCommand(services, "open")),
    run("swapComparison", t("Swapping the compared runs"), () => compareCommand(services, "swap")),
    run("stopComparing", t("Stopping to compare"), () => compareCommand(services, "stop")),
    run("importReport", t("Importing"), (resource, selected) => importCommand(services, resource, selected)),
    onRun("openRunFolder", t("Opening the run folder"), openRunFolder),
    onRun("exportRun", t("Exporting a run"), async (all, row) =>
      (await import("./formats/exportRun.ts")).exportRun(all, row),
    ),
    onRow("deleteRun", t("Deleting"), history("delete")),
    run("restoreRun", t("Restoring"), history("restore")),
    onRow("renameRun", t("Naming a run"), history("rename")),
    onRow("editNote", t("Changing the note"), history("editNote")),
    onRow("editTags", t("Changing the tags"), history("editTags")),
    onRow("pinRun", t("Pinning"), history("pin")),
    onRow("unpinRun", t("Unpinning"), history("unpin")),
    onRow("showChanges", t("Showing the changes"), history("showChanges")),
    run("sortRuns", t("Sorting the runs"), history("sort")),
    run("filterRuns", t("Filtering the runs"), history("filter")),
    run("clearRunsFilter", t("Showing all runs"), history("clearFilter")),
    run("explainTerm", t("Explaining a term"), async (id) =>
      (await import("./glossary/explainTerm.ts")).explainTerm(context, id),
    ),
    onRow("openLine", t("Going to the line"), (place) => openLine(services, place)),
    onRun("showRunInTree", t("Showing the run"), async (_services, argument) => {
      const found = await chooseRun(services, argument, t("Which run?"));
      if (found !== undefined) await tree.reveal(found.folder);
    }),
    onRun("reattachRun", t("Reattaching"), async (all, row) => (await onBoard()).reattachCommand(all, row)),
    onRow("stopFollowing", t("Stopping to follow"), async (row) => (await chooseActive(services, row))?.letGo()),
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
  return (await vscode.window.showQuickPick(items, { title: t("Which run?") }))?.run;
}

function isRunRow(row: unknown): row is { readonly run: { readonly folder: string } } {
  return typeof row === "object" && row !== null && "kind" in row && row.kind === "run" && "run" in row;
}

/** What the status bar's item offers. */
async function runMenu(services: Services): Promise<void> {
  const choices = [
    { label: t("$(terminal) Show Output"), act: (run: ActiveRun) => run.showOutput() },
    {
      label: t("$(debug-disconnect) Stop Following"),
      detail: t("It keeps running on the board; Reattach to Run follows it again."),
      act: (run: ActiveRun) => run.letGo(),
    },
    { label: t("$(stop-circle) Cancel Run"), act: (run: ActiveRun) => run.cancel() },
  ];
  const run = await chooseActive(services, undefined);
  if (run === undefined) return;
  if (run.isCutOff) choices.unshift({ label: t("$(sync) Try Now"), act: (cutOff) => cutOff.tryNow() });
  const choice = await vscode.window.showQuickPick(choices, { title: run.title });
  choice?.act(run);
}
