/** The records of lines.jsonl and samples.jsonl of an imported run. docs/run-folder.md has the formats. */
import { CUDA_FIGURES, inOrder, LINE_FIGURES, SYSTEM_FIGURES } from "../profile/lines/figureNames.ts";
import type { FileProfile, Phase, Profile } from "../profile/model.ts";
import { processRecord } from "../profile/run/runParts.ts";
import type { Sample } from "../profile/samples/samples.ts";
import type { ImportedRun } from "./model.ts";

const ROWS_PER_RECORD = 1_000;

/** @param files those of the profile, with their digests */
export function* lineRecords(
  { profile, samples }: ImportedRun,
  id: string,
  files: readonly FileProfile[],
): Generator<object> {
  const { run, byProcess, cuda, phases } = profile;
  const main = run.processes[0]?.pid ?? 1;
  const paths = allPaths(files, byProcess, phases);
  const numbers = new Map(paths.map((path, number) => [path, number]));
  yield { schema: 1, record: "header", run: id };
  for (const one of run.processes) yield { record: "process", ...processRecord(one) };
  for (const path of paths)
    yield fileRecord(
      numbers.get(path) ?? 0,
      path,
      files.find((file) => file.path === path),
    );
  for (const [pid, reading] of cuda) {
    yield { record: "cuda-on", t: 0, pid, noticed_by: reading.noticedBy, peaks: reading.peaks };
  }
  for (const [pid, tables] of byProcess.size > 0 ? byProcess : [[main, files] as const]) {
    for (const table of tables) yield* tableRecords(pid, numbers.get(table.path) ?? 0, table);
  }
  for (const phase of phases) yield phaseRecord(phase, numbers);
  yield { record: "end", t: run.elapsedMs ?? samples.at(-1)?.t ?? 0 };
}

/** The profile's own files first: samples name them by their place among these. */
function allPaths(
  files: readonly FileProfile[],
  byProcess: Profile["byProcess"],
  phases: readonly Phase[],
): readonly string[] {
  const others = [...byProcess.values()].flatMap((tables) => tables.map(({ path }) => path));
  const begun = phases.flatMap(({ at }) => at?.path ?? []);
  return [...new Set([...files.map(({ path }) => path), ...others, ...begun])];
}

function fileRecord(number: number, path: string, file: FileProfile | undefined): object {
  const functions = file?.functions ?? [];
  return {
    record: "file",
    file: number,
    path,
    sha256: file?.sha256 ?? "",
    functions: functions.map(({ name, key, defLine, lastLine }) => ({
      name,
      key,
      def_line: defLine,
      last_line: lastLine,
    })),
  };
}

function* tableRecords(pid: number, file: number, { lines, functions }: FileProfile): Generator<object> {
  const called = functions.filter(({ calls }) => calls > 0);
  const kinds: readonly (readonly [string, readonly unknown[][]])[] = [
    ["rows", lines.map((row) => [file, row.line, ...cells(inOrder(row, LINE_FIGURES))])],
    ["cuda", lines.flatMap(({ line, cuda }) => (cuda ? [[file, line, ...cells(inOrder(cuda, CUDA_FIGURES))]] : []))],
    [
      "system",
      lines.flatMap(({ line, system }) => (system ? [[file, line, ...cells(inOrder(system, SYSTEM_FIGURES))]] : [])),
    ],
    [
      "functions",
      called.map(({ key, calls, timeNs, net, peak }) => [file, key, calls, timeNs ?? null, net ?? null, peak ?? null]),
    ],
  ];
  for (const [record, rows] of kinds) {
    for (let from = 0; from < rows.length; from += ROWS_PER_RECORD) {
      yield { record, t: 0, pid, rows: rows.slice(from, from + ROWS_PER_RECORD) };
    }
  }
}

const cells = (figures: readonly (number | undefined)[]): readonly (number | null)[] =>
  figures.map((figure) => figure ?? null);

function phaseRecord({ at, memAvailable, deviceUsed, ...phase }: Phase, numbers: ReadonlyMap<string, number>): object {
  return {
    record: "phase",
    ...phase,
    mem_available: memAvailable,
    device_used: deviceUsed,
    ...(at === undefined ? {} : { file: numbers.get(at.path), line: at.line }),
  };
}

export function* sampleRecords({ profile: { run }, samples }: ImportedRun): Generator<object> {
  const begun = Date.parse(run.started ?? "");
  yield {
    schema: 1,
    record: "header",
    ...(Number.isNaN(begun) ? {} : { started_unix_ms: begun }),
    interval_ms: intervalOf(samples),
  };
  for (const { rssPeak, memAvailable, ...rest } of samples) {
    yield { ...rest, rss_peak: rssPeak, mem_available: memAvailable };
  }
}

/** On the average. */
function intervalOf(samples: readonly Sample[]): number {
  const span = (samples.at(-1)?.t ?? 0) - (samples[0]?.t ?? 0);
  return samples.length < 2 ? 0 : Math.round(span / (samples.length - 1));
}
