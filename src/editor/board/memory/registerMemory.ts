/** Makes the memory page and the status bar's item known to VS Code; what they do is loaded on first need. */
import * as vscode from "vscode";
import { t } from "../../../words/t.ts";
import { restorePages } from "../../page/restorePage.ts";
import { chooseRun, type RunArgument } from "../../runs/runCommands.ts";
import type { Services } from "../../services.ts";
import { reached } from "../../start/milestones.ts";

export function registerMemory(services: Services): vscode.Disposable {
  const { active, report } = services;
  let followed = false;
  return vscode.Disposable.from(
    restorePages("memory", async (panel, saved) => {
      (await import("./memoryViews.ts")).restoreMemoryPage(services, panel, saved);
    }),
    active.onChanged(() => {
      followed ||= active.all().some(({ folder }) => folder !== undefined);
      if (!followed) return;
      void report.guard(t("Showing the board's memory"), async () =>
        (await import("./memoryViews.ts")).followRuns(services),
      );
    }),
  );
}

export async function showBoardMemory(services: Services, argument: RunArgument): Promise<void> {
  const shown = argument === undefined ? services.shown.current : undefined;
  const run = shown ?? (await chooseRun(services, argument, t("Which run's board?")));
  if (run === undefined) return;
  (await import("./memoryViews.ts")).openRunMemory(services, run.folder);
  reached("ledger");
}
