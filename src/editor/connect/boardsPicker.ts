/** Asks for several boards: those of the setting first and chosen, then those that one board is picked from. */
import * as vscode from "vscode";
import { t } from "../../words/t.ts";
import type { Services } from "../services.ts";
import { windowRunSettings } from "../settings/windowSettings.ts";
import { type BoardItem, boardItems } from "./boardItems.ts";
import { configuredHosts } from "./targetPicker.ts";

/**
 * In the form `parseTarget` reads; undefined when the user declined or chose none.
 * @throws UserError `bad-setting`, `bad-target`, `no-such-board`
 */
export async function pickBoards(
  { log }: Pick<Services, "log">,
  title: string,
): Promise<readonly string[] | undefined> {
  const { machineOf, namedBoards } = await import("../remote.ts");
  const configured = await configuredHosts(log);
  const set = await namedBoards(windowRunSettings().boards, async () => configured, machineOf);
  const items = boardItems(set, { configured, runsHere: process.platform === "linux" }).map(
    ({ icon, ...item }): Omit<BoardItem, "icon"> & vscode.QuickPickItem => ({
      ...item,
      iconPath: new vscode.ThemeIcon(icon),
    }),
  );
  const chosen = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: t("Which boards? The setting jetsonMemprof.boards names those that are chosen at first"),
    canPickMany: true,
    ignoreFocusOut: true,
    matchOnDescription: true,
  });
  return chosen === undefined || chosen.length === 0 ? undefined : chosen.map(({ board }) => board);
}
