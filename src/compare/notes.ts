/** What a reader of a comparison must know before he trusts it, in words. */

import type { Exit, RunInfo } from "../profile/model.ts";
import { originName } from "../profile/run/origin.ts";
import { measuredElsewhere, TOOL_NAMES } from "../profile/text/measuredElsewhere.ts";
import { type Phrase, phrase, say, t, verbatim } from "../words/t.ts";
import { lineMeasures, peakMeasures } from "./measures.ts";
import type { ComparedFile, ComparedMetric } from "./model.ts";
import { type LoadedRun, type LoadedSide, runsWith } from "./side.ts";

/** Fewer repeats say little of how far runs lie apart. */
const ENOUGH_REPEATS = 3;
const MOST_NAMES = 3;

export function notesOf(before: LoadedSide, after: LoadedSide, metric: ComparedMetric): string[] {
  return [
    ...sharedRuns(before, after),
    ...repeatNotes(before, after),
    ...measureNotes(before, after, metric),
    ...differing(before, after),
    ...endNotes("before", before),
    ...endNotes("after", after),
    ...repeatedSources("before", before),
    ...repeatedSources("after", after),
    ...momentNotes(before, after),
  ];
}

/** Of repeats alone. */
export function seriesNotes(side: LoadedSide): string[] {
  const made = t("of this series");
  return [...endNotes(made, side), ...repeatedSources(made, side)];
}

function sharedRuns(before: LoadedSide, after: LoadedSide): string[] {
  const isShared = before.folders.some((folder) => after.folders.includes(folder));
  return isShared ? [t("The same run is on both sides, which hides what changed.")] : [];
}

function repeatNotes(before: LoadedSide, after: LoadedSide): string[] {
  const least = Math.min(before.runs.length, after.runs.length);
  if (least >= ENOUGH_REPEATS) return [];
  const how = t("Repeat the runs to find out (jetson-memprof profile --repeat 5).");
  if (before.runs.length === 1 && after.runs.length === 1) {
    return [t("One run each: runs may differ by more than the noise shown. {0}", how)];
  }
  if (least > 1) return [t("A side has two repeats only, so its spread says little. {0}", how)];
  const which = before.runs.length === 1 ? "before" : "after";
  return [t("One run {0}: its repeats may differ by more than the noise shown. {1}", which, how)];
}

function measureNotes(before: LoadedSide, after: LoadedSide, metric: ComparedMetric): string[] {
  const differ = (what: string, of: typeof lineMeasures) => {
    const [old, now] = [of(before, metric), of(after, metric)];
    return old === now
      ? []
      : [
          t(
            "{0} of the two sides measure different things: {1} before, {2} after. So no change is told.",
            what,
            old,
            now,
          ),
        ];
  };
  const processes = metric === "heap" && [...before.runs, ...after.runs].some(({ run }) => run.processes.length > 1);
  const [old, now] = [lineMeasures(before, metric), lineMeasures(after, metric)];
  const elsewhere =
    metric !== "heap" && [...before.runs, ...after.runs].some(({ run }) => measuredElsewhere(run) !== undefined);
  return [
    ...(elsewhere && old === now ? [t("The figures of the lines are {0}.", old)] : []),
    ...differ(t("The lines"), lineMeasures),
    ...differ(t("The peaks"), peakMeasures),
    ...(processes ? [t("Of runs with several processes, the heap of the main process is compared.")] : []),
  ];
}

/** What differs between the two sides; runs of one side that differ among themselves are told too. */
function differing(before: LoadedSide, after: LoadedSide): string[] {
  return FACTS.flatMap(({ name, of }) => {
    const [old, now] = [before, after].map(({ runs }) => [...new Set(runs.map((run) => of(run) ?? t("unknown")))]);
    if (old === undefined || now === undefined) return [];
    const same = old.length === 1 && now.length === 1 && old[0] === now[0];
    return same ? [] : [t("{0}: {1} before, {2} after.", say(name), old.join(", "), now.join(", "))];
  });
}

interface Fact {
  readonly name: Phrase;
  of(run: LoadedRun): string | undefined;
}

const version =
  (name: string) =>
  ({ run }: LoadedRun): string =>
    run.versions[name] ?? t("none or unknown");

