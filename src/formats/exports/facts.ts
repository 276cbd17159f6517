/** What a report says of a run besides its figures by line. */
import { identifyBoard, releaseText } from "../../board/identity/identify.ts";
import { compareLedgers, makeLedger } from "../../board/ledger/ledger.ts";
import type { Ledger, LedgerChange } from "../../board/ledger/model.ts";
import { leastAvailable } from "../../board/moments/available.ts";
import { withMissedPeak } from "../../board/moments/missedPeak.ts";
import type { Moment } from "../../board/moments/model.ts";
import { peakWords } from "../../board/moments/peak.ts";
import { defined } from "../../profile/defined.ts";
import type { RunInfo } from "../../profile/model.ts";
import { fileName } from "../../profile/notebook.ts";
import { originName } from "../../profile/run/origin.ts";
import { highestText, runTitle } from "../../profile/run/runJson.ts";
import { engineText } from "../../profile/text/engineText.ts";
import { exitText } from "../../profile/text/exitText.ts";
import { formatBytes, formatCount, formatDuration } from "../../profile/text/format.ts";
import { importedText, timelineMeasure } from "../../profile/text/measuredElsewhere.ts";
import { t } from "../../words/t.ts";
import type { WholeRun } from "./model.ts";

interface Named {
  readonly name: string;
  readonly value: string;
}

export interface Fact extends Named {
  readonly id: FactId;
}

type FactId =
  | "script"
  | "board"
  | "target"
  | "system"
  | "ram"
  | "versions"
  | "started"
  | "took"
  | "ended"
  | "last-line"
  | "measured"
  | "commit"
  | "tags"
  | "note"
  | "environment"
  | "run"
  | "heap";

export interface KeyFigure extends Named {
  /** What it measures and how certain it is, a sentence. */
  readonly how: string;
}

/** Some 1 KB each: a run that warns more often says the same. */
const MOST_NOTES = 100;

export function reportTitle({ profile, keeping }: WholeRun): string {
  return keeping.label.name ?? runTitle(profile.run);
}

/** What is simulated, as people are to be told it. */
export function simulationText({ profile, moments }: WholeRun): string | undefined {
  const files = moments?.header()?.simulated ?? profile.run.board.simulated;
  if (files !== undefined) return t("Simulated board ({0}): its files stand for a board's own", files);
  return profile.origin?.simulated ? t("Simulated board: this ran on the computer itself, over SSH") : undefined;
}

export function runFacts(whole: WholeRun): Fact[] {
  const { profile, keeping, heaps } = whole;
  const { run, origin } = profile;
  const board = run.board;
  const ended =
    run.state === "running"
      ? t("The run was still in progress.")
      : (exitText(run.exit) ?? t("normally, exit status 0"));
  const facts: readonly (readonly [FactId, string, string | undefined])[] = [
    ["script", t("Script"), runTitle(run)],
    ["board", t("Board"), board.model],
    ["target", t("Target"), origin && originName(origin, board.simulated)],
    ["system", t("System"), systemText(whole)],
    ["ram", "RAM", board.memTotal === undefined ? undefined : formatBytes(board.memTotal)],
    ["versions", t("Versions"), versionsText(run.versions)],
    ["started", t("Started"), startedText(run.started)],
    ["took", t("Took"), run.elapsedMs === undefined ? undefined : formatDuration(run.elapsedMs)],
    ["ended", t("Ended"), ended],
    ["last-line", t("Last line"), lastLineText(whole)],
    ["measured", t("Measured"), measuredText(whole)],
    ["commit", t("Commit"), commitText(keeping)],
    ["tags", t("Tags"), keeping.label.tags.length === 0 ? undefined : keeping.label.tags.join(", ")],
    ["note", t("Note"), keeping.label.note],
    ["environment", t("Environment"), environmentText(run.environment)],
    ["run", t("Run"), run.id],
    ["heap", t("Heap"), heapText(heaps)],
  ];
  return facts.flatMap(([id, name, value]) => (value === undefined || value === "" ? [] : [{ id, name, value }]));
}

