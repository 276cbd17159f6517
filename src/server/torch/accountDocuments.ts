/** What the page "Model Account" shows of a run, and what the workspace's other runs add to it. */

import { identifyBoard } from "../../board/identity/identify.ts";
import { newestAccounts, readTraining } from "../../board/node/readTraining.ts";
import { defined } from "../../profile/defined.ts";
import type { RunInfo } from "../../profile/model.ts";
import { originName } from "../../profile/run/origin.ts";
import { processName } from "../../profile/run/processName.ts";
import { runTitle } from "../../profile/run/runJson.ts";
import type { ModelDocument } from "../../protocol/torch/model.ts";
import { sharedLayers } from "../../torch/model/sharing.ts";
import { readAccounts } from "../../torch/node/readAccounts.ts";
import { withoutSlider } from "../../torch/whatif/allWhatIfs.ts";
import type { RunStore } from "../runs/runStore.ts";

/**
 * @param runsFolders of the workspace, whose models may have layers in common with this one's
 * @throws UserError as RunReader.refresh and readAccounts
 */
export async function accountDocument(
  store: RunStore,
  folder: string,
  runsFolders: readonly string[],
): Promise<ModelDocument> {
  const reader = await store.get(folder);
  const { run, origin } = reader.profile();
  const [accounts, context, models] = await Promise.all([
    readAccounts(folder),
    readTraining(reader),
    newestAccounts(runsFolders),
  ]);
  return {
    title: runTitle(run),
    board: [identifyBoard(run.board).title, ...(origin === undefined ? [] : [originName(origin)])].join(" · "),
    ...defined({ simulated: run.board.simulated }),
    running: run.state === "running",
    processes: mainFirst(run, accounts).map((account) => ({
      name: processName(run, account.pid),
      account,
      whatIfs: account.roots.map((root) => withoutSlider({ account, root, context })),
    })),
    context,
    repeatable: origin !== undefined && run.command.script !== undefined,
    shared: sharedLayers(models),
    compared: models.length,
  };
}

function mainFirst<Process extends { readonly pid: number }>({ processes }: RunInfo, found: readonly Process[]) {
  const main = processes.find(({ kind }) => kind === "main")?.pid;
  return [...found].sort((a, b) => Number(b.pid === main) - Number(a.pid === main));
}
