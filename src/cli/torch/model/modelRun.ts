/** A run with what is known of its model's memory. */
import { readTraining } from "../../../board/node/readTraining.ts";
import { defined } from "../../../profile/defined.ts";
import type { RunInfo, RunOrigin } from "../../../profile/model.ts";
import { openRunFolder } from "../../../profile/run/runFolder.ts";
import { UserError } from "../../../profile/userError.ts";
import { mainRoot } from "../../../torch/model/bytes.ts";
import type { ModelAccount, RootAccount } from "../../../torch/model/model.ts";
import { readAccounts } from "../../../torch/node/readAccounts.ts";
import type { TrainingContext } from "../../../torch/whatif/context.ts";
import { fromHelper } from "../../../words/fromHelper.ts";
import { t } from "../../../words/t.ts";

export interface ModelRun {
  readonly folder: string;
  readonly run: RunInfo;
  readonly origin?: RunOrigin;
  /** Of the process with the largest model. */
  readonly account: ModelAccount;
  readonly root: RootAccount;
  readonly context: TrainingContext;
}

/** @throws UserError `no-model-account` besides what reading a run throws */
export async function readModelRun(folder: string): Promise<ModelRun> {
  const reader = openRunFolder(folder);
  await reader.refresh();
  const { run, origin } = reader.profile();
  const found = (await readAccounts(folder)).flatMap((account) => {
    const root = account.roots[mainRoot(account.roots) ?? -1];
    return root === undefined ? [] : [{ account, root }];
  });
  const [largest] = found.sort((a, b) => b.root.total.parameters - a.root.total.parameters);
  if (largest === undefined) {
    const why = run.warnings.find(({ code }) => code === "model-not-accounted");
    throw new UserError(
      "no-model-account",
      t("The run in {0} has no account of a model.{1}", folder, why === undefined ? "" : ` ${fromHelper(why.message)}`),
      t("Profile the script with --model; it must run a torch.nn.Module."),
    );
  }
  const context = await readTraining(reader);
  return { folder, run, ...defined({ origin }), ...largest, context };
}
