/** Why a run ran out of memory and what could be done, from its folder. */
import * as path from "node:path";
import { defined } from "../../profile/defined.ts";
import { readable, readTail } from "../../profile/files/fileReading.ts";
import { stepsInTurns } from "../../profile/files/inTurns.ts";
import { lineLoads } from "../../profile/loads/lineLoads.ts";
import type { FunctionRow, Profile } from "../../profile/model.ts";
import type { RunReader } from "../../profile/run/runFolder.ts";
import { sourceLines } from "../../profile/text/text.ts";
import { advise } from "../advice/advise.ts";
import type { AdviceInput } from "../advice/facts.ts";
import type { Advice } from "../advice/model.ts";
import { explainEnding } from "../ending/explain.ts";
import { type Failure, findFailure } from "../ending/failure.ts";
import type { EndingReport } from "../ending/model.ts";
import { type BoardKind, identifyBoard } from "../identity/identify.ts";
import { makeLedger } from "../ledger/ledger.ts";
import type { MomentTable } from "../moments/momentTable.ts";
import { readMoments } from "./readMoments.ts";

export interface ExplainedRun {
  readonly board: BoardKind;
  /** Undefined where the run did not run out of memory. */
  readonly report: EndingReport | undefined;
  /** Undefined where it did not fail of itself for another reason. */
  readonly failure: Failure | undefined;
  readonly advice: readonly Advice[];
}

/** The last part of the error output that is read. */
const STDERR_BYTES = 1024 * 1024;

/**
 * Files that are missing or cannot be read are done without: what is left still tells something.
 * @param reader of the run, refreshed
 */
export async function explainRun(reader: RunReader): Promise<ExplainedRun> {
  const input = await readAdviceInput(reader);
  const { board, report } = input;
  const failure = report === undefined ? findFailure(input) : undefined;
  return { board, report, failure, advice: await stepsInTurns(advise(input)) };
}

/**
 * All that a run's folder says of its memory and its end.
 * @param reader of the run, refreshed
 */
export async function readAdviceInput(reader: RunReader): Promise<AdviceInput> {
  const profile = reader.profile();
  const { run } = profile;
  const [stderr, moments, texts] = await Promise.all([
    readable(readTail(path.join(reader.folder, "stderr.log"), STDERR_BYTES)),
    readable(readMoments(reader.folder)),
    sourcesOf(reader, profile),
  ]);
  const projectRoot = reader.projectRoot();
  const board = identifyBoard(run.board);
  const given = {
    run,
    stderr: stderr ?? "",
    ...defined({ projectRoot, moments }),
    functionAt: functionAt(profile),
  };
  const lineText = (file: string, line: number) => texts.get(file)?.[line - 1];
  const report = explainEnding({ ...given, sharedMemory: board.tegra, lineText });
  return {
    ...given,
    board,
    files: profile.files,
    loads: lineLoads(profile),
    ...pointsOf(moments),
    source: (file) => texts.get(file),
    ...defined({ report }),
  };
}

async function sourcesOf(reader: RunReader, { files, run }: Profile): Promise<ReadonlyMap<string, readonly string[]>> {
  const named = [...files, ...run.lastLines, ...run.lastLines.flatMap(({ stack }) => stack ?? [])];
  const texts = new Map<string, readonly string[]>();
  for (const file of new Set(named.map((one) => one.path))) {
    const text = await reader.source(file);
    if (text !== undefined) texts.set(file, sourceLines(text));
  }
  return texts;
}

/** The innermost function around a line. */
function functionAt({ files }: Profile): (file: string, line: number) => string | undefined {
  return (name, line) => {
    const around = (files.find(({ path }) => path === name)?.functions ?? []).filter(
      ({ defLine, lastLine }) => defLine <= line && line <= lastLine,
    );
    const lines = (row: FunctionRow) => row.lastLine - row.defLine;
    return around.sort((a, b) => lines(a) - lines(b))[0]?.name;
  };
}

/** What the rules look at besides the run of moments itself. */
function pointsOf(moments: MomentTable | undefined) {
  const baseline = moments?.baseline === undefined ? undefined : moments.moment(moments.baseline);
  const tightest = moments?.leastAvailable();
  return {
    ...(baseline === undefined ? {} : { baseline, ledgerBefore: makeLedger(baseline) }),
    ...(moments === undefined || tightest === undefined ? {} : { tightest: moments.moment(tightest) }),
  };
}
