/** `profile --repeat N`: runs made one after the other as a series, and how far they lie apart. */
import * as path from "node:path";
import { compareRepeats } from "../../compare/node/compareFolders.ts";
import { colored, plain } from "../../profile/lines/annotate.ts";
import { readRunHead } from "../../profile/run/runHead.ts";
import { newGroupId } from "../../runs/runId.ts";
import { t } from "../../words/t.ts";
import { jsonText, showsColors } from "../terminal/output.ts";
import { exitStatus, INTERRUPTED } from "./exitStatus.ts";
import type { Surroundings } from "./followRun.ts";
import { record } from "./profileCommand.ts";
import type { ProfileCommand } from "./profileCommandLine.ts";
import type { RepeatCommand } from "./repeatCommandLine.ts";
import { type Series, seriesJson, seriesText } from "./repeatText.ts";

/**
 * Ctrl-C ends the run and the series; what was recorded until then is kept and told.
 * @returns the first exit status of a run that is not 0
 * @throws UserError
 */
export async function repeat(
  { profile, times }: RepeatCommand,
  helperFolder: string,
  around: Surroundings,
): Promise<number> {
  const series: Series = { id: newGroupId(stemOf(profile)), planned: times, folders: [] };
  const folders: string[] = [];
  const statuses: number[] = [];
  let interrupted = false;
  // A signal between two runs ends the series too.
  const interrupt = () => {
    interrupted = true;
  };
  around.signals.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  try {
    for (let index = 1; index <= times && !interrupted; index++) {
      if (!profile.quiet) around.stderr.write(t("Run {0} of {1}\n", index, times));
      const group = { kind: "repeat", id: series.id, index, of: times } as const;
      const outcome = await record({ ...profile, group }, helperFolder, around);
      if (outcome.folder !== undefined) folders.push(outcome.folder);
      if (outcome.kind === "failed") throw outcome.error;
      if (outcome.kind === "cancelled") interrupted = true;
      else statuses.push(exitStatus((await readRunHead(outcome.folder)).run.exit));
    }
  } finally {
    around.signals.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    if (folders.length > 0) await print({ ...series, folders }, profile, around);
  }
  return interrupted ? INTERRUPTED : (statuses.find((status) => status !== 0) ?? 0);
}

function stemOf({ entry }: ProfileCommand): string {
  return entry.kind === "script" ? path.basename(entry.path).replace(/\.py$/i, "") : entry.name;
}

async function print(series: Series, { metric, json }: ProfileCommand, { stdout, env }: Surroundings): Promise<void> {
  const figures = await compareRepeats(series.folders, metric === "all" ? "rss" : metric);
  stdout.write(
    json
      ? jsonText(seriesJson(series, figures))
      : `\n${seriesText(series, figures, showsColors(stdout, env) ? colored : plain)}`,
  );
}
