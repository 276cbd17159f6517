/** Commands of the flame view and of the lines to measure. */
import * as vscode from "vscode";
import { UserError } from "../../profile/userError.ts";
import type { LineStacks } from "../../protocol/server.ts";
import { hasStacks } from "../../runs/stacks.ts";
import { t } from "../../words/t.ts";
import { cursorLine, type DocumentLine } from "../lines/cursorLine.ts";
import { type Choice, chooseRun, isPlace, type RunArgument } from "../runs/runCommands.ts";
import type { Services } from "../services.ts";
import { reached } from "../start/milestones.ts";

const WITH_HEAP: Choice = {
  fits: hasStacks,
  get otherwise() {
    return t("Profile a script with Profile on Jetson with Native Stacks.");
  },
};

export async function openMassifView(services: Services, argument: RunArgument): Promise<void> {
  const { current } = services.shown;
  const shown = argument === undefined && current !== undefined && hasStacks(current) ? current : undefined;
  const run = shown ?? (await chooseRun(services, argument, t("Which run's flame view?"), WITH_HEAP));
  if (run === undefined) return;
  const { openRunFlameView } = await import("./flameView.ts");
  openRunFlameView(services, run.folder, vscode.ViewColumn.Active);
  reached("flame");
}

/** @param argument a hover's LineStacks, or what a menu of the editor gives */
export async function showNativeStacks(services: Services, argument: unknown): Promise<void> {
  const stacks = isLineStacks(argument) ? argument : await stacksOf(services, await documentLine(argument));
  if (!services.folders.holds(stacks.folder)) {
    throw new UserError(
      "not-ours",
      t("{0} is not a run of this workspace.", stacks.folder),
      t("Open its project's folder."),
    );
  }
  const { openRunFlameView } = await import("./flameView.ts");
  openRunFlameView(services, stacks.folder, vscode.ViewColumn.Beside, stacks);
}

async function stacksOf({ ask, shown }: Services, { document, line }: DocumentLine): Promise<LineStacks> {
  const found = await ask("jetsonMemprof/nativeStacks", { uri: document.uri.toString(), line });
  if (found !== null) return found;
  const has = shown.current !== undefined && hasStacks(shown.current);
  throw new UserError(
    "no-native-stacks",
    has
      ? t("There is no native stack that passes through line {0} at the heap's peak.", line)
      : t("The run that the editor shows has no native stacks."),
    has
      ? t("Choose a line that has a figure beside it.")
      : t("Choose Profile on Jetson with Native Stacks, or show a run that was made that way."),
  );
}

export async function toggleMassifLine({ marks }: Services, argument: unknown): Promise<void> {
  const { document, line } = await documentLine(argument);
  await marks.toggle(document, line);
}

/** @param argument `{ uri, lineNumber }` from the gutter's menu; anything else stands for the cursor's line */
async function documentLine(argument: unknown): Promise<DocumentLine> {
  if (isGutterLine(argument)) {
    return { document: await vscode.workspace.openTextDocument(argument.uri), line: argument.lineNumber };
  }
  return cursorLine("file");
}

function isGutterLine(argument: unknown): argument is { readonly uri: vscode.Uri; readonly lineNumber: number } {
  const line = argument as { readonly uri?: unknown; readonly lineNumber?: unknown } | null | undefined;
  return line?.uri instanceof vscode.Uri && Number.isInteger(line.lineNumber);
}

function isLineStacks(argument: unknown): argument is LineStacks {
  const { file, snapshot } = (argument ?? {}) as Partial<LineStacks>;
  return isPlace(argument) && Number.isInteger(file) && Number.isInteger(snapshot);
}
