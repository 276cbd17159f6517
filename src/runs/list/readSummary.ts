/**
 * What a list needs of one run. Read synchronously: a thousand runs are some five thousand small files, and asking for
 * each one through Node's thread pool takes ten times as long as reading it.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { defined } from "../../profile/defined.ts";
import { decodeOrigin } from "../../profile/run/origin.ts";
import { recordingsAmong } from "../../profile/run/recordings.ts";
import { notARun } from "../../profile/run/runHead.ts";
import { decodeListedRun } from "../../profile/run/runJson.ts";
import { decodeSample, type Sample } from "../../profile/samples/samples.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { KEPT, keepingOf } from "../keeping.ts";
import type { RunSummary } from "../model.ts";
import { summarise } from "./summary.ts";

const RUN = "run.json";
const ORIGIN = "origin.json";
const SAMPLES = "samples.jsonl";

const LARGEST = 16 * 1024 * 1024;
/** A record of the timeline is some hundred bytes. */
const TAIL_BYTES = 4 * 1024;

/** @throws UserError `not-a-run`, `run-damaged`, `schema-too-new`, `run-unreadable` */
export function readSummary(folder: string): RunSummary {
  const names = attempt(folder, () => fs.readdirSync(folder, { withFileTypes: true }))
    // A link is not followed, and a pipe would be waited for without end.
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
  const text = (name: string): string | undefined =>
    names.includes(name) ? wholeText(path.join(folder, name)) : undefined;
  const run = text(RUN);
  if (run === undefined) throw notARun(folder, t("it has no run.json"));
  const originText = text(ORIGIN);
  const origin = originText === undefined ? undefined : decodeOrigin(originText, path.join(folder, ORIGIN));
  const last = names.includes(SAMPLES) ? lastSample(path.join(folder, SAMPLES)) : undefined;
  const rssPeak = last?.rssPeak ?? last?.rss;
  const kept = KEPT.map((name): [string, string | Error | undefined] => [name, orError(() => text(name))]);
  return summarise(
    folder,
    {
      ...decodeListedRun(run, path.join(folder, RUN)),
      recordings: recordingsAmong(names),
      ...defined({ origin, rssPeak }),
    },
    keepingOf(folder, new Map(kept)),
  );
}

function wholeText(file: string): string {
  return attempt(file, () => {
    const { size } = fs.statSync(file);
    if (size > LARGEST) throw new Error(`it has ${size} bytes, far more than such a file can have`);
    return fs.readFileSync(file, "utf8");
  });
}

/** The last whole record of the timeline. */
function lastSample(file: string): Sample | undefined {
  const lines = attempt(file, () => tail(file))
    .split("\n")
    .slice(0, -1);
  for (const line of lines.reverse()) {
    const sample = decodeSample(line, file);
    if (sample !== undefined) return sample;
  }
  return undefined;
}

function tail(file: string): string {
  const handle = fs.openSync(file, "r");
  try {
    const { size } = fs.fstatSync(handle);
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const read = fs.readSync(handle, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString("utf8", 0, read);
  } finally {
    fs.closeSync(handle);
  }
}

function attempt<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UserError(
      "run-unreadable",
      t("{0} cannot be read: {1}", file, (error as Error).message),
      t("Check that it is there and that you may read it."),
      { cause: error },
    );
  }
}

function orError<T>(read: () => T): T | Error {
  try {
    return read();
  } catch (error) {
    return error as Error;
  }
}
