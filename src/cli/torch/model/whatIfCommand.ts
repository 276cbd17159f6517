/** `whatif`: what changes to the training would save, estimated, and measured by a run where asked to. */
import * as path from "node:path";
import { projectOfRun } from "../../../profile/run/runsFolder.ts";
import { UserError } from "../../../profile/userError.ts";
import { isForeign, readOrigin } from "../../../remote/run/origin.ts";
import type { Trial } from "../../../torch/model/model.ts";
import { allWhatIfs } from "../../../torch/whatif/allWhatIfs.ts";
import type { WhatIf } from "../../../torch/whatif/model.ts";
import type { WhatIfs } from "../../../torch/whatif/whatIfs.ts";
import { t } from "../../../words/t.ts";
import type { Surroundings } from "../../run/followRun.ts";
import { record } from "../../run/profileCommand.ts";
import type { ProfileCommand } from "../../run/profileCommandLine.ts";
import { findRun } from "../../runs/runLookup.ts";
import { jsonText } from "../../terminal/output.ts";
import { foreignText, notOwnRun } from "../../terminal/reachQuestion.ts";
import type { WhatIfCommand } from "./modelCommandLine.ts";
import { whatIfsJson } from "./modelJson.ts";
import { type ModelRun, readModelRun } from "./modelRun.ts";
import { whatIfsText } from "./whatIfText.ts";

/**
 * @returns the exit status
 * @throws UserError
 */
export async function whatIf(command: WhatIfCommand, helperFolder: string, around: Surroundings): Promise<number> {
  const folder = await findRun(command.run, path.resolve(command.project ?? "."));
  let run = await readModelRun(folder);
  let answers = answersOf(run, command);
  if (command.verify) {
    await verify(run, answers, command, helperFolder, around);
    // Read again: the new run is now among those that measured the change.
    run = await readModelRun(folder);
    answers = answersOf(run, command);
  }
  around.stdout.write(command.json ? jsonText(whatIfsJson(run.run.id, answers)) : whatIfsText(run, answers));
  return 0;
}

function answersOf({ account, root, context }: ModelRun, { only }: WhatIfCommand): WhatIfs {
  const choices = only?.value === undefined ? {} : { [only.kind]: only.value };
  const { estimates, refused } = allWhatIfs({ account, root, context, choices });
  if (only === undefined) return { estimates, refused };
  return {
    estimates: estimates.filter(({ kind }) => kind === only.kind),
    refused: refused.filter(({ kind }) => kind === only.kind),
  };
}

async function verify(
  run: ModelRun,
  { estimates, refused }: WhatIfs,
  command: WhatIfCommand,
  helperFolder: string,
  around: Surroundings,
): Promise<void> {
  const [estimate] = estimates;
  if (estimate === undefined) {
    throw new UserError(
      "no-estimate",
      refused[0]?.reason ?? t("There is nothing to verify."),
      t("See jetson-memprof whatif RUN."),
    );
  }
  const again = commandOf(run, trialOf(estimate), command);
  await checkOwn(run);
  const outcome = await record(again, helperFolder, around);
  if (outcome.kind === "failed") throw outcome.error;
  if (outcome.kind === "cancelled" || outcome.folder === undefined) {
    throw new UserError("cancelled", t("The run was cancelled; nothing was compared."));
  }
  const { account } = await readModelRun(outcome.folder);
  const refusedThere = account.trial?.refused;
  if (refusedThere !== undefined) {
    throw new UserError(
      "trial-refused",
      t("The change could not be made to this model: {0}", refusedThere),
      t("The run without it is in {0}.", outcome.folder),
    );
  }
}

/** @throws UserError `edit-by-hand` */
function trialOf({ title, verify: how }: WhatIf): Trial {
  if (how.kind === "run") return how.trial;
  throw new UserError(
    "edit-by-hand",
    t("{0}: this change is made in the script by hand.", title),
    t("Change it like this, and profile it with --model:\n{0}", how.code),
  );
}

/**
 * The board that a run's folder names is reached where this account made the folder.
 * @throws UserError `not-own-run`
 */
async function checkOwn({ run, origin, folder }: ModelRun): Promise<void> {
  if (origin === undefined || !isForeign({ own: false, target: origin.target }) || (await readOrigin(folder)).own)
    return;
  const hint = t("Where you know that board, profile the script there yourself, with --model and --try.");
  throw notOwnRun(foreignText(run.id, origin.target), origin.target, hint);
}

/** The same run once more, with the change. */
function commandOf({ run, origin, folder }: ModelRun, trial: Trial, { json, excludes }: WhatIfCommand): ProfileCommand {
  const project = projectOfRun(folder);
  const { script, module, args, python } = run.command;
  if (origin === undefined || project === undefined || (script === undefined && module === undefined)) {
    throw new UserError(
      "not-repeatable",
      t("This run does not say where it was made, so it cannot be made again."),
      t("Profile the script with --model first, in its project's folder."),
    );
  }
  return {
    kind: "profile",
    entry:
      script === undefined
        ? { kind: "module", name: module ?? "" }
        : { kind: "script", path: path.join(project, script) },
    args,
    target: origin.target,
    python,
    engine: "line",
    torch: { exactPeaks: false, model: { steps: VERIFY_STEPS, trial } },
    exact: run.engine.exact,
    accelerator: run.engine.accelerator,
    excludes,
    environment: run.environment,
    project,
    metric: "rss",
    json,
    quiet: false,
  };
}

const VERIFY_STEPS = 3;
