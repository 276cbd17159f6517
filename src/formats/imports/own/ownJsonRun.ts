/** The part of our own JSON that says what ran, where, and how it ended. */
import * as v from "valibot";
import { amount, index, lineNumber, present, relativePath } from "../../../profile/files/jsonRecords.ts";
import type { MassifSettings, RunInfo, RunOrigin } from "../../../profile/model.ts";
import {
  boardSchema,
  exitOf,
  exitSchema,
  importedSchema,
  notebookSchema,
  outputSchema,
  processOf,
  processSchema,
} from "../../../profile/run/runParts.ts";
import { phrase, t } from "../../../words/t.ts";

const text = v.nullish(v.string());
const place = v.object({ path: v.string(), line: lineNumber });

const massifSchema = v.object({
  valgrind: text,
  threshold: amount,
  depth: index,
  pages_as_heap: v.boolean(),
  gpu: v.boolean(),
  max_hits: index,
  lines: v.array(v.object({ path: relativePath, line: lineNumber })),
});

export const ownRunSchema = v.object({
  state: v.picklist(["running", "finished"]),
  complete: v.nullish(v.boolean()),
  target: text,
  inside: text,
  board_folder: text,
  loopback: v.nullish(v.boolean()),
  engine: v.object({
    name: v.picklist(["line", "memory_profiler", "massif"]),
    exact: v.boolean(),
    accelerator: v.boolean(),
    massif: v.nullish(massifSchema),
  }),
  imported: v.nullish(importedSchema),
  command: v.object({
    python: v.string(),
    script: text,
    module: text,
    args: v.array(v.string()),
    launch: v.nullish(v.array(v.string())),
  }),
  notebook: v.nullish(notebookSchema),
  started: text,
  ended: text,
  elapsed_ms: v.nullish(amount),
  exit: v.nullish(exitSchema),
  last_lines: v.nullish(
    v.array(
      v.object({
        pid: index,
        thread: v.string(),
        path: v.string(),
        line: lineNumber,
        stack: v.nullish(v.array(place)),
      }),
    ),
  ),
  environment: v.nullish(v.record(v.string(), v.string())),
  board: v.nullish(boardSchema),
  versions: v.nullish(v.record(v.string(), v.string())),
  processes: v.nullish(v.array(processSchema)),
  output: v.nullish(v.object({ stdout: outputSchema, stderr: outputSchema })),
  warnings: v.nullish(v.array(v.object({ code: v.string(), message: v.string() }))),
});

export interface ImportedInfo {
  readonly run: Omit<RunInfo, "id">;
  readonly origin?: RunOrigin;
  /** The line table was whole. */
  readonly complete: boolean;
  readonly notes: readonly string[];
}

/** @param file the imported file's name */
export function importedInfo(raw: v.InferOutput<typeof ownRunSchema>, file: string): ImportedInfo {
  const { mem_total, ...board } = raw.board ?? {};
  const unfinished = raw.state === "running";
  return {
    run: present({
      // Nobody will ever write to it again.
      state: "finished" as const,
      engine: present({ ...raw.engine, massif: raw.engine.massif ? massifOf(raw.engine.massif) : undefined }),
      imported: (raw.imported && present(raw.imported)) ?? {
        format: "jetson-memprof" as const,
        file,
        measures: phrase("what Jetson Memory Profiler recorded").text,
      },
      command: present(raw.command),
      notebook: raw.notebook && { ...raw.notebook, cells: raw.notebook.cells.map(present) },
      started: raw.started,
      ended: raw.ended,
      elapsedMs: raw.elapsed_ms,
      exit: raw.exit ? exitOf(raw.exit) : unfinished ? ({ kind: "lost" } as const) : undefined,
      lastLines: (raw.last_lines ?? []).map(present),
      environment: raw.environment ?? {},
      board: present({ ...board, memTotal: mem_total }),
      versions: raw.versions ?? {},
      processes: (raw.processes ?? []).map(processOf),
      output: raw.output,
      warnings: raw.warnings ?? [],
    }),
    ...(typeof raw.target === "string" ? { origin: originOf(raw, raw.target) } : {}),
    complete: raw.complete ?? false,
    notes: unfinished ? [t("The run was still in progress when it was exported; the figures end there.")] : [],
  };
}

function originOf({ inside, board_folder: folder, loopback }: v.InferOutput<typeof ownRunSchema>, target: string) {
  return present({ target, inside, boardFolder: folder ?? "", simulated: loopback ?? false });
}

function massifOf(raw: v.InferOutput<typeof massifSchema>): MassifSettings {
  const { pages_as_heap: pagesAsHeap, max_hits: maxHits, ...rest } = raw;
  return present({ ...rest, pagesAsHeap, maxHits });
}
