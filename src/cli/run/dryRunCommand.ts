/** `profile --dry-run`: what of the project would go to the board. Nothing is reached, made or sent. */
import { amountText, type Leaving, leavingLines, leavingOf } from "../../protocol/run/leaving.ts";
import { formatTarget } from "../../remote/address.ts";
import { checkRequired } from "../../remote/sync/offer.ts";
import { notesOf, type Walk, walkProject } from "../../remote/sync/walk.ts";
import { t } from "../../words/t.ts";
import { jsonText, type Output } from "../terminal/output.ts";
import { whatRuns } from "./profileCommand.ts";
import type { DryRunCommand } from "./repeatCommandLine.ts";

/** @throws UserError */
export async function dryRun({ profile }: DryRunCommand, stdout: Output): Promise<void> {
  const { target, projectFolder, entry } = await whatRuns(profile);
  const walk = await walkProject(projectFolder, profile.excludes, new AbortController().signal);
  checkRequired(walk, entry.kind === "script" ? entry.path : undefined);
  const files = target.kind === "local" ? [] : walk.files;
  const { stays } = walk;
  const leaving = leavingOf(files, { projectFolder, to: formatTarget(target), stays, notes: notesOf(walk) });
  if (profile.json) stdout.write(jsonText(dryRunJson(leaving, files)));
  else
    stdout.write(
      target.kind === "local"
        ? t("Nothing would be sent: the script runs on this computer, in {0}.\n", projectFolder)
        : dryRunText(leaving),
    );
}

function dryRunText(leaving: Leaving): string {
  const lines = [t("{0} would be on {1}.", amountText(leaving), leaving.to), ...leavingLines(leaving)];
  return `${lines.join("\n")}\n${t("Of these, only what the board does not have yet would be sent. Nothing was sent now.")}\n`;
}

function dryRunJson({ projectFolder, to, bytes, stays, notes }: Leaving, files: Walk["files"]): object {
  return {
    schema: 1,
    project: projectFolder,
    target: to,
    bytes,
    files: files.map(({ path, size }) => ({ path, bytes: size })),
    stays: Object.fromEntries(stays),
    notes,
  };
}
