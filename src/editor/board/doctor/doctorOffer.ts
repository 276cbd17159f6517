/** After the first run on a board: Check Board is offered, once for each board and only where something could be better. */
import type * as vscode from "vscode";
import { t } from "../../../words/t.ts";
import { runCommand } from "../../ourCommands.ts";
import { plainText } from "../../report/plainText.ts";
import type { Services } from "../../services.ts";
import { type BoardSettings, boardOf } from "./doctorBoard.ts";
import { findingsText } from "./doctorFindings.ts";

const KEY = "jetsonMemprof.checkedBoards";

/** Never fails: nobody asked for it. */
export async function offerBoardCheck(services: Services, target: string, settings: BoardSettings): Promise<void> {
  const { context, log, report } = services;
  // Only what is reached over SSH is a board for sure.
  if (!target.startsWith("ssh://") || checkedBoards(context.globalState).includes(target)) return;
  try {
    const board = await boardOf(services, target, { ...settings, container: undefined });
    const text = findingsText(board.label, await board.checkQuietly());
    await rememberChecked(context.globalState, target);
    if (text === undefined) return;
    report.tell("information", text, {
      [t("Check Board")]: () => runCommand("jetsonMemprof.checkBoard", target),
    });
  } catch (error) {
    log.info(`${plainText(target, 200)} was not checked after its first run: ${error}`);
  }
}

export async function rememberChecked(memory: vscode.Memento, target: string): Promise<void> {
  const known = checkedBoards(memory);
  if (!known.includes(target)) await memory.update(KEY, [...known, target]);
}

function checkedBoards(memory: vscode.Memento): readonly string[] {
  const kept = memory.get<unknown>(KEY);
  return Array.isArray(kept) ? kept.filter((item) => typeof item === "string") : [];
}
