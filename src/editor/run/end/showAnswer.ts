/** At a run's end the editor goes to the line that matters, unless its user is at work. */
import * as vscode from "vscode";
import type { Ask } from "../../link/ask.ts";
import { type MeasuredPlace, openPlace } from "../../page/openPlace.ts";

/** Whether somebody typed since this began. */
export interface Typing extends vscode.Disposable {
  readonly happened: boolean;
}

export function watchTyping(): Typing {
  let happened = false;
  const listening = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
    // What extensions write into documents, such as output channels, is not typed.
    if (contentChanges.length > 0 && document === vscode.window.activeTextEditor?.document) happened = true;
  });
  return {
    get happened() {
      return happened;
    },
    dispose: () => void listening.dispose(),
  };
}

/** The keyboard stays where it is, and no page is covered. */
export async function showAnswer(ask: Ask, place: MeasuredPlace): Promise<void> {
  const viewColumn = columnOfText();
  if (viewColumn !== undefined) await openPlace(ask, place, { viewColumn, preserveFocus: true });
}

/** Of a group of tabs that is empty or shows text: the active one where it does. */
export function columnOfText(): vscode.ViewColumn | undefined {
  const { activeTabGroup, all } = vscode.window.tabGroups;
  return [activeTabGroup, ...all].find(({ activeTab }) => isText(activeTab?.input))?.viewColumn;
}

function isText(input: unknown): boolean {
  return input === undefined || input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook;
}
