/** The words of the rows that stand for runs and groups of runs. */

import type { Exit } from "../../../profile/model.ts";
import { highestText } from "../../../profile/run/runJson.ts";
import { formatBytes, formatDuration } from "../../../profile/text/format.ts";
import { explained, GLOSSARY } from "../../../profile/text/glossary.ts";
import { importedText, measuresText, timelineMeasure } from "../../../profile/text/measuredElsewhere.ts";
import { sinceText } from "../../../profile/text/moment.ts";
import { median, type RunGroupRow } from "../../../runs/list/arrange.ts";
import { endWords } from "../../../runs/list/outcome.ts";
import { startOf } from "../../../runs/list/startOf.ts";
import type { GitState, RunSummary } from "../../../runs/model.ts";
import { fromHelper } from "../../../words/fromHelper.ts";
import { t } from "../../../words/t.ts";
import { join, type RowText, withCommas } from "./describe.ts";
import { longWhen, shortWhen } from "./when.ts";

/**
 * `active`: this window is connected to it. `cut-off`: the window follows it, and its connection is lost. `elsewhere`:
 * another window follows it. `unfinished`: it goes on, or ended, without a connection.
 */
export type RunActivity = "active" | "cut-off" | "elsewhere" | "unfinished" | "finished";

/** Who follows a run, as far as its row depends on it. */
export type Followed = { readonly isCutOff: boolean } | "elsewhere";

export function runActivity(run: Pick<RunSummary, "state" | "exit">, followed: Followed | undefined): RunActivity {
  if (typeof followed === "object") return followed.isCutOff ? "cut-off" : "active";
  return run.state === "running" ? (followed ?? "unfinished") : "finished";
}

export function endText(activity: RunActivity, exit: Exit | undefined): string {
  switch (activity) {
    case "active":
      return t("running");
    case "cut-off":
      return t("connection lost, the run continues");
    case "elsewhere":
      return t("followed by another window");
    case "unfinished":
      return t("not connected");
    case "finished":
      return endWords(exit);
  }
}

const endedWell = (activity: RunActivity, { exit }: Pick<RunSummary, "exit">): boolean =>
  activity === "finished" && exit?.kind === "exited" && exit.code === 0;

/** It ended otherwise than its user wanted, perhaps for want of memory. */
export function endedBadly({ state, exit }: Pick<RunSummary, "state" | "exit">): boolean {
  if (state === "running" || exit === undefined) return false;
  return exit.kind === "exited" ? exit.code !== 0 : exit.kind !== "cancelled" && exit.kind !== "not-started";
}

/** ThemeIcon's name; the words say the same. */
export function runIcon(
  activity: RunActivity,
  { exit, imported, label }: Pick<RunSummary, "exit" | "imported"> & { readonly label?: RunSummary["label"] },
  shown: boolean,
): string {
  if (activity === "active") return "sync~spin";
  if (activity === "cut-off") return "debug-disconnect";
  if (activity === "elsewhere") return "multiple-windows";
  if (shown) return "eye";
  if (activity === "unfinished") return "debug-disconnect";
  if (imported !== undefined && exit === undefined) return label?.pinned ? "pinned" : "symbol-file";
  if (exit?.kind === "exited" && exit.code === 0) return label?.pinned ? "pinned" : "pass";
  return exit?.kind === "cancelled" ? "circle-slash" : "error";
}

/** Where a row stands: by itself, or below its group, which says already what ran. */
export type RowPlace = "root" | "group";

export function describeRun(
  run: RunSummary,
  activity: RunActivity,
  shown: boolean,
  { place = "root", now = new Date() }: { readonly place?: RowPlace; readonly now?: Date } = {},
): RowText {
  const said = factsOf(run, activity, now);
  const { end, peak, when, target, member, tags } = said;
  const { name, pinned } = run.label;
  const below = place === "group";
  const label = name ?? (below ? member : undefined) ?? run.title;
  const cutOff = activity === "cut-off";
  const description = join(" · ", [
    cutOff ? end : undefined,
    // Of a narrow view's few letters the figure takes the first; the icon says what ended badly, or is pinned.
    peak,
    cutOff || endedWell(activity, run) ? undefined : end,
    said.since,
    run.massif ? "massif" : run.sampled === true ? t("native stacks") : undefined,
    tags,
    below || label === run.title ? undefined : run.title,
    label === member ? undefined : member,
    pinned ? t("pinned") : undefined,
    said.shortWhen,
    run.simulated ? t("simulated board") : target,
    run.label.note,
  ]);
  return {
    label,
    description,
    tooltip: tooltipOf(run, said, shown),
    spoken: withCommas([
      name,
      t("Run of {0}", run.title),
      member,
      pinned ? t("pinned") : undefined,
      run.massif ? t("with Massif") : run.sampled === true ? t("with native stacks") : undefined,
      end,
      peak,
      when,
      target,
      tags && t("tags {0}", run.label.tags.join(t(", "))),
      run.label.note && t("note: {0}", run.label.note),
      shown ? t("shown in the editor") : undefined,
      said.since,
    ]),
  };
}

/** What a row, its tooltip and its spoken words say alike. */
interface RunFacts {
  readonly end: string;
  readonly peak: string | undefined;
  readonly when: string | undefined;
  readonly shortWhen: string | undefined;
  readonly target: string | undefined;
  /** Which one of its group it is. */
  readonly member: string | undefined;
  readonly tags: string | undefined;
  /** Where its lines are shown since a moment. */
  readonly since: string | undefined;
}

