/** What starts the script in Python's place, as the settings have it. Pure. */
import type { EngineName } from "../../../profile/model.ts";
import { UserError } from "../../../profile/userError.ts";
import { t } from "../../../words/t.ts";
import type { RunSettings } from "../../settings/settings.ts";

/** Undefined where Python starts it. @throws UserError `launcher-unfit` */
export function launcherOf(
  { launcher }: Pick<RunSettings, "launcher">,
  engine: EngineName,
  script: string,
): readonly string[] | undefined {
  const [program] = launcher;
  if (program === undefined || script.endsWith(".ipynb")) return undefined;
  if (engine === "line") return launcher;
  throw new UserError(
    "launcher-unfit",
    t("{0} measures a script that Python starts, and here {1} does.", engine === "massif" ? "Massif" : engine, program),
    t("Use the line engine, or native stacks. Without the setting jetsonMemprof.launcher, Python starts the script."),
  );
}