const FACTS: readonly Fact[] = [
  { name: phrase("Program"), of: ({ run }) => run.command.script ?? run.command.module },
  { name: phrase("Arguments"), of: ({ run }) => run.command.args.join(" ") || t("none") },
  { name: phrase("Environment"), of: ({ run }) => environmentText(run) },
  { name: phrase("Board"), of: ({ run }) => run.board.model ?? run.board.machine },
  { name: phrase("Release of the board's system (L4T)"), of: ({ run }) => run.board.l4t ?? t("none or unknown") },
  {
    name: phrase("Target"),
    of: ({ run, origin }) => origin && originName(origin, run.board.simulated),
  },
  { name: phrase("Measured by"), of: ({ run }) => engineText(run) },
  { name: verbatim("Python"), of: version("python") },
  { name: verbatim("PyTorch"), of: version("torch") },
  { name: verbatim("CUDA"), of: version("cuda") },
];

function environmentText({ environment }: RunInfo): string {
  const set = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return set.sort().join(" ") || t("none of those that matter");
}

function engineText(run: RunInfo): string {
  const { engine, processes } = run;
  const elsewhere = measuredElsewhere(run);
  if (elsewhere !== undefined) return t("{0} (imported)", TOOL_NAMES[elsewhere.format]);
  if (engine.name !== "line") return engine.name;
  const pure = processes.some(({ implementation }) => implementation === "pure");
  return [t("line engine"), ...(engine.exact ? [t("exact")] : []), ...(pure ? [t("in pure Python")] : [])].join(
    t(", "),
  );
}

/** @param which side they are on: `before` */
function endNotes(which: string, { runs }: LoadedSide): string[] {
  const cut = runs.flatMap(({ run }) => endText(run.exit, run.state) ?? []);
  if (cut.length === 0) return [];
  const what = [...new Set(cut)].join(", ");
  const many = runs.length === 1 ? t("The run {0}", which) : t("{0} of {1} runs {2}", cut.length, runs.length, which);
  return [t("{0} {1}: lines not reached by then are unknown, and the peak may be too low.", many, what)];
}

/** Undefined for a run that came to its own end; an exit status other than 0 is told by itself. */
function endText(exit: Exit | undefined, state: RunInfo["state"]): string | undefined {
  switch (exit?.kind) {
    case "exited":
      return exit.code === 0 ? undefined : t("ended with exit status {0}", exit.code);
    case "out-of-memory":
      return t("was ended because memory ran out");
    case "signalled":
      return t("was ended by {0}", exit.signal);
    case "cancelled":
      return t("was cancelled");
    case "not-started":
      return t("could not be started");
    case "lost":
      return t("was lost sight of");
    case undefined:
      return state === "running" ? t("is still in progress") : undefined;
  }
}

function repeatedSources(which: string, side: LoadedSide): string[] {
  const differ = side.sources.filter((source) => {
    const had = side.runs.filter(({ files }) => files.has(source.path));
    return runsWith(side, source).length < had.length;
  });
  if (differ.length === 0) return [];
  const files = named(differ.map(({ path }) => path));
  return [t("The runs {0} do not all have the same {1}: of it, runs with the first one's text count.", which, files)];
}

/** How files were matched, where that is not by their names and texts. */
export function fileNotes(files: readonly ComparedFile[]): string[] {
  const both = files.filter(({ kind }) => kind === "both" || kind === "moved");
  const byNumbers = both.filter(({ sourcesMissing }) => sourcesMissing).map(({ path }) => path);
  const moved = both.flatMap(({ path, from }) => (from === undefined ? [] : [t("{0} is now {1}", from, path)]));
  return [
    ...(moved.length === 0 ? [] : [t("Recognized by their text: {0}.", named(moved))]),
    ...(byNumbers.length === 0
      ? []
      : [
          t(
            "Matched by line numbers only, as a source was not kept: {0}. Edits may have moved the lines.",
            named(byNumbers),
          ),
        ]),
  ];
}

function named(paths: readonly string[]): string {
  const more = paths.length - MOST_NAMES;
  return more > 0 ? t("{0} and {1} more files", paths.slice(0, MOST_NAMES).join(", "), more) : paths.join(", ");
}

function momentNotes(before: LoadedSide, after: LoadedSide): string[] {
  const moments = new Set([...before.runs, ...after.runs].flatMap(({ ledger }) => ledger?.moment ?? []));
  if (moments.size < 2) return [];
  return [
    t(
      "The rows of RAM are of different moments: where the GPU's memory could be read, when the run held the most, else when the least was available.",
    ),
  ];
}
