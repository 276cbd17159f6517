/** A list of runs as text and as JSON. */
import * as path from "node:path";
import { peakText } from "../../profile/run/runJson.ts";
import { formatDuration } from "../../profile/text/format.ts";
import { importedText } from "../../profile/text/measuredElsewhere.ts";
import { printable } from "../../profile/text/text.ts";
import { endWords, outcomeOf } from "../../runs/list/outcome.ts";
import type { RunGroup, RunListEntry, RunSummary } from "../../runs/model.ts";
import { t } from "../../words/t.ts";

/** One line, the folder's name first: that is what commands take. */
export function runLine(entry: RunListEntry): string {
  if (entry.kind === "unreadable") {
    return printable(t("{0}  cannot be read: {1}", path.basename(entry.folder), entry.reason));
  }
  const { run } = entry;
  const { label, group, imported } = run;
  const facts = [
    label.name === undefined ? undefined : `"${label.name}"`,
    run.title,
    run.target,
    endOf(run),
    run.elapsedMs === undefined ? undefined : formatDuration(run.elapsedMs),
    run.rssPeak === undefined ? undefined : peakText(run, run.rssPeak),
    group && groupText(group),
    imported && importedText(imported),
    label.pinned ? "pinned" : undefined,
    ...label.tags.map((tag) => `#${tag}`),
    label.note === undefined ? undefined : t("note: {0}", label.note),
  ];
  return printable(`${path.basename(run.folder)}  ${facts.filter((fact) => fact !== undefined).join(" · ")}`);
}

function endOf(run: RunSummary): string | undefined {
  const { state, exit, imported } = run;
  if (state === "running") return t("not ended");
  // Other tools' files do not say how the script ended.
  const untold = imported !== undefined && exit === undefined;
  return untold || outcomeOf(run) === "finished" ? undefined : endWords(exit);
}

function groupText({ kind, index, of }: RunGroup): string {
  return t("{0} {1} of {2}", kind, index, of);
}

export function runsJson(entries: readonly RunListEntry[]): object {
  return {
    schema: 1,
    runs: entries.map((entry) =>
      entry.kind === "run" ? runJson(entry.run) : { folder: entry.folder, unreadable: entry.reason },
    ),
  };
}

/** Keys of what is not known are absent. */
function runJson(run: RunSummary): object {
  return {
    folder: run.folder,
    id: run.id,
    title: run.title,
    script: run.script,
    started: run.started,
    elapsed_ms: run.elapsedMs,
    state: run.state,
    exit: run.exit,
    target: run.target,
    simulated: run.simulated,
    rss_peak: run.rssPeak,
    massif: run.massif,
    metrics: run.metrics,
    name: run.label.name,
    note: run.label.note,
    tags: run.label.tags,
    pinned: run.label.pinned,
    group: run.group,
    git: run.git,
    imported: run.imported,
    warnings: run.warnings,
  };
}
