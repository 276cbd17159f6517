/** Commands of the Memory Runs view. Called from the palette, without a row, they ask which run is meant. */
import * as vscode from "vscode";
import { UserError } from "../../profile/userError.ts";
import type { RunSummary } from "../../protocol/server.ts";
import { type MeasuredPlace, openPlace } from "../openPlace.ts";
import { plainText } from "../plainText.ts";
import type { Services } from "../services.ts";
import { describeRun, runActivity } from "./describe.ts";
import { folderOf, placeOf, type RunNode } from "./runsTree.ts";

/** A row of the view, a run folder (from a code lens), or nothing. */
export type RunArgument = RunNode | string | undefined;

/** Which runs a command can be about. */
export interface Choice {
  fits(run: RunSummary): boolean;
  /** What to do where there is none, as a sentence. */
  readonly otherwise: string;
}

const ANY_RUN: Choice = { fits: () => true, otherwise: "Profile a script first." };

/** The run meant, or asked for; undefined when the user declined. @throws UserError `no-run` */
export async function chooseRun(
  services: Services,
  argument: RunArgument,
  title: string,
  { fits, otherwise }: Choice = ANY_RUN,
): Promise<RunSummary | undefined> {
  const entries = await services.tree.list();
  const runs = entries.filter((entry) => entry.kind === "run").map(({ run }) => run);
  if (argument !== undefined) {
    const folder = typeof argument === "string" ? argument : folderOf(argument);
    const found = runs.find((run) => run.folder === folder);
    if (found === undefined) {
      throw new UserError("no-run", `The run in ${folder} is not there any more.`, "Refresh the Memory Runs view.");
    }
    return found;
  }
  const offered = runs.filter(fits);
  if (offered.length === 0) {
    throw new UserError("no-run", "There is no such run in this workspace.", otherwise);
  }
  const items = offered.map((run) => {
    const shown = run.folder === services.shown.current?.folder;
    const text = describeRun(run, runActivity(run, services.active.has(run.folder)), shown);
    const description = shown ? `shown · ${text.description}` : text.description;
    return { label: text.label, description, run };
  });
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.run;
}

export async function showRun(services: Services, argument: RunArgument): Promise<void> {
  const run = await chooseRun(services, argument, "Which run should the editor show?");
  if (run === undefined) return;
  await services.shown.show(run.folder);
}

export async function showTimeline(services: Services, argument: RunArgument): Promise<void> {
  const shown = argument === undefined ? services.shown.current : undefined;
  const run = shown ?? (await chooseRun(services, argument, "Which run's timeline?"));
  if (run === undefined) return;
  const { openTimeline } = await import("../timelinePanel.ts");
  openTimeline(services.context, services.ask, run.folder);
}

export async function openRunFolder(services: Services, argument: RunArgument): Promise<void> {
  const folder = await chosenFolder(services, argument, "Which run's folder?");
  if (folder === undefined) return;
  // A browser has no file manager: there the Explorer shows the folder.
  const remote = vscode.env.uiKind === vscode.UIKind.Web || vscode.env.remoteName !== undefined;
  const command = remote ? "revealInExplorer" : "revealFileInOS";
  await vscode.commands.executeCommand(command, vscode.Uri.joinPath(vscode.Uri.file(folder), "run.json"));
}

export async function deleteRun(services: Services, argument: RunArgument): Promise<void> {
  const folder = await chosenFolder(services, argument, "Which run should be deleted?");
  if (folder === undefined) return;
  if (!services.folders.holds(folder)) {
    throw new UserError("not-ours", `${folder} is not a run of this workspace.`, "Delete it by hand if you mean it.");
  }
  if (services.active.has(folder)) {
    throw new UserError("still-running", "The run goes on.", "Cancel it first, then delete it.");
  }
  const uri = vscode.Uri.file(folder);
  const name = plainText(folder.split(/[\\/]/).at(-1) ?? folder, 200);
  const trash = "Move to Trash";
  const detail = "Its figures, timeline, output and the copies of the sources go with it. The script is not touched.";
  const choice = await vscode.window.showWarningMessage(`Delete the run ${name}?`, { modal: true, detail }, trash);
  if (choice !== trash) return;
  try {
    await vscode.workspace.fs.delete(uri, { recursive: true, useTrash: true });
  } catch (error) {
    services.log.warn(`${folder} could not be moved to the trash: ${error}`);
    const forGood = "Delete Permanently";
    const again = await vscode.window.showWarningMessage(
      `There is no trash for the run ${name}. Delete it permanently?`,
      { modal: true, detail },
      forGood,
    );
    if (again !== forGood) return;
    await vscode.workspace.fs.delete(uri, { recursive: true, useTrash: false });
  }
  if (services.shown.current?.folder === folder) await services.shown.hide();
  services.folders.changed();
}

/** @param argument a row of the view, or the timeline's `{ folder, path, line }` */
export async function openLine(services: Services, argument: unknown): Promise<void> {
  // No argument: the command is not in the palette, but a key may be bound to it.
  const place = isPlace(argument) ? argument : argument === undefined ? undefined : placeOf(argument as RunNode);
  if (place === undefined) return;
  if (!services.folders.holds(place.folder)) {
    throw new UserError("not-ours", `${place.folder} is not a run of this workspace.`, "Open its project's folder.");
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