/** What the run took as a whole: what people look for first. */
export function keyFigures(whole: WholeRun): KeyFigure[] {
  const { profile, rssPeak, samples, heaps, moments } = whole;
  const { run } = profile;
  const found: KeyFigure[] = [];
  const add = (name: string, bytes: number | undefined, how: string, text = formatBytes) => {
    if (bytes !== undefined) found.push({ name, value: text(bytes), how });
  };
  const massif = run.engine.name === "massif";
  for (const { label, bytes } of heaps.slice(0, 3)) {
    const name = run.engine.massif?.pagesAsHeap ? t("Mapped pages at the peak") : t("Heap at the peak");
    const how = t("Exact, as massif counts the program's allocations.");
    add(heaps.length > 1 ? t("{0}, {1}", name, label) : name, bytes, how);
  }
  const rss = timelineMeasure(run) ?? (massif ? t("RSS with valgrind") : "RSS");
  const measures =
    timelineMeasure(run) === undefined
      ? t("The kernel's high-water mark of the main process where it can be read, else the highest sample.")
      : t("The highest of the samples that were imported.");
  add(t("Peak {0}", rss), rssPeak, measures, (bytes) => highestText(run, bytes));
  add(
    t("{0} at the start", rss),
    samples.find((sample) => sample.rss !== undefined)?.rss,
    t("The first sample of the main process."),
  );
  const before = moments?.baseline === undefined ? undefined : moments.moment(moments.baseline);
  const inUse = t("Of the whole board, whoever took it: MemTotal less MemAvailable, the kernel's estimate.");
  add(t("Board in use before"), before && inUseOf(before), inUse);
  const { memTotal } = run.board;
  const least = leastAvailable(moments, samples);
  add(t("Board in use at most"), memTotal === undefined || least === undefined ? undefined : memTotal - least, inUse);
  return found;
}

export interface LedgerAtPeak {
  readonly ledger: Ledger;
  readonly changes?: readonly LedgerChange[];
  /** When that was, for people. */
  readonly when: string;
}

/** Where the board's RAM was when the run held the most; undefined where it was not recorded. */
export function ledgerAtPeak({ moments, rssPeak }: WholeRun): LedgerAtPeak | undefined {
  if (moments === undefined) return undefined;
  const peak = moments.peak();
  // Without a moment while the script was on, the one before it is all there is.
  const index = peak ?? moments.baseline ?? 0;
  const moment = moments.moment(index);
  const before =
    moments.baseline === undefined || moments.baseline === index ? undefined : moments.moment(moments.baseline);
  const kind = peak === undefined ? undefined : moments.peakKind();
  const ledger = withMissedPeak(makeLedger(moment, before), moments, index, rssPeak);
  const when = [
    moment.baseline ? t("before the script was started") : t("{0} after the start", formatDuration(moment.t)),
    ...(kind === undefined ? [] : [peakWords(kind)]),
    ...(moment.at === undefined ? [] : [t("at {0}:{1}", fileName(moment.at.path), moment.at.line)]),
  ];
  return {
    ledger,
    ...defined({ changes: before === undefined ? undefined : compareLedgers(makeLedger(before), ledger) }),
    when: when.reduce((all, part) => t("{0}, {1}", all, part)),
  };
}

