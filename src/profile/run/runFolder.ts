/** Reads a run folder: at once, or again and again while the run lives, where only appended bytes are read. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as v from "valibot";
import { t } from "../../words/t.ts";
import { defined } from "../defined.ts";
import { appended, orMissing, readInside, watched } from "../files/fileReading.ts";
import { relativePath } from "../files/jsonRecords.ts";
import { readMemoryProfilerReport, reportedFiles, withoutEntryIncrements } from "../formats/memoryProfilerReading.ts";
import { LIMITS } from "../limits.ts";
import { createLineTable, type LineTable, type LineTableState } from "../lines/lineTable.ts";
import { withoutNetOfOpen } from "../lines/unfinished.ts";
import type { FileProfile, Profile, RunInfo, RunOrigin } from "../model.ts";
import { createSampleList } from "../samples/sampleList.ts";
import type { Sample } from "../samples/samples.ts";
import { UserError } from "../userError.ts";
import { decodeOrigin } from "./origin.ts";
import { peakOfRun } from "./peakOfRun.ts";
import { findRecordings, type Recordings } from "./recordings.ts";
import { notARun } from "./runHead.ts";
import { type DecodedRun, decodeRun, runWithoutDescription } from "./runJson.ts";

/** A timeline sample with its place named. */
export interface PlacedSample extends Omit<Sample, "at"> {
  readonly at?: { readonly path: string; readonly line: number };
}

export interface RunReader {
  readonly folder: string;
  /**
   * Reads what was added since the last call.
   * @returns whether anything was
   * @throws UserError `not-a-run`, `run-damaged`, `schema-too-new`, `run-unreadable`
   */
  refresh(): Promise<boolean>;
  /** What has been read so far. */
  profile(): Profile;
  samples(): readonly PlacedSample[];
  /** The newest of them. */
  lastSample(): PlacedSample | undefined;
  /** Until when lines or samples reach, ms since the run began. */
  knownMs(): number;
  /** As `peakOfRun` has it, so far, bytes. */
  rssPeak(): number | undefined;
  /** What the folder holds beside the figures by line. */
  recordings(): Recordings;
  /** The project's folder on the board, where it is known. */
  projectRoot(): string | undefined;
  /** A measured file's text as it was run; undefined where it was not kept. */
  source(projectPath: string): Promise<string | undefined>;
}

/** @throws UserError as RunReader.refresh */
export async function readRunFolder(folder: string): Promise<Profile> {
  const reader = openRunFolder(folder);
  await reader.refresh();
  return reader.profile();
}

/** Nothing is read before the first `refresh`. */
export function openRunFolder(folder: string): RunReader {
  const runFile = watched(path.join(folder, "run.json"));
  const originFile = watched(path.join(folder, "origin.json"));
  const reportFile = watched(path.join(folder, "memory_profiler.txt"));
  const linesPath = path.join(folder, "lines.jsonl");
  const samplesPath = path.join(folder, "samples.jsonl");

  let table: LineTable = createLineTable(linesPath);
  const lines = appended(linesPath, {
    restart: () => {
      table = createLineTable(linesPath);
    },
    line: (line) => table.add(line),
  });
  let samples = createSampleList(samplesPath);
  const timeline = appended(samplesPath, {
    restart: () => {
      samples = createSampleList(samplesPath);
    },
    line: (line) => samples.add(line),
  });

  let described: DecodedRun | undefined;
  let origin: RunOrigin | undefined;
  let report: readonly FileProfile[] = [];
  let profile: Profile | undefined;
  let recordings: Recordings = { model: false, snapshots: [] };

  async function describe(): Promise<{ readonly current: DecodedRun; readonly changed: boolean }> {
    const text = await runFile.changed();
    if (text === undefined && described !== undefined) return { current: described, changed: false };
    described = decodeOrSalvage(text, path.join(folder, "run.json"), table.runId());
    return { current: described, changed: text !== undefined };
  }

  function placed({ at, ...rest }: Sample): PlacedSample {
    const file = at === undefined ? undefined : table.path(at[0]);
    return at === undefined || file === undefined ? rest : { ...rest, at: { path: file, line: at[1] } };
  }

  return {
    folder,
    async refresh() {
      if ((await orMissing(fs.stat(folder), folder)) === undefined) throw notARun(folder, t("it does not exist"));
      // The table first: what run.json says then is never older than the figures.
      const grown = [await lines.read(), await timeline.read()];
      const description = await describe();
      const originText = await originFile.changed();
      if (originText !== undefined) origin = decodeOrigin(originText, path.join(folder, "origin.json"));
      const reportText = await reportFile.changed();
      if (reportText !== undefined) {
        report = reportedFiles(readMemoryProfilerReport(reportText).sections, projectPathOf(description.current));
      }
      recordings = await findRecordings(folder);
      const changed =
        grown.includes(true) || description.changed || originText !== undefined || reportText !== undefined;
      if (changed || profile === undefined)
        profile = assemble(description.current, origin, await table.state(), report, samples.cut());
      return changed;
    },
    profile() {
      if (profile === undefined) throw new Error("refresh has not been called");
      return profile;
    },
    samples: () => samples.samples().map(placed),
    knownMs: () => Math.max(table.latest(), samples.last()?.t ?? 0),
    lastSample: () => {
      const last = samples.last();
      return last && placed(last);
    },
    rssPeak: () => peakOfRun(samples.rssPeak(), profile?.run.processes),
    recordings: () => recordings,
    projectRoot: () => described?.projectRoot,
    async source(projectPath) {
      const named = described?.sources.find((file) => file.path === projectPath)?.source ?? `sources/${projectPath}`;
      // What was measured is another text where this is not the one that the figures belong to.
      const digest = profile?.files.find((file) => file.path === projectPath)?.sha256 ?? "";
      return await readInside(folder, named, digest);
    },
  };
}

