/** Our own commands by their ids, which are a type: one that there is not is found before it is pressed. */
import * as vscode from "vscode";
import type { CommandId, HiddenCommandId } from "./contributions/commands.ts";

export const runCommand = <Result = unknown>(
  id: CommandId | HiddenCommandId,
  ...given: readonly unknown[]
): Thenable<Result> => vscode.commands.executeCommand<Result>(id, ...given);

export const registerCommand = (
  id: CommandId | HiddenCommandId,
  body: (...given: unknown[]) => unknown,
): vscode.Disposable => vscode.commands.registerCommand(id, body);
