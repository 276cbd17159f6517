/** The run as JSON for other programs; a figure that could not be taken is left out. */
import { present } from "./jsonRecords.ts";
import type { FileProfile, LineRow, Profile, RunInfo } from "./model.ts";
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
  });
}
