/** Commands about sweeps; what they do is loaded on first need, as a bundle of its own. */
import type * as vscode from "vscode";
import { restorePages } from "../page/restorePage.ts";
import type { Services } from "../services.ts";
import type { SweepAction, SweepParts } from "./sweepViews.ts";

const load = () => import("./sweepViews.ts");

/** @param argument the script's file, a row of the view or a group's id */
export async function sweepCommand(services: Services, action: SweepAction, argument: unknown): Promise<void> {
  await (await load()).sweepActions[action](sweepParts(services), argument);
}

/** Pages that were open when VS Code was closed. */
export function registerSweeps(services: Services): vscode.Disposable {
  return restorePages("sweep", async (panel, saved) => {
    (await load()).restoreSweep(sweepParts(services), panel, saved);
  });
}

function sweepParts(services: Services): SweepParts {
  return {
    ...services,
    list: services.tree.list,
    pickBoards: async (title) => (await import("../onBoard.ts")).pickBoards(services, title),
    planRun: async (resource, target) =>
      (await import("../onBoard.ts")).planRun(services, resource, "settings", target),
    profileScript: async (chosen, run) => (await import("../onBoard.ts")).profileScript(services, chosen, run),
  };
}
