/** What each command does, by its name. What a command does lies elsewhere; an error is shown, never lost. */
import * as vscode from "vscode";
import { t } from "../words/t.ts";
import { adviceStep, showEnding } from "./board/ending/endingCommand.ts";
import { showBoardMemory } from "./board/memory/registerMemory.ts";
import { commandTitle } from "./commandTitle.ts";
import { compareCommand } from "./compare/compareCommand.ts";
import type { CommandName } from "./contributions/commands.ts";
import { importCommand } from "./formats/importCommand.ts";
import { readLine } from "./lines/readLine.ts";
import { openMassifView, showNativeStacks, toggleMassifLine } from "./massif/massifCommands.ts";
import { chooseSince } from "./metric/chooseSince.ts";
import { chooseMetric, showNextMetric } from "./metric/metricSwitch.ts";
import { registerCommand } from "./ourCommands.ts";
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

type Body = (...given: readonly unknown[]) => unknown;

export function registerCommands(services: Services): vscode.Disposable {
  const { context, report } = services;
  const registered = Object.entries(bodiesOf(services)).map(([name, body]) => {
    const id = `jetsonMemprof.${name as CommandName}` as const;
    return registerCommand(id, (...given) =>
      report.guard(commandTitle(context.extension.packageJSON, id), async () => body(...given)),
    );
  });
  return vscode.Disposable.from(
    ...registered,
    registerCommand("jetsonMemprof.runMenu", () => report.guard(t("Showing the run"), () => runMenu(services))),
  );
}

function bodiesOf(services: Services): Readonly<Record<CommandName, Body>> {
  const { context, report, shown, folders, active, tree } = services;
  /** What is chosen on a row: never done with another run than the row's. */
  const onRow =
    (body: Body): Body =>
    (...given) => {
      refuseForgotten(given);
      return body(...given);
    };
  // Rows come from our own view, folders from our own code lenses: VS Code hands back what it was given.
  const onRun = (body: (services: Services, argument: RunArgument) => Promise<unknown>): Body =>
    // From an editor's menu comes the editor's file, which is no run: there the shown one is meant.
    onRow((argument) => body(services, uriOf(argument) === undefined ? (argument as RunArgument) : undefined));

  const history =
    (action: keyof typeof historyActions): Body =>
    async (row, selected) =>
      (await import("./runs/history/runHistory.ts")).historyActions[action](services, row, selected);

  const profile =
    (manner: Manner): Body =>
    async (resource) =>
      (await onBoard()).profileCommand(services, uriOf(resource), manner);

  return {
    profile: profile("settings"),
    profileNativeStacks: profile("native"),
    profileMassif: profile("massif"),
    profileModel: profile("model"),
    profileWithOptions: profile("ask"),
    profileAgain: async () => (await onBoard()).profileAgain(services),
    profileRepeatedly: (resource) => compareCommand(services, "repeats", resource),
    selectTarget: async () => {
      const configuration = vscode.workspace.getConfiguration("jetsonMemprof");
      await (await onBoard()).selectTarget(services, runSettings((name) => configuration.get(name)).target);
    },
    chooseContainer: async () => (await onBoard()).chooseContainer(services),
    choosePython: async (wish) => (await onBoard()).choosePython(services, wish),
    verifyKey: async (target) => (await onBoard()).verifyKey(services, target),
    createSample: async () => (await firstSteps()).createSample(services),
    showHeaviestLine: onRun(async (all, row) => (await firstSteps()).showHeaviestLine(all, row)),
    cancelRun: onRow(async (row) => (await chooseActive(services, row))?.cancel()),
    takeSnapshot: onRow(async (row) => {
      const connected = await chooseActive(services, row);
      if (connected !== undefined) await (await onBoard()).takeSnapshot(connected, report);
    }),
    showOutput: async (...given) => {
      const [row] = given;
      // The view's title offers it too: without a row that has the focus that looks like one that is forgotten.
      const connected = isForgotten(given) ? undefined : await chooseActive(services, row);
      if (connected !== undefined) return connected.showOutput();
      if (given.length === 0 && active.all().length > 0) return;
      const chosen = await chooseRun(services, row as RunArgument, t("Which run's output?"));
      if (chosen === undefined) return;
      const followed = active.find(chosen.folder);
      return followed === undefined ? openOutput(chosen.folder, chosen.title, report) : followed.showOutput();
    },
    chooseMetric: () => chooseMetric(services),
    showSince: () => chooseSince(services),
    nextMetric: () => showNextMetric(services),
    readLine: () => readLine(services),
    showLineHistory: async (place) => (await import("./lines/lineHistory.ts")).showLineHistory(services, place),
    showFigures: () => showFigures(services),
    hideFigures: () => shown.hide(),
    refreshRuns: async () => {
      tree.refresh();
      folders.changed();
    },
    showRun: onRun(showRun),
    showTimeline: onRun(showTimeline),
    watchMemory: async (target) => (await onBoard()).watchMemory(services, target),
    showBoardMemory: onRun(showBoardMemory),
    checkBoard: async (target) => (await onBoard()).checkBoard(services, target),
    showEnding: onRun(showEnding),
    adviceStep: (step) => adviceStep(services, step),
    showModel: onRun(showModel),
    openMassifView: onRun(openMassifView),
    openTrace: (resource) => openTrace(uriOf(resource)),
    openSnapshot: (resource) => openSnapshot(uriOf(resource)),
    openRunSnapshot: onRun(openRunSnapshot),
    showNativeStacks: (place) => showNativeStacks(services, place),
    toggleMassifLine: (place) => toggleMassifLine(services, place),
    clearMassifLines: () => services.marks.clear(),
    sweep: (resource) => sweepCommand(services, "make", resource),
    profileOnBoards: (resource) => sweepCommand(services, "onBoards", resource),
    showSweep: onRow((row) => sweepCommand(services, "show", row)),
    compareRuns: () => compareCommand(services, "compare"),
    compareWith: onRow((row, rows) => compareCommand(services, "compare", row, rows)),
    compareSelected: onRow((row, rows) => compareCommand(services, "compare", row, rows)),
    compareFlameGraphs: onRow((row, rows) => compareCommand(services, "flame", row, rows)),
    openComparison: () => compareCommand(services, "open"),
    swapComparison: () => compareCommand(services, "swap"),
    stopComparing: () => compareCommand(services, "stop"),
    importReport: (resource, selected) => importCommand(services, resource, selected),
    openRunFolder: onRun(openRunFolder),
    exportRun: onRun(async (all, row) => (await import("./formats/exportRun.ts")).exportRun(all, row)),
    deleteRun: onRow(history("delete")),
    restoreRun: history("restore"),
    renameRun: onRow(history("rename")),
    editNote: onRow(history("editNote")),
    editTags: onRow(history("editTags")),
    pinRun: onRow(history("pin")),
    unpinRun: onRow(history("unpin")),
    showChanges: onRow(history("showChanges")),
    sortRuns: history("sort"),
    filterRuns: history("filter"),
    clearRunsFilter: history("clearFilter"),
    explainTerm: async (id) => (await import("./glossary/explainTerm.ts")).explainTerm(context, id),
    openLine: onRow((place) => openLine(services, place)),
    showRunInTree: onRun(async (_services, argument) => {
      const found = await chooseRun(services, argument, t("Which run?"));
      if (found !== undefined) await tree.reveal(found.folder);
    }),
    reattachRun: onRun(async (all, row) => (await onBoard()).reattachCommand(all, row)),
    stopFollowing: onRow(async (row) => (await chooseActive(services, row))?.letGo()),
  };
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
