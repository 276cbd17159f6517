/** Taking a step of an advice: a command on the board, a variable for the script, or a change of one line. */
import * as path from "node:path";
import * as vscode from "vscode";
import type { Advice, AdviceStep } from "../../../board/advice/model.ts";
import { isBelow } from "../../../profile/files/relativePath.ts";
import { projectOfRun } from "../../../profile/run/runsFolder.ts";
import { UserError } from "../../../profile/userError.ts";
import type { RunEnding } from "../../../protocol/board/ending.ts";
import { t } from "../../../words/t.ts";
import type { SettingId } from "../../contributions/settings.ts";
import type { Ask } from "../../link/ask.ts";
import { plainText } from "../../report/plainText.ts";
import type { Report } from "../../report/report.ts";
import { isTrusted } from "../../report/trust.ts";
import type { BoardOf } from "../doctor/doctorBoard.ts";
import { runWithConsent } from "../doctor/doctorRun.ts";
import { columnOf } from "./adviceEdit.ts";

export interface AdviceParts {
  readonly ask: Ask;
  readonly report: Report;
  readonly boardOf: BoardOf;
}

const SETTING = "jetsonMemprof.environment" satisfies SettingId;
const MOST_TEXT = 1_000;

/** @param folder the run's; `advice` and `step` are of its `ending` */
export async function takeStep(
  parts: AdviceParts,
  folder: string,
  ending: RunEnding,
  advice: Advice,
  step: AdviceStep,
): Promise<void> {
  switch (step.kind) {
    case "command":
      return runCommand(parts, ending, advice, step);
    case "environment":
      return setVariable(folder, step);
    case "edit":
      return changeLine(parts, folder, step);
  }
}

type StepOf<Kind extends AdviceStep["kind"]> = Extract<AdviceStep, { readonly kind: Kind }>;

async function runCommand(
  { boardOf, report }: AdviceParts,
  { target, simulated }: RunEnding,
  { remedy }: Advice,
  { command }: StepOf<"command">,
): Promise<void> {
  // Where it runs is read from a file of the workspace.
  if (!(await isTrusted(t("The command would run on a host that a file of this workspace names.")))) return;
  if (target === undefined) {
    throw new UserError(
      "no-target",
      t("It was not recorded on which board this run happened."),
      t("Run the command there yourself: {0}", command),
    );
  }
  const shown = simulated === undefined ? {} : { simulated };
  await runWithConsent(report, await boardOf(target), { command, effect: remedy, ...shown });
}

/** Shows what the setting would become, sets it where the person says so, and opens the settings at it. */
async function setVariable(folder: string, { name, value }: StepOf<"environment">): Promise<void> {
  const project = projectOfRun(folder);
  const uri = project === undefined ? undefined : vscode.Uri.file(project);
  const workspaceFolder = uri && vscode.workspace.getWorkspaceFolder(uri);
  if (workspaceFolder === undefined) {
    throw new UserError(
      "no-folder",
      t("The project of this run is in no open folder, so {0} cannot be set for it.", SETTING),
      t("Open its folder, or add {0} to the setting by hand.", `${name}=${value}`),
    );
  }
  const configuration = vscode.workspace.getConfiguration("jetsonMemprof", workspaceFolder);
  const now = variables(configuration.get("environment"))[name];
  const of = workspaceFolder.name;
  const [question, set] =
    value === ""
      ? [t("Empty {0} for the next runs of {1}?", name, of), t("Empty It")]
      : [t("Set {0} for the next runs of {1}?", name, of), t("Set It")];
  const open = t("Open Settings");
  const then =
    now === undefined
      ? t("It is written into the folder's setting {0}. The variable is not set there now.", SETTING)
      : t("It is written into the folder's setting {0}. It is {1} now.", SETTING, `${name}=${now}`);
  const choice = await vscode.window.showInformationMessage(
    plainText(question, MOST_TEXT),
    {
      modal: true,
      detail: plainText(`${name}=${value}`, MOST_TEXT).concat("\n\n").concat(plainText(then, MOST_TEXT)),
    },
    set,
    open,
  );
  if (choice === undefined) return;
  if (choice === set) {
    const own = variables(configuration.inspect("environment")?.workspaceFolderValue);
    await configuration.update("environment", { ...own, [name]: value }, vscode.ConfigurationTarget.WorkspaceFolder);
  }
  // The user's own settings do not list it where the extension runs on another computer.
  await vscode.commands.executeCommand("workbench.action.openWorkspaceSettings", { query: SETTING });
}

/** What stands in a settings file may be anything. */
function variables(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** @throws UserError `source-missing`, `line-changed` */
async function changeLine({ ask }: AdviceParts, folder: string, step: StepOf<"edit">): Promise<void> {
  const { place, find, replace } = step;
  const project = projectOfRun(folder);
  const file = project === undefined ? undefined : path.resolve(project, place.path);
  if (project === undefined || file === undefined || !isBelow(project, file)) {
    throw new UserError(
      "source-missing",
      t("{0} is not a file of the run's project.", place.path),
      t("Change it by hand."),
    );
  }
  const document = await openDocument(file, place.path);
  const now = await ask("jetsonMemprof/lineNow", { folder, ...place, uri: document.uri.toString() });
  const line = (now?.line ?? place.line) - 1;
  const text = now?.gone === true || line >= document.lineCount ? "" : document.lineAt(line).text;
  const column = columnOf(text, find, t("Line {0} of {1}", line + 1, place.path));
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(line, column, line, column + find.length), replace);
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new UserError("line-changed", t("{0} could not be changed.", place.path), t("Change the line by hand."));
  }
  const open = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
  await vscode.window.showTextDocument(document, {
    selection: new vscode.Range(line, column, line, column + replace.length),
    // Beside the page that the step was taken from, not over it.
    viewColumn: open?.viewColumn ?? vscode.ViewColumn.Beside,
  });
}

async function openDocument(file: string, name: string): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(vscode.Uri.file(file));
  } catch (error) {
    throw new UserError("source-missing", t("{0} is no longer in the project.", name), t("Restore the file first."), {
      cause: error,
    });
  }
}
