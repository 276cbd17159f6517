/** `massif`: a massif.out file as tables, JSON, folded stacks or a picture. */
import * as fs from "node:fs/promises";
import { difference } from "../../massif/difference.ts";
import { folded, foldedDifference } from "../../massif/exports/folded.ts";
import { flameGraphSvg } from "../../massif/exports/svg.ts";
import type { FrameNames, FrameTree, Snapshot } from "../../massif/model.ts";
import { type MassifSource, openMassif } from "../../massif/node/massifSource.ts";
import { readSampled, readSnapshotBands } from "../../massif/node/sampledErrors.ts";
import { readSidecars } from "../../massif/node/sidecars.ts";
import { lastPlace, peakPlace, snapshotNames } from "../../massif/snapshots.ts";
import { labelFacts } from "../../massif/tree/frames.ts";
import { frameTreeOf, viewOf } from "../../massif/tree/frameTree.ts";
import { colored, plain } from "../../profile/lines/annotate.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { jsonText, type Output, showsColors } from "../terminal/output.ts";
import type { MassifCommand, SnapshotChoice } from "./massifCommandLine.ts";
import { massifJson, type Report, type Subject } from "./massifJson.ts";
import { massifTables, subjectTitle } from "./massifTables.ts";

/** @throws UserError */
export async function showMassif(command: MassifCommand, output: Output, env: NodeJS.ProcessEnv): Promise<void> {
  const source = await openMassif(command.file);
  const { frames, measured, problems } = await readSidecars(command.file);
  const subject = await readSubject(command.file, source, frames, command.subject);
  const report: Report = {
    path: command.file,
    file: source.file,
    level: frames.level,
    bands: await readSnapshotBands(command.file, source.file),
    measured,
    unread: problems,
    subject,
  };
  switch (command.output.kind) {
    case "tables":
      output.write(massifTables(report, showsColors(output, env) ? colored : plain));
      return;
    case "json":
      output.write(jsonText(massifJson(report)));
      return;
    case "folded":
      await writeAll(foldedSubject(report, command.output.view), output);
      return;
    case "flame":
      await writePicture(report, command.output);
      output.write(t("The flame graph is in {0}.\n", command.output.path));
  }
}

async function readSubject(
  file: string,
  source: MassifSource,
  names: FrameNames,
  wanted: MassifCommand["subject"],
): Promise<Subject | undefined> {
  const { snapshots } = source.file;
  const stacks = async (place: number): Promise<FrameTree> => {
    const calls = await source.tree(place);
    const number = snapshots[place]?.number ?? place;
    const sampled = await readSampled(file, source.file, number, calls);
    return frameTreeOf(calls, labelFacts(calls.labels, names), sampled);
  };
  if (wanted.kind === "difference") {
    const before = placeOf(snapshots, wanted.before);
    const after = placeOf(snapshots, wanted.after);
    return { kind: "difference", before, after, stacksBefore: await stacks(before), stacksAfter: await stacks(after) };
  }
  // A file without any tree still has its figures; only who asks for a certain tree is refused.
  if (wanted.snapshot === "peak" && peakPlace(snapshots) === undefined) return undefined;
  const place = placeOf(snapshots, wanted.snapshot);
  return { kind: "snapshot", place, stacks: await stacks(place) };
}

function placeOf(snapshots: readonly Snapshot[], wanted: SnapshotChoice): number {
  const names = snapshotNames(snapshots);
  const place =
    wanted === "peak" ? peakPlace(snapshots) : wanted === "last" ? lastPlace(snapshots) : names.indexOf(wanted);
  const snapshot = snapshots[place ?? -1];
  if (place !== undefined && snapshot !== undefined && snapshot.tree.kind !== "none") return place;
  const withStacks = names.filter((_, at) => snapshots[at]?.tree.kind !== "none");
  if (withStacks.length === 0) throw noStacks();
  throw new UserError(
    "no-such-snapshot",
    snapshot === undefined
      ? t("The file has no snapshot {0}.", wanted)
      : t("Massif kept no stacks for snapshot {0}, only how much memory there was.", wanted),
    t("Snapshots with stacks: {0}.", withStacks.join(", ")),
  );
}

function noStacks(): UserError {
  return new UserError(
    "no-stacks",
    t("The file has no snapshot with stacks: massif kept only how much memory there was."),
    t(
      "Run the program for longer, or with valgrind's option --detailed-freq=1, which keeps the stacks of every snapshot.",
    ),
  );
}

type ViewChoice = Extract<MassifCommand["output"], { view: unknown }>["view"];

/** @throws UserError `no-stacks` */
function viewed({ subject }: Report, view: ViewChoice) {
  if (subject === undefined) throw noStacks();
  return subject.kind === "snapshot"
    ? viewOf(subject.stacks, view)
    : difference(viewOf(subject.stacksBefore, view), viewOf(subject.stacksAfter, view));
}

function foldedSubject(report: Report, view: ViewChoice): Generator<string> {
  const shown = viewed(report, view);
  return "before" in shown ? foldedDifference(shown) : folded(shown);
}

/** @throws UserError `not-written` */
async function writePicture(report: Report, { view, path: file }: { view: ViewChoice; path: string }): Promise<void> {
  const picture = flameGraphSvg(viewed(report, view), { title: subjectTitle(report) });
  if (await isSameFile(file, report.path)) {
    throw new UserError("not-written", t("The picture would overwrite {0} itself.", file), t("Give it another name."));
  }
  try {
    await fs.writeFile(file, picture);
  } catch (error) {
    throw new UserError(
      "not-written",
      t("The picture could not be written: {0}.", (error as Error).message),
      t("Check that the folder exists and that you may write there."),
    );
  }
}

/** Also by way of links and of other spellings of the name. */
async function isSameFile(file: string, other: string): Promise<boolean> {
  const stats = [file, other].map((name) => fs.stat(name).catch(() => undefined));
  const [a, b] = await Promise.all(stats);
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

/** Waits for the reader now and then: the text may be larger than the memory there is. */
async function writeAll(pieces: Iterable<string>, output: Output): Promise<void> {
  for (const piece of pieces) {
    output.write(piece);
    await output.flushed();
  }
}
