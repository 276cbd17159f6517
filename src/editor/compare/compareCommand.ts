/** Commands about comparisons; what they do is loaded on first need, as a bundle of its own. */
import * as vscode from "vscode";
import { t } from "../../words/t.ts";
import { restorePages } from "../page/restorePage.ts";
import type { Services } from "../services.ts";
import type { CompareAction, CompareParts } from "./compareViews.ts";

const load = () => import("./compareViews.ts");

/** @param rows of the view: the one that was clicked, and all that are selected */
export async function compareCommand(
  services: Services,
  action: CompareAction,
  clicked?: unknown,
  selected?: unknown,
): Promise<void> {
  await (await load()).compareActions[action](compareParts(services), clicked, selected);
}

/** The sign that a comparison is shown, and pages that were open when VS Code was closed. */
export function registerComparison(services: Services): vscode.Disposable {
  const { report, shown } = services;
  let needed = false;
  return vscode.Disposable.from(
    shown.onSwitched(() => {
      needed ||= shown.compared !== undefined;
      if (!needed) return;
      void report.guard(t("Showing what is compared"), async () => (await load()).showSign(compareParts(services)));
    }),
    restorePages("compare", async (panel, saved) => {
      (await load()).restoreComparison(compareParts(services), panel, saved);
    }),
  );
}

function compareParts(services: Services): CompareParts {
  return {
    ...services,
    list: services.tree.list,
    planRun: async (resource) => (await import("../onBoard.ts")).planRun(services, resource, "settings"),
    profileScript: async (chosen, run) => (await import("../onBoard.ts")).profileScript(services, chosen, run),
    // Stacks are of single runs: of repeats, those of the first.
    openFlameDifference: async ({ before: [before], after: [after] }) => {
      if (before === undefined || after === undefined) return;
      const { openFlameDifference } = await import("../massif/flameView.ts");
      openFlameDifference(services, { before, after }, vscode.ViewColumn.Active);
    },
  };
}
