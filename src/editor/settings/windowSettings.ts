/** The settings as they stand in this window now. */
import * as vscode from "vscode";
import { type RunSettings, runSettings } from "./settings.ts";

/**
 * @param scope what they are for, where a folder of the workspace may have its own
 * @throws UserError `bad-setting`
 */
export function windowRunSettings(scope?: vscode.Uri): RunSettings {
  const configuration = vscode.workspace.getConfiguration("jetsonMemprof", scope);
  return runSettings((name) => configuration.get(name));
}
