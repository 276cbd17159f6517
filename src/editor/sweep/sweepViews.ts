/** Making a sweep and showing one; loaded on first need, as a bundle of its own. */
import * as vscode from "vscode";
import { UserError } from "../../profile/userError.ts";
import type { RunListEntry } from "../../protocol/server.ts";
import { t } from "../../words/t.ts";
import { plainText } from "../report/plainText.ts";
import { groupIn, sweepsOf } from "./groups.ts";
import { type MakeParts, makeSweep, panelParts, profileOnBoards } from "./makeSweep.ts";
import { openSweep, restoreSweep as restore } from "./sweepPanel.ts";

export interface SweepParts extends MakeParts {
  readonly list: () => Promise<readonly RunListEntry[]>;
}

export type SweepAction = "make" | "onBoards" | "show";

const uriOf = (argument: unknown): vscode.Uri | undefined => (argument instanceof vscode.Uri ? argument : undefined);

export const sweepActions: Readonly<Record<SweepAction, (parts: SweepParts, argument: unknown) => Promise<void>>> = {
  make: (parts, resource) => makeSweep(parts, uriOf(resource)),
  onBoards: (parts, resource) => profileOnBoards(parts, uriOf(resource)),
  async show(parts, argument) {
    const id = groupIn(argument) ?? (await pickSweep(parts));
    if (id !== undefined) openSweep(panelParts(parts), id);
  },
};

export function restoreSweep(parts: SweepParts, panel: vscode.WebviewPanel, saved: unknown): void {
  restore(panelParts(parts), panel, saved);
}

async function pickSweep({ list }: SweepParts): Promise<string | undefined> {
  const sweeps = sweepsOf(await list());
  if (sweeps.length === 0) {
    throw new UserError(
      "no-sweep",
      t("There is no sweep in this workspace."),
      t("Make one with Jetson: Sweep Parameters…"),
    );
  }
  const items = sweeps.map(({ id, runs, parameters }) => ({
    label: plainText(id, 120),
    description: plainText(`${parameters.join(", ")} · ${runs === 1 ? t("1 run") : t("{0} runs", runs)}`, 200),
    id,
  }));
  return (await vscode.window.showQuickPick(items, { title: t("Which sweep?"), matchOnDescription: true }))?.id;
}
