/** Going to a line from a page: the file opens beside the page, never over it. */
import * as vscode from "vscode";
import type { Ask } from "../link/ask.ts";
import type { RunsFolders } from "../runs/runsFolders.ts";
import type { ShownRun } from "../runs/shownRun.ts";
import { type MeasuredPlace, openPlace } from "./openPlace.ts";

export interface OpenBesideParts {
  readonly ask: Ask;
  readonly folders: RunsFolders;
  readonly shown: ShownRun;
}

/** The page keeps the keyboard; the editor shows the figures of the place's run from then on. */
export async function openBeside(
  { ask, folders, shown }: OpenBesideParts,
  panel: vscode.WebviewPanel,
  place: MeasuredPlace,
): Promise<void> {
  await openPlace(ask, place, { viewColumn: columnBeside(panel), preserveFocus: true });
  if (folders.holds(place.folder) && shown.current?.folder !== place.folder) await shown.show(place.folder);
}

export function columnBeside(panel: vscode.WebviewPanel): vscode.ViewColumn {
  return panel.viewColumn === vscode.ViewColumn.One ? vscode.ViewColumn.Two : vscode.ViewColumn.One;
}
