/** The run as JSON for other programs; a figure that could not be taken is left out. */
import { present } from "./jsonRecords.ts";
import type { CudaFigures, FileProfile, LineRow, Phase, Profile, RunInfo, SystemFigures } from "./model.ts";
import { targetName } from "./origin.ts";
import { runTitle } from "./runJson.ts";

/** Sizes in bytes, times in milliseconds. `only` restricts the files to one path. */
export function exportJson(profile: Profile, only?: string): object {
  const { run, origin } = profile;
  const { memTotal, ...board } = run.board;
  return {
    schema: 1,
    run: present({
      id: run.id,
      title: runTitle(run),
      state: run.state,
      complete: profile.complete,
      target: origin?.target,
      target_name: origin && targetName(origin.target, origin.simulated, run.board.simulated),
      simulated: run.board.simulated === undefined ? origin?.simulated : true,
      engine: exportEngine(run.engine),
      command: run.command,
      started: run.started,
      ended: run.ended,
      elapsed_ms: run.elapsedMs,
      exit: run.exit,
      last_lines: run.lastLines,
      board: present({ ...board, mem_total: memTotal }),
      versions: run.versions,
      processes: run.processes,
      output: run.output,
      warnings: run.warnings,
    }),
    metrics: [...profile.metrics],
    cuda: [...profile.cuda].map(([pid, { noticedBy, peaks }]) => ({ pid, noticed_by: noticedBy, peaks })),
    phases: profile.phases.map(exportPhase),
    files: profile.files.filter((file) => only === undefined || file.path === only).map(exportFile),
  };
}

function exportEngine({ massif, ...engine }: RunInfo["engine"]): object {
  if (massif === undefined) return engine;
  const { pagesAsHeap, maxHits, ...rest } = massif;
  return { ...engine, massif: { ...rest, pages_as_heap: pagesAsHeap, max_hits: maxHits } };
}

function exportFile(file: FileProfile): object {
  return { path: file.path, lines: file.lines.map(exportLine) };
}

function exportLine(row: LineRow): object {
  return present({
    line: row.line,
    hits: row.hits,
    net_bytes: row.net,
    self_bytes: row.self,
    max_increment_bytes: row.maxIncrement,
    peak_bytes: row.peak,
    usage_bytes: row.usage,
    uncertain_bytes: row.uncertain,
    cuda: row.cuda && exportCuda(row.cuda),
    system: row.system && exportSystem(row.system),
  });
}

function exportCuda(figures: CudaFigures): object {
  return present({
    net_bytes: figures.net,
    self_bytes: figures.self,
    max_increment_bytes: figures.maxIncrement,
    peak_bytes: figures.peak,
    peak_at_most_bytes: figures.peakMost,
    reserved_net_bytes: figures.reservedNet,
    reserved_self_bytes: figures.reservedSelf,
    reserved_peak_bytes: figures.reservedPeak,
    device_net_bytes: figures.deviceNet,
    uncertain_bytes: figures.uncertain,
  });
}

function exportSystem(figures: SystemFigures): object {
  return present({
    net_bytes: figures.net,
    self_bytes: figures.self,
    nvmap_net_bytes: figures.nvmapNet,
    uncertain_bytes: figures.uncertain,
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
