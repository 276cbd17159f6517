/** Commands of the Memory Runs view. Called from the palette, without a row, they ask which run is meant. */
import * as vscode from "vscode";
import { defined } from "../../profile/defined.ts";
import { cellOf } from "../../profile/notebook.ts";
import { UserError } from "../../profile/userError.ts";
import type { HeapFile, RunSummary, TreeFile } from "../../protocol/server.ts";
import { t } from "../../words/t.ts";
import { type MeasuredPlace, openPlace } from "../page/openPlace.ts";
import { findings } from "../run/end/headline.ts";
import { columnOfText } from "../run/end/showAnswer.ts";
import type { Services } from "../services.ts";
import { folderOf, placeOf, type RunNode } from "./tree/runsTree.ts";

/** A row of the view, a run folder (from a code lens), or nothing. */
export type RunArgument = RunNode | string | undefined;

/** Which runs a command can be about. */
export interface Choice {
  fits(run: RunSummary): boolean;
  /** What to do where there is none, as a sentence. */
  readonly otherwise: string;
  /** More that helps to choose, below each. */
  detail?(run: RunSummary): Promise<string | undefined>;
}

const ANY_RUN: Choice = {
  fits: () => true,
  get otherwise() {
    return t("Profile a script first.");
  },
};

/** The run meant, or asked for; undefined when the user declined. @throws UserError `no-run` */
export async function chooseRun(
  services: Services,
  argument: RunArgument,
  title: string,
  { fits, otherwise, detail }: Choice = ANY_RUN,
): Promise<RunSummary | undefined> {
  const entries = await services.tree.list();
  const runs = entries.filter((entry) => entry.kind === "run").map(({ run }) => run);
  if (argument !== undefined) {
    const folder = typeof argument === "string" ? argument : folderOf(argument);
    const found = runs.find((run) => run.folder === folder);
    if (found === undefined) {
      throw new UserError(
        "no-run",
        t("The run in {0} is no longer there.", folder),
        t("Refresh the Memory Runs view."),
      );
    }
    return found;
  }
  const offered = runs.filter(fits);
  if (offered.length === 0) {
    throw new UserError("no-run", t("There is no such run in this workspace."), otherwise);
  }
  const { quickItem } = await import("./history/runHistory.ts");
  const items = await Promise.all(
    offered.map(async (run) => {
      const more = await detail?.(run);
      return { ...quickItem(run, services.tree.context), ...defined({ detail: more }) };
    }),
  );
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.run;
}

/** What was hidden last, or a run that is chosen. */
export async function showFigures(services: Services): Promise<void> {
  if ((await services.shown.showHidden()) !== undefined) return;
  const run = await chooseRun(services, undefined, t("Which run's figures should be shown?"));
  if (run === undefined) return;
  await services.shown.show(run.folder);
  await bringIntoView(services, run);
}

export async function showRun(services: Services, argument: RunArgument): Promise<void> {
  const run = await chooseRun(services, argument, t("Which run should the editor show?"));
  if (run === undefined) return;
  await services.shown.show(run.folder);
  await bringIntoView(services, run);
}

/** Figures stand beside lines: where no file of the run is in view, the one with the heaviest line opens. */
async function bringIntoView({ ask, log }: Services, { folder, title }: RunSummary): Promise<void> {
  try {
    const tree = await ask("jetsonMemprof/runTree", { folder });
    if (isInView(tree.files)) return;
    const { heaviest } = findings(title, tree);
    if (heaviest === undefined) return;
    const viewColumn = columnOfText() ?? vscode.ViewColumn.Active;
    await openPlace(ask, { folder, ...heaviest }, { viewColumn, preserveFocus: true });
  } catch (error) {
    log.info(`Not brought into view: ${error}`);
  }
}

function isInView(files: readonly Pick<TreeFile | HeapFile, "path" | "absolutePath">[]): boolean {
  const { visibleTextEditors, visibleNotebookEditors } = vscode.window;
  const measured = new Set(files.map(({ absolutePath }) => absolutePath));
  const notebooks = files.flatMap(({ path }) => cellOf(path)?.notebook ?? []);
  return (
    visibleTextEditors.some(({ document }) => measured.has(document.uri.fsPath)) ||
    visibleNotebookEditors.some(({ notebook }) => notebooks.some((name) => notebook.uri.path.endsWith(`/${name}`)))
  );
}

export async function showTimeline(services: Services, argument: RunArgument): Promise<void> {
  const shown = argument === undefined ? services.shown.current : undefined;
  const run = shown ?? (await chooseRun(services, argument, t("Which run's timeline?")));
  if (run === undefined) return;
  const { openTimeline } = await import("../timeline/timelinePanel.ts");
  openTimeline(services, run.folder);
}

export async function openRunFolder(services: Services, argument: RunArgument): Promise<void> {
  const folder = await chosenFolder(services, argument, t("Which run's folder?"));
  if (folder === undefined) return;
  // A browser has no file manager: there the Explorer shows the folder.
  const remote = vscode.env.uiKind === vscode.UIKind.Web || vscode.env.remoteName !== undefined;
  const command = remote ? "revealInExplorer" : "revealFileInOS";
  await vscode.commands.executeCommand(command, vscode.Uri.joinPath(vscode.Uri.file(folder), "run.json"));
}

/** @param argument a row of the view, or the timeline's `{ folder, path, line }` */
export async function openLine(services: Services, argument: unknown): Promise<void> {
  // No argument: the command is not in the palette, but a key may be bound to it.
  const place = isPlace(argument) ? argument : argument === undefined ? undefined : placeOf(argument as RunNode);
  if (place === undefined) return;
  if (!services.folders.holds(place.folder)) {
    throw new UserError(
      "not-ours",
      t("{0} is not a run of this workspace.", place.folder),
      t("Open its project's folder."),
    );
  }
  await openPlace(services.ask, place);
  // Who goes to a line of a run wants to see that run's figures there.
  if (services.shown.current?.folder !== place.folder) await services.shown.show(place.folder);
}

export function isPlace(argument: unknown): argument is MeasuredPlace {
  const place = argument as Partial<MeasuredPlace> | null | undefined;
  return typeof place?.folder === "string" && typeof place.path === "string" && Number.isInteger(place.line);
}

async function chosenFolder(services: Services, argument: RunArgument, title: string): Promise<string | undefined> {
  if (argument !== undefined && typeof argument !== "string") return folderOf(argument);
  return (await chooseRun(services, argument, title))?.folder;
}