function factsOf(run: RunSummary, activity: RunActivity, now: Date): RunFacts {
  const start = startOf(run, now);
  const { tags } = run.label;
  return {
    end: run.imported !== undefined && run.exit === undefined ? t("imported") : endText(activity, run.exit),
    peak: peakText(run),
    when: start && longWhen(start),
    shortWhen: start && shortWhen(start, now),
    target: run.target?.replace(/\bssh:\/\//, ""),
    member: placeInGroup(run),
    tags: tags.length === 0 ? undefined : tags.map((tag) => `#${tag}`).join(" "),
    since: run.since === undefined ? undefined : t("lines {0}", sinceText(run.since)),
  };
}

function tooltipOf(run: RunSummary, { end, when, target, member, tags }: RunFacts, shown: boolean): string {
  const { imported, label, rssPeak } = run;
  return join("\n", [
    label.name,
    run.title,
    when && t("Started: {0}", when),
    imported && t("The run was {0}.", importedText(imported)),
    imported && t("Figures by line: {0}", measuresText(imported)),
    target && t("Ran on: {0}", target),
    rssPeak === undefined ? undefined : mostText(run, highestText(run, rssPeak)),
    rssPeak === undefined || imported !== undefined ? undefined : explained(GLOSSARY["The memory of a process"].rss),
    run.elapsedMs === undefined ? undefined : t("Time: {0}", formatDuration(run.elapsedMs)),
    t("State: {0}", end),
    member && t("Made together with other runs: {0}", member),
    run.git && gitText(run.git),
    tags && t("Tags: {0}", tags),
    label.note && t("Your note: {0}", label.note),
    label.pinned ? t("Pinned: it is never pruned.") : undefined,
    shown ? t("Its figures are shown in the editor.") : undefined,
    ...run.warnings.map((warning) => t("Note: {0}", fromHelper(warning))),
  ]);
}

function mostText(run: RunSummary, bytes: string): string {
  const measure = timelineMeasure(run);
  if (measure !== undefined) return t("Most {0}: {1}", measure, bytes);
  return run.massif
    ? t("Most memory of valgrind and the script together (RSS): {0}", bytes)
    : t("Most memory (RSS): {0}", bytes);
}

/** Under massif the RSS is valgrind's own for the most part: it would be taken for the script's. */
function peakText(run: RunSummary): string | undefined {
  const { rssPeak, massif } = run;
  return rssPeak === undefined || massif ? undefined : t("{0} peak", highestText(run, rssPeak));
}

function placeInGroup({ group }: Pick<RunSummary, "group">): string | undefined {
  if (group === undefined) return undefined;
  if (group.kind === "repeat") return t("repeat {0} of {1}", group.index, group.of);
  const values = Object.entries(group.values).map(([name, value]) => `${name} ${value}`);
  return values.length === 0 ? t("run {0} of {1}", group.index, group.of) : withCommas(values);
}

/** `Commit: 1a2b3c4 on main, 2 files changed`. */
export function gitText({ commit, branch, changed, truncated }: GitState): string {
  const short = commit.slice(0, 7);
  return withCommas([
    branch === undefined ? t("Commit: {0}", short) : t("Commit: {0} on {1}", short, branch),
    truncated ? t("{0} or more files changed", changed.length) : changedText(changed.length),
  ]);
}

function changedText(files: number): string {
  if (files === 0) return t("nothing changed");
  return files === 1 ? t("1 file changed") : t("{0} files changed", files);
}

export function describeGroup({ makes, runs, of }: RunGroupRow): RowText {
  const [first] = runs;
  const title = first === undefined ? "" : makes === "sweep" ? (first.script ?? first.title) : first.title;
  const label = makes === "sweep" ? t("Sweep of {0}", title) : t("{0} repeats of {1}", runs.length, title);
  const missing = runs.length < of ? t("{0} planned", of) : undefined;
  const pin = runs.some((run) => run.label.pinned) ? t("has a pinned run") : undefined;
  const isWhole = ({ state, exit }: RunSummary): boolean => state !== "running" && exit?.kind !== "lost";
  const peaks = runs.flatMap((run) =>
    run.rssPeak === undefined || run.massif || !isWhole(run) || timelineMeasure(run) !== undefined ? [] : [run.rssPeak],
  );
  const peak = makes === "sweep" ? rangeText(peaks) : medianText(peaks);
  const bad = runs.filter(endedBadly).length;
  const failed = bad === 0 ? undefined : t("{0} ended badly", bad);
  const count = makes === "sweep" ? t("{0} runs", runs.length) : undefined;
  const facts = [peak, count, failed, missing, pin];
  return {
    label,
    description: join(" · ", facts),
    tooltip: join("\n", [label, ...facts]),
    spoken: withCommas([label, ...facts]),
  };
}

function medianText(peaks: readonly number[]): string | undefined {
  const middle = peaks.length < 2 ? undefined : median(peaks);
  return middle === undefined ? undefined : t("{0} median peak", formatBytes(middle));
}

function rangeText(peaks: readonly number[]): string | undefined {
  if (peaks.length === 0) return undefined;
  const [least, most] = [formatBytes(Math.min(...peaks)), formatBytes(Math.max(...peaks))];
  return least === most ? t("{0} peak", most) : t("{0} to {1} peak", least, most);
}
