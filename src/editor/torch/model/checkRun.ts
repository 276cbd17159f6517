/** "Check with a Real Run": the same script with the same arguments on the same target, with a change to its model. */
import * as path from "node:path";
import * as vscode from "vscode";
import { isBelow } from "../../../profile/files/relativePath.ts";
import { readRunHead } from "../../../profile/run/runHead.ts";
import { projectOfRun } from "../../../profile/run/runsFolder.ts";
import { TORCH_DEFAULTS } from "../../../profile/torch/torchDefaults.ts";
import { UserError } from "../../../profile/userError.ts";
import type { Trial } from "../../../torch/model/model.ts";
import { sentences, t } from "../../../words/t.ts";
import { targetLabel } from "../../connect/targetItems.ts";
import { plainText } from "../../report/plainText.ts";
import type { Report } from "../../report/report.ts";
import { isTrusted, runsCode } from "../../report/trust.ts";
import { type ChosenScript, chooseScript } from "../../run/options/scriptChoice.ts";
import type { ScriptRun } from "../../run/profileCommand.ts";
import { windowRunSettings } from "../../settings/windowSettings.ts";
import { trialText } from "./trialText.ts";

export interface CheckParts {
  readonly report: Report;
  /** As every run it belongs to the part of the extension that is there from the start. */
  readonly profileScript: (chosen: ChosenScript, run: ScriptRun) => Promise<unknown>;
}

/** @throws UserError `not-repeatable` and as profileScript */
export async function checkWithTrial(
  { report, profileScript }: CheckParts,
  folder: string,
  trial: Trial,
): Promise<void> {
  // Target, script and arguments come from files of the workspace.
  if (!(await isTrusted(runsCode()))) return;
  const { run, origin } = await readRunHead(folder);
  const { script, args, python } = run.command;
  const project = projectOfRun(folder);
  if (origin === undefined || script === undefined || project === undefined || !liesIn(project, script)) {
    throw new UserError(
      "not-repeatable",
      t("This run cannot be repeated from here: which script it ran on which board is not recorded."),
      t("Profile the script with Model Account, then check from the page of that run."),
    );
  }
  const command = plainText([script, ...args].join(" "), 200);
  if (!(await mayRun(command, plainText(targetLabel(origin.target), 100), trial))) return;
  const chosen = await chooseScript(vscode.Uri.file(path.join(project, script)), report);
  if (chosen === undefined) return;
  await profileScript(chosen, {
    target: origin.target,
    settings: windowRunSettings(vscode.Uri.file(project)),
    args,
    python,
    engine: "line",
    exact: run.engine.exact,
    torch: { exactPeaks: false, model: { steps: TORCH_DEFAULTS.modelSteps, trial } },
  });
}

function liesIn(project: string, script: string): boolean {
  return isBelow(path.resolve(project), path.resolve(project, script));
}

async function mayRun(command: string, target: string, trial: Trial): Promise<boolean> {
  const run = t("Run");
  const detail = sentences(
    trialText(trial),
    t("The change is made to the model in this run only; your files stay as they are."),
    t("The script runs to its end, as in any other run."),
  );
  const question = t("Run {0} on {1}?", command, target);
  return (await vscode.window.showInformationMessage(question, { modal: true, detail }, run)) === run;
}
