/** The run as JSON for other programs; a figure that could not be taken is left out. docs/schema/run.schema.json. */
import { present } from "../files/jsonRecords.ts";
import { CUDA_FIGURES, LINE_FIGURES, named, SYSTEM_FIGURES } from "../lines/figureNames.ts";
import type { Exit, FileProfile, FunctionRow, LineRow, Phase, Profile, RunInfo, RunOrigin } from "../model.ts";
import { hasNativeStacks } from "../run/nativeStacks.ts";
import { originName } from "../run/origin.ts";
import type { PlacedSample } from "../run/runFolder.ts";
import { runTitle } from "../run/runJson.ts";
import { processRecord } from "../run/runParts.ts";

/** What stands beside the figures in a file that is to be kept or passed on. */
export interface Accompaniment {
  readonly samples: readonly PlacedSample[];
  /** Records of moments.jsonl as they are. */
  readonly moments: readonly object[];
  /** The run's label, group and git state. */
  readonly kept: object;
  /** Texts of the measured files by their paths. */
  readonly sources: ReadonlyMap<string, string>;
  /** Of a run with native stacks, what each process's heap held at its peak. */
  readonly heaps: readonly object[];
  /** What its processes took of the GPU by calls of their own. */
  readonly gpu: readonly object[];
  /** What of them could not be read, sentences. */
  readonly problems: readonly string[];
  /** The lines and functions are of what was taken since this moment of the run. */
  readonly since: number;
}

/** Sizes in bytes, times in milliseconds unless the name says otherwise. `only` restricts the files to one path. */
export function exportJson(profile: Profile, only?: string, beside: Partial<Accompaniment> = {}): object {
  const chosen = (files: readonly FileProfile[]) => files.filter((file) => only === undefined || file.path === only);
  return present({
    schema: 1,
    run: exportRun(profile),
    since_ms: beside.since,
    metrics: [...profile.metrics],
    cuda: [...profile.cuda].map(([pid, { noticedBy, peaks }]) => ({ pid, noticed_by: noticedBy, peaks })),
    phases: profile.phases.map(exportPhase),
    files: chosen(profile.files).map((file) => exportFile(file, beside.sources?.get(file.path))),
    by_process:
      profile.byProcess.size === 0
        ? undefined
        : [...profile.byProcess].map(([pid, files]) => ({ pid, files: chosen(files).map((file) => exportFile(file)) })),
    heaps: hasNativeStacks(profile.run.engine) ? beside.heaps : undefined,
    gpu: beside.gpu?.length ? beside.gpu : undefined,
    problems: beside.problems?.length === 0 ? undefined : beside.problems,
    timeline: beside.samples?.map(exportSample),
    moments: beside.moments,
    kept: beside.kept,
  });
}

function exportRun({ run, origin, complete }: Profile): object {
  const { memTotal, ...board } = run.board;
  return present({
    id: run.id,
    title: runTitle(run),
    state: run.state,
    complete,
    ...(origin && exportOrigin(origin, run)),
    simulated: run.board.simulated === undefined ? origin?.simulated : true,
    engine: exportEngine(run.engine),
    imported: run.imported,
    command: run.command,
    notebook: run.notebook,
    started: run.started,
    ended: run.ended,
    elapsed_ms: run.elapsedMs,
    exit: run.exit && exportExit(run.exit),
    last_lines: run.lastLines,
    environment: run.environment,
    board: present({ ...board, mem_total: memTotal }),
    versions: run.versions,
    processes: run.processes.map(processRecord),
    output: run.output,
    warnings: run.warnings,
  });
}

function exportOrigin(origin: RunOrigin, run: RunInfo): object {
  const { target, inside, boardFolder, simulated } = origin;
  const name = originName(origin, run.board.simulated);
  return { target, inside, target_name: name, board_folder: boardFolder, loopback: simulated };
}

function exportExit(exit: Exit): object {
  if (exit.kind !== "out-of-memory") return exit;
  const { kernelLog, ...rest } = exit;
  return present({ ...rest, kernel_log: kernelLog });
}

function exportEngine({ massif, ...engine }: RunInfo["engine"]): object {
  if (massif === undefined) return engine;
  const { pagesAsHeap, maxHits, ...rest } = massif;
  return { ...engine, massif: { ...rest, pages_as_heap: pagesAsHeap, max_hits: maxHits } };
}

function exportFile(file: FileProfile, source?: string): object {
  return present({
    path: file.path,
    sha256: file.sha256 === "" ? undefined : file.sha256,
    lines: file.lines.map(exportLine),
    functions: file.functions.map(exportFunction),
    source,
  });
}

function exportFunction(row: FunctionRow): object {
  return present({
    name: row.name,
    first_line: row.key,
    def_line: row.defLine,
    last_line: row.lastLine,
    calls: row.calls,
    time_ns: row.timeNs,
    net_bytes: row.net,
    peak_bytes: row.peak,
  });
}

function exportLine(row: LineRow): object {
  const { line, cuda, system } = row;
  return present({
    line,
    ...named(row, LINE_FIGURES),
    cuda: cuda && present(named(cuda, CUDA_FIGURES)),
    system: system && present(named(system, SYSTEM_FIGURES)),
  });
}

function exportPhase({ pid, phase, t, at, ...figures }: Phase): object {
  return present({
    pid,
    phase,
    at_ms: t,
    path: at?.path,
    line: at?.line,
    rss_bytes: figures.rss,
    mem_available_bytes: figures.memAvailable,
    nvmap_bytes: figures.nvmap,
    allocated_bytes: figures.allocated,
    reserved_bytes: figures.reserved,
    device_used_bytes: figures.deviceUsed,
  });
}

function exportSample({ t, hits, rss, rssPeak, memAvailable, at }: PlacedSample): object {
  return present({
    at_ms: t,
    hits,
    rss_bytes: rss,
    rss_peak_bytes: rssPeak,
    mem_available_bytes: memAvailable,
    path: at?.path,
    line: at?.line,
  });
}
