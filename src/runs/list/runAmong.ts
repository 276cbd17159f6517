/** Which of several runs is meant by what was typed. */
import * as path from "node:path";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { mapBounded } from "../concurrency.ts";
import { readKeeping } from "../keeping.ts";

/**
 * @param text `last`, the name that its user gave a run, or its id or the beginning of that
 * @param folders of the runs, newest first
 * @returns the run's folder; undefined where none is called so
 * @throws UserError `no-such-run` where several are
 */
export async function runAmong(text: string, folders: readonly string[]): Promise<string | undefined> {
  if (text === "last") return folders[0];
  const exact = folders.find((folder) => path.basename(folder) === text);
  if (exact !== undefined) return exact;
  const named = await runsNamed(text, folders);
  const found = named.length > 0 ? named : folders.filter((folder) => path.basename(folder).startsWith(text));
  if (found.length < 2) return found[0];
  throw new UserError(
    "no-such-run",
    t(
      '"{0}" is {1} of {2} runs: {3}.',
      text,
      named.length > 0 ? t("the name") : t("the beginning"),
      found.length,
      found.map((run) => path.basename(run)).join(", "),
    ),
    named.length > 0 ? t("Type one of these instead.") : t("Type more of it."),
  );
}

/** The runs that their user gave exactly this name. */
async function runsNamed(name: string, folders: readonly string[]): Promise<readonly string[]> {
  const labels = await mapBounded(folders, 16, async (folder) => (await readKeeping(folder)).label);
  return folders.filter((_folder, at) => labels[at]?.name === name);
}
