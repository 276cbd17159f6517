/** A run folder, as far as it is compared. */
import * as path from "node:path";
import { compareLedgers, makeLedger } from "../../board/ledger/ledger.ts";
import { boardGrowth } from "../../board/moments/available.ts";
import type { Moment } from "../../board/moments/model.ts";
import { createMomentTable, type MomentTable } from "../../board/moments/momentTable.ts";
import { decodeLine } from "../../board/moments/record.ts";
import { appended } from "../../profile/fileReading.ts";
import { present } from "../../profile/jsonRecords.ts";
import { openRunFolder, type PlacedSample, type RunReader } from "../../profile/runFolder.ts";
import { sourceLines } from "../../profile/text.ts";
import { UserError } from "../../profile/userError.ts";
import type { LoadedRun } from "../side.ts";
import type { SourceFile } from "../sourceMatch.ts";
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
  const { run, origin, files, metrics, complete } = reader.profile();
  const isMassif = run.engine.name === "massif";
  const [board, heap] = await Promise.all([
    readBoard(folder, reader.samples()),
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
    ...board,
    heap,
  });
  return { loaded, source: (file) => sourceOf(reader, loaded, file) };
}

async function sourceOf(reader: RunReader, { files }: LoadedRun, file: string): Promise<SourceFile> {
  const text = await reader.source(file);
  const sha256 = files.get(file)?.sha256 ?? "";
  return { path: file, sha256, ...(text === undefined ? {} : { lines: sourceLines(text) }) };
}

type BoardFigures = Pick<LoadedRun, "baseline" | "boardPeak" | "othersMoved" | "ledger" | "cudaPeak">;

/** A record that cannot be read leaves its figures unknown; the figures by line are there all the same. */
async function readBoard(folder: string, samples: readonly PlacedSample[]): Promise<BoardFigures> {
  try {
    return await boardFigures(path.join(folder, "moments.jsonl"), samples);
  } catch (error) {
    if (error instanceof UserError) return {};
    throw error;
  }
}

async function boardFigures(file: string, samples: readonly PlacedSample[]): Promise<BoardFigures> {
  const table = createMomentTable(file);
  let cudaPeak: number | undefined;
  const line = (text: string) => {
    table.add(text);
    // A moment is made of all its processes, which is too much for one figure of each.
    if (text.includes('"cuda":')) cudaPeak = highest(cudaPeak, reservedIn(text, file));
  };
  await appended(file, { restart: () => {}, line }).read();
  const before = table.baseline === undefined ? undefined : table.moment(table.baseline);
  return present({
    cudaPeak,
    baseline: before && inUse(before),
    ...(before === undefined ? {} : growth(table, before, samples)),
    ledger: ledgerAtPeak(table, before),
  });
}

function reservedIn(text: string, file: string): number | undefined {
  const decoded = decodeLine(text, file);
  return decoded?.kind === "moment" ? decoded.record.cuda?.reserved : undefined;
}

function highest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.max(a, b);
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
