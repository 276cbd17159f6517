/** "Go to Heaviest Line": where most of the memory of a run was taken. */
import { t } from "../../words/t.ts";
import { openPlace } from "../page/openPlace.ts";
import { findings } from "../run/end/headline.ts";
import { chooseRun, type RunArgument } from "../runs/runCommands.ts";
import type { Services } from "../services.ts";
import { reached } from "./milestones.ts";

export async function showHeaviestLine(services: Services, argument: RunArgument): Promise<void> {
  const { ask, report, shown } = services;
  const current = argument === undefined ? shown.current : undefined;
  const run = current ?? (await chooseRun(services, argument, t("Which run's heaviest line?")));
  if (run === undefined) return;
  const { folder, title } = run;
  const { heaviest, headline } = findings(title, await ask("jetsonMemprof/runTree", { folder }));
  if (heaviest === undefined) return report.tell("information", headline);
  await openPlace(ask, { folder, ...heaviest });
  // Who goes to a line of a run wants to see that run's figures there.
  if (shown.current?.folder !== folder) await shown.show(folder);
  reached("read");
}
