/** A run folder, as far as it is compared. */
import { compareLedgers, makeLedger } from "../../board/ledger/ledger.ts";
import { boardGrowth } from "../../board/moments/available.ts";
import { cudaPeak } from "../../board/moments/cudaPeak.ts";
import type { Moment } from "../../board/moments/model.ts";
import type { MomentTable } from "../../board/moments/momentTable.ts";
import { readMoments } from "../../board/node/readMoments.ts";
import { defined } from "../../profile/defined.ts";
import { readable } from "../../profile/files/fileReading.ts";
import { present } from "../../profile/files/jsonRecords.ts";
import { openRunFolder, type PlacedSample, type RunReader } from "../../profile/run/runFolder.ts";
import { sourceLines } from "../../profile/text/text.ts";
import type { SourceFile } from "../matching/sourceMatch.ts";
import type { LoadedRun } from "../side.ts";
import { readHeapPeak } from "./readHeapPeak.ts";

export interface OpenedRun {
  readonly loaded: LoadedRun;
  /** A measured file with its text as it was run. */
  source(projectPath: string): Promise<SourceFile>;
}

/** @throws UserError `not-a-run`, `run-damaged`, `schema-too-new`, `run-unreadable` */
export async function loadRun(folder: string): Promise<OpenedRun> {
  const reader = openRunFolder(folder);
  await reader.refresh();
  const profile = reader.profile();
  const { run, origin, files, metrics, complete } = profile;
  const isMassif = run.engine.name === "massif";
  const [moments, heap] = await Promise.all([
    readable(readMoments(folder)),
    isMassif ? readHeapPeak(folder, run) : undefined,
  ]);
  const loaded = present({
    folder,
    run,
    origin,
    files: new Map(files.map((file) => [file.path, file])),
    metrics,
    complete,
    rssPeak: isMassif ? undefined : reader.rssPeak(),
    cudaPeak: cudaPeak(profile, moments),
    ...(moments && boardFigures(moments, reader.samples())),
    heap,
  });
  return { loaded, source: (file) => sourceOf(reader, loaded, file) };
}

async function sourceOf(reader: RunReader, { files }: LoadedRun, file: string): Promise<SourceFile> {
  const text = await reader.source(file);
  const sha256 = files.get(file)?.sha256 ?? "";
  return { path: file, sha256, ...defined({ lines: text === undefined ? undefined : sourceLines(text) }) };
}

type BoardFigures = Pick<LoadedRun, "baseline" | "boardPeak" | "othersMoved" | "ledger">;

function boardFigures(table: MomentTable, samples: readonly PlacedSample[]): BoardFigures {
  const before = table.baseline === undefined ? undefined : table.moment(table.baseline);
  return present({
    baseline: before && inUse(before),
    ...(before === undefined ? {} : growth(table, before, samples)),
    ledger: ledgerAtPeak(table, before),
  });
}

function inUse({ meminfo: { MemTotal, MemAvailable } }: Moment): number | undefined {
  return MemTotal === undefined || MemAvailable === undefined ? undefined : MemTotal - MemAvailable;
}

/** Of other programs it is known at the moments only, so at the one with the least available. */
function growth(
  table: MomentTable,
  before: Moment,
  samples: readonly PlacedSample[],
): Pick<BoardFigures, "boardPeak" | "othersMoved"> {
  const tightest = table.leastAvailable();
  const boardPeak = boardGrowth(table, samples);
  if (tightest === undefined || boardPeak === undefined) return {};
  const ledger = makeLedger(table.moment(tightest), before);
  const others = compareLedgers(makeLedger(before), ledger).filter(({ group }) => group === "others");
  return { boardPeak, othersMoved: others.reduce((sum, { change }) => sum + Math.abs(change ?? 0), 0) };
}

function ledgerAtPeak(table: MomentTable, before: Moment | undefined): LoadedRun["ledger"] {
  const peak = table.peak();
  const moment = table.peakKind();
  if (peak === undefined || moment === undefined) return undefined;
  return { rows: makeLedger(table.moment(peak), before).rows, moment };
}