/** What a reader of the figures should know, sentences. */
export function reportNotes({ profile, keeping, heaps, problems, moments }: WholeRun): string[] {
  const { warnings, output } = profile.run;
  const unread = moments?.unreadable ?? 0;
  const all = [
    ...(profile.complete ? [] : [t("The line table is not complete: the figures end where the recording broke off.")]),
    ...warnings.map(({ message }) => message),
    ...heaps.flatMap(({ label, substitute }) =>
      substitute
        ? [t("Massif kept no stacks at the peak of {0}: these are of the largest moment that has some.", label)]
        : [],
    ),
    ...(isCut(output?.stdout)
      ? [
          t(
            "The script wrote {0} of output; the first {1} are kept.",
            formatBytes(output.stdout.bytes),
            formatBytes(output.stdout.kept),
          ),
        ]
      : []),
    ...(isCut(output?.stderr)
      ? [
          t(
            "The script wrote {0} of error output; the first {1} are kept.",
            formatBytes(output.stderr.bytes),
            formatBytes(output.stderr.kept),
          ),
        ]
      : []),
    ...(unread > 0 ? [t("Records of the board's memory that cannot be read: {0}.", formatCount(unread))] : []),
    ...keeping.problems,
    ...problems,
  ];
  const more = all.length - MOST_NOTES;
  return more > 0
    ? [...all.slice(0, MOST_NOTES), t("{0} more notes are in the run's folder.", formatCount(more))]
    : all;
}

type OutputCount = NonNullable<RunInfo["output"]>["stdout"];

function isCut(count: OutputCount | undefined): count is OutputCount {
  return count !== undefined && count.kept < count.bytes;
}

/** `2026-11-21 09:45:01 UTC`; what is no time stays as it is. */
function startedText(started: string | undefined): string | undefined {
  const time = Date.parse(started ?? "");
  if (!Number.isFinite(time)) return started;
  return `${new Date(time).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

function systemText({ profile }: WholeRun): string | undefined {
  const { board } = profile.run;
  const { jetpack } = identifyBoard(board);
  const release = releaseText(board.l4t, jetpack);
  return [release, board.kernel && `Linux ${board.kernel}`, board.machine].filter(Boolean).join(t(", "));
}

function versionsText(versions: Readonly<Record<string, string>>): string {
  const names = { python: "Python", torch: "PyTorch", cuda: "CUDA", helper: t("helper") } as const;
  return Object.entries(names)
    .flatMap(([key, name]) => (versions[key] === undefined ? [] : [`${name} ${versions[key]}`]))
    .join(t(", "));
}

function lastLineText({ profile: { run }, sources }: WholeRun): string | undefined {
  if (run.exit?.kind === "exited" && run.exit.code === 0) return undefined;
  const [last] = run.lastLines;
  if (last === undefined) return undefined;
  const text =
    sources
      .get(last.path)
      ?.split(/\r\n|\n|\r/)
      [last.line - 1]?.trim() ?? "";
  return `${fileName(last.path)}:${last.line} (${last.thread})${text === "" ? "" : `  ${text}`}`;
}

function measuredText({ profile: { run } }: WholeRun): string {
  if (run.imported !== undefined) return importedText(run.imported);
  const mode = engineText(run) ?? (run.engine.exact ? t("by line, exact mode") : t("by line"));
  const areAddedUp = run.processes.length > 1 && run.engine.name !== "massif";
  return areAddedUp ? t("{0}, {1} processes added up", mode, run.processes.length) : mode;
}

function heapText({ length }: WholeRun["heaps"]): string | undefined {
  return length > 1 ? t("{0} processes; each line shows the most that one held", length) : undefined;
}

function commitText({ git }: WholeRun["keeping"]): string | undefined {
  if (git === undefined) return undefined;
  const branch = git.branch === undefined ? "" : ` (${git.branch})`;
  const count = git.changed.length;
  const state =
    count === 0
      ? t("no file differed from it")
      : count === 1
        ? t("1 file differed from it")
        : t("{0} files differed from it", formatCount(count));
  return t("{0}, {1}", `${git.commit.slice(0, 12)}${branch}`, state);
}

function environmentText(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${value}`)
    .join("  ");
}

function inUseOf(moment: Moment | undefined): number | undefined {
  const { MemTotal, MemAvailable } = moment?.meminfo ?? {};
  return MemTotal === undefined || MemAvailable === undefined ? undefined : MemTotal - MemAvailable;
}
