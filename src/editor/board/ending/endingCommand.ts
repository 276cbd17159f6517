/** "Why It Ended, What Would Help": the page of a run, and the steps of its advice. */
import type * as vscode from "vscode";
import { t } from "../../../words/t.ts";
import { restorePages } from "../../page/restorePage.ts";
import { type Choice, chooseRun, type RunArgument } from "../../runs/runCommands.ts";
import type { Services } from "../../services.ts";
import { windowRunSettings } from "../../settings/windowSettings.ts";
import type { EndingParts } from "./endingPanel.ts";

const FINISHED: Choice = {
  fits: ({ state }) => state === "finished",
  get otherwise() {
    return t("Profile a script, and wait until it has ended.");
  },
};

export async function showEnding(services: Services, argument: RunArgument): Promise<void> {
  const run = await chooseRun(services, argument, t("Which run?"), FINISHED);
  if (run === undefined) return;
  (await import("../endingAndDoctor.ts")).openEnding(endingParts(services), run.folder);
}

/** @param argument `{ folder, rule, step }` of a quick fix */
export async function adviceStep(services: Services, argument: unknown): Promise<void> {
  await (await import("../endingAndDoctor.ts")).takeAdvice(endingParts(services), argument);
}

/** Brings back the pages that were open when VS Code was closed. */
export function registerEndings(services: Services): vscode.Disposable {
  return restorePages("ending", async (panel, saved) => {
    (await import("../endingAndDoctor.ts")).restoreEnding(endingParts(services), panel, saved);
  });
}

function endingParts(services: Services): EndingParts {
  const { ask, context, folders, report, shown } = services;
  return {
    ask,
    context,
    folders,
    report,
    shown,
    boardOf: async (target) => (await import("../../onBoard.ts")).boardOf(services, target, windowRunSettings()),
  };
}
