/** `runs`: lists a project's runs, names, notes, tags, pins, deletes, restores and prunes them. */
import * as path from "node:path";
import { defined } from "../../profile/defined.ts";
import { runsFolderOf } from "../../profile/run/runsFolder.ts";
import { formatBytes } from "../../profile/text/format.ts";
import { printable } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import { changeLabel } from "../../runs/keeping.ts";
import { noted, pinned, renamed, retagged } from "../../runs/labels.ts";
import { filtered, sorted } from "../../runs/list/arrange.ts";
import { createRunList } from "../../runs/list/runList.ts";
import type { RunLabel } from "../../runs/model.ts";
import { deleteRun, listDeleted, restoreRun } from "../../runs/pruning/deleted.ts";
import { DEFAULT_LIMITS, type Limits, type Pruning } from "../../runs/pruning/prune.ts";
import { planPruning, prune } from "../../runs/pruning/pruneProject.ts";
import { t } from "../../words/t.ts";
import { jsonText, type Output } from "../terminal/output.ts";
import { findRun } from "./runLookup.ts";
import type { RunsAction, RunsCommand } from "./runsCommandLine.ts";
import { runLine, runsJson } from "./runsText.ts";

/** @throws UserError */
export async function runs(command: RunsCommand, output: Output): Promise<void> {
  const project = path.resolve(command.project ?? ".");
  switch (command.does) {
    case "list":
      return await list(command, project, output);
    case "name":
      return await relabel(command.run, project, output, (label) => renamed(label, command.name));
    case "note":
      return await relabel(command.run, project, output, (label) => noted(label, command.note));
    case "tag":
      return await relabel(command.run, project, output, (label) =>
        retagged(label, [...label.tags.filter((tag) => !command.remove.includes(tag)), ...command.add]),
      );
    case "pin":
    case "unpin":
      return await relabel(command.run, project, output, (label) => pinned(label, command.does === "pin"));
    case "delete": {
      const folder = await findRun(command.run, project);
      await deleteRun(folder);
      const name = path.basename(folder);
      const undo = t('Undo with "jetson-memprof runs restore {0}"', name);
      output.write(
        t(
          "Deleted {0}. {1}; pruning removes it for good after seven days, or earlier where the size limit needs the room.\n",
          name,
          undo,
        ),
      );
      return;
    }
    case "deleted":
      return await listDeletedRuns(project, output);
    case "restore": {
      const folder = await restoreRun(await findDeleted(command.run, project));
      output.write(t("Restored {0}.\n", path.basename(folder)));
      return;
    }
    case "prune":
      return await pruneRuns(command, project, output);
  }
}

async function list(
  { order, json, text, tag }: Extract<RunsAction, { does: "list" }>,
  project: string,
  output: Output,
): Promise<void> {
  const runsFolder = runsFolderOf(project);
  const all = await createRunList().runs([runsFolder]);
  const filter = { ...defined({ text, tag }) };
  const shown = sorted(filtered(all, filter), order);
  if (json) output.write(jsonText(runsJson(shown)));
  else if (all.length === 0) output.write(t("There are no runs in {0}.\n", printable(runsFolder)));
  else if (shown.length === 0) output.write(t("None of the {0} runs fits.\n", all.length));
  else for (const entry of shown) output.write(`${runLine(entry)}\n`);
}

async function relabel(
  text: string,
  project: string,
  output: Output,
  change: (label: RunLabel) => RunLabel,
): Promise<void> {
  const folder = await findRun(text, project);
  await changeLabel(folder, change);
  const [entry] = (await createRunList().runs([path.dirname(folder)])).filter(
    (found) => found.kind === "run" && found.run.folder === folder,
  );
  if (entry !== undefined) output.write(`${runLine(entry)}\n`);
}

async function listDeletedRuns(project: string, output: Output): Promise<void> {
  const deleted = await listDeleted(project);
  if (deleted.length === 0) {
    output.write(t("No deleted run can be restored.\n"));
    return;
  }
  const home = path.dirname(deleted[0]?.folder ?? "");
  const entries = await createRunList().runs([home]);
  for (const { folder, deletedAt } of deleted) {
    const entry = entries.find((found) => (found.kind === "run" ? found.run.folder : found.folder) === folder);
    const when = deletedAt === undefined ? t("at an unknown time") : new Date(deletedAt).toISOString();
    if (entry !== undefined) output.write(t("{0} · deleted {1}\n", runLine(entry), when));
  }
}

/** @throws UserError `no-such-run` */
async function findDeleted(text: string, project: string): Promise<string> {
  const folders = (await listDeleted(project)).map(({ folder }) => folder);
  const exact = folders.filter((folder) => path.basename(folder) === text);
  const found = exact.length > 0 ? exact : folders.filter((folder) => path.basename(folder).startsWith(text));
  const [only, ...more] = text === "last" ? folders.slice(0, 1) : found;
  if (only !== undefined && more.length === 0) return only;
  throw new UserError(
    "no-such-run",
    only === undefined
      ? t('No deleted run "{0}" can be restored.', text)
      : t('"{0}" is the beginning of {1} deleted runs.', text, found.length),
    t('See "jetson-memprof runs deleted".'),
  );
}

async function pruneRuns(
  { maxRuns, maxBytes, dryRun }: Extract<RunsAction, { does: "prune" }>,
  project: string,
  output: Output,
): Promise<void> {
  const limits = { maxRuns, maxBytes, deletedFor: DEFAULT_LIMITS.deletedFor };
  const plan = await planPruning(project, limits, () => false);
  const names = (folders: readonly string[]) => folders.map((folder) => `  ${path.basename(folder)}\n`).join("");
  const runs = plan.runs === 1 ? t("1 run") : t("{0} runs", plan.runs);
  const kept = maxBytes > 0 ? t("{0}, {1} with the deleted ones", runs, formatBytes(plan.bytes)) : runs;
  output.write(`${t("{0}.", kept)}\n`);
  for (const limit of plan.unreachable) output.write(`${unreachableText(limit, limits)}\n`);
  const { remove, forget } = plan;
  if (remove.length + forget.length === 0) {
    output.write(t("Nothing to prune.\n"));
    return;
  }
  const told = (what: string, folders: readonly string[]) => {
    if (folders.length > 0) output.write(`${what}:\n${names(folders)}`);
  };
  if (dryRun) {
    told(t("Would be deleted"), remove);
    told(t("Would be removed for good"), forget);
    return;
  }
  const { moved, forgotten, failures } = await prune(plan);
  told(t("Deleted, can be restored"), moved);
  told(t("Removed for good"), forgotten);
  if (failures[0] !== undefined) throw failures[0];
}

function unreachableText(limit: Pruning["unreachable"][number], { maxRuns, maxBytes }: Limits): string {
  switch (limit) {
    case "maxRuns":
      return t("The runs that must stay are more than {0} already, so none is deleted for their number.", maxRuns);
    case "maxBytes":
      return t(
        "The runs that must stay take more than {0} already, so none is deleted for their size.",
        formatBytes(maxBytes),
      );
  }
}