/** A description that is cut off loses the run's circumstances, not its figures. */
function decodeOrSalvage(text: string | undefined, file: string, runId: string | undefined): DecodedRun {
  if (text === undefined && runId === undefined) {
    throw notARun(path.dirname(file), t("it has no run.json"));
  }
  try {
    if (text !== undefined) return decodeRun(text, file);
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== "run-damaged" || runId === undefined) throw error;
    return runWithoutDescription(runId, error.message);
  }
  return runWithoutDescription(runId ?? "", t("{0} is missing.", file));
}

function assemble(
  described: DecodedRun,
  origin: RunOrigin | undefined,
  table: LineTableState,
  report: readonly FileProfile[],
  timelineCut: boolean,
): Profile {
  const { run } = described;
  const processes = new Map(run.processes.map((process) => [process.pid, process]));
  for (const process of table.processes) processes.set(process.pid, { ...processes.get(process.pid), ...process });
  const info: RunInfo = {
    ...run,
    processes: [...processes.values()],
    warnings: [...run.warnings, ...cutNotes(table.cut, timelineCut)],
    lastLines: run.lastLines.length > 0 || endedWell(run) ? run.lastLines : table.lastLines,
  };
  const digests = new Map(described.sources.map((file) => [file.path, file.sha256]));
  const imported = report.map((file) => ({ ...file, sha256: digests.get(file.path) ?? "" }));
  const files = run.engine.name === "memory_profiler" ? table.files.map(withoutEntryIncrements) : table.files;
  const shown = files.some((file) => file.lines.length > 0) ? files : imported;
  return {
    run: info,
    ...defined({ origin }),
    // Of one that ended by itself the last line known need not be open.
    files: info.exit?.kind === "exited" ? shown : withoutNetOfOpen(shown, info.lastLines),
    byProcess: table.byProcess,
    metrics: table.metrics,
    cuda: table.cuda,
    phases: table.phases,
    ...(table.loads.length === 0 ? {} : { loads: table.loads }),
    complete: table.complete,
  };
}

/** What is not shown, as the board sent more than is kept. */
function cutNotes(table: boolean, timeline: boolean): RunInfo["warnings"] {
  const { files, lines, samplesRead } = LIMITS;
  const lost = [
    ...(table
      ? [t("lines.jsonl has more than {0} lines or {1} files; those above that are not shown.", lines, files)]
      : []),
    ...(timeline
      ? [t("samples.jsonl has more than {0} samples; the timeline and the peak end there.", samplesRead)]
      : []),
  ];
  return lost.map((message) => ({ code: "cut", message }));
}

function endedWell(run: RunInfo): boolean {
  return run.exit?.kind === "exited" && run.exit.code === 0;
}

/** Names in memory_profiler's report are the board's; the project's are relative to its folder there. */
function projectPathOf(described: DecodedRun): (name: string) => string | undefined {
  const root = described.projectRoot;
  const script = described.run.command.script;
  return (name) => {
    const inner =
      name === ""
        ? script
        : root !== undefined && name.startsWith(`${root}/`)
          ? name.slice(root.length + 1)
          : name.replace(/^\.\//, "");
    return v.is(relativePath, inner) ? inner : undefined;
  };
}
