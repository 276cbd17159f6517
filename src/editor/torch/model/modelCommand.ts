/** "Show Model Account", and pages that were open when VS Code was closed. */
import type * as vscode from "vscode";
import { t } from "../../../words/t.ts";
import { restorePages } from "../../page/restorePage.ts";
import { type Choice, chooseRun, type RunArgument } from "../../runs/runCommands.ts";
import type { Services } from "../../services.ts";
import type { ModelParts } from "./modelPanel.ts";

const WITH_MODEL: Choice = {
  fits: ({ model }) => model,
  get otherwise() {
    return t("Profile a script that uses a PyTorch model with Profile on Jetson: Model Account.");
  },
};

export async function showModel(services: Services, argument: RunArgument): Promise<void> {
  const shown = argument === undefined && services.shown.current?.model ? services.shown.current : undefined;
  const run = shown ?? (await chooseRun(services, argument, t("Which run's model account?"), WITH_MODEL));
  if (run === undefined) return;
  (await import("./modelPanel.ts")).openModel(modelParts(services), run.folder);
}

export function registerModels(services: Services): vscode.Disposable {
  return restorePages("model", async (panel, saved) => {
    (await import("./modelPanel.ts")).restoreModel(modelParts(services), panel, saved);
  });
}

function modelParts(services: Services): ModelParts {
  const { ask, context, folders, report, shown } = services;
  return {
    ask,
    context,
    folders,
    report,
    shown,
    profileScript: async (chosen, run) => (await import("../../onBoard.ts")).profileScript(services, chosen, run),
  };
}
