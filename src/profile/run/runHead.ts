/** What a list of runs needs of each: run.json, origin.json and the last sample, not the tables. */
import * as path from "node:path";
import { t } from "../../words/t.ts";
import { defined } from "../defined.ts";
import { readLastLines, readText } from "../files/fileReading.ts";
import type { Metric, RunInfo, RunOrigin } from "../model.ts";
import { decodeSample, type Sample } from "../samples/samples.ts";
import { UserError } from "../userError.ts";
import { decodeOrigin } from "./origin.ts";
import { peakOfRun } from "./peakOfRun.ts";
import { findRecordings, type Recordings } from "./recordings.ts";
import { decodeRun } from "./runJson.ts";

export interface RunHead {
  readonly run: RunInfo;
  readonly origin?: RunOrigin;
  /** The project's folder on the board. */
  readonly projectRoot?: string;
  /** As `peakOfRun` has it, bytes. */
  readonly rssPeak?: number;
  /** What was measured by line. */
  readonly metrics: readonly Metric[];
  readonly recordings: Recordings;
}

const TAIL_BYTES = 64 * 1024;

/** The newest sample of a run, undefined where there is none. @throws UserError `schema-too-new` */
export async function readLastSample(folder: string): Promise<Sample | undefined> {
  const file = path.join(folder, "samples.jsonl");
  for (const line of (await readLastLines(file, TAIL_BYTES)) ?? []) {
    const sample = decodeSample(line, file);
    if (sample !== undefined) return sample;
  }
  return undefined;
}

/** @throws UserError `not-a-run`, `run-damaged`, `schema-too-new`, `run-unreadable` */
export async function readRunHead(folder: string): Promise<RunHead> {
  const runPath = path.join(folder, "run.json");
  const originPath = path.join(folder, "origin.json");
  const text = await readText(runPath);
  if (text === undefined) {
    throw notARun(folder, t("it has no run.json"));
  }
  const originText = await readText(originPath);
  const origin = originText === undefined ? undefined : decodeOrigin(originText, originPath);
  const last = await readLastSample(folder);
  const { run, metrics, projectRoot } = decodeRun(text, runPath);
  const rssPeak = peakOfRun(last?.rssPeak ?? last?.rss, run.processes);
  return {
    run,
    metrics,
    recordings: await findRecordings(folder),
    ...defined({ origin, projectRoot, rssPeak }),
  };
}

export function notARun(folder: string, reason: string): UserError {
  return new UserError(
    "not-a-run",
    t("{0} holds no run: {1}.", folder, reason),
    t("Choose a folder below .jetson-memprof/runs, or profile the script again."),
  );
}
