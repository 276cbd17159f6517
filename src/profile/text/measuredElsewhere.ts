/** Runs whose figures another tool took. */
import { say, t } from "../../words/t.ts";
import type { ImportedFrom, ImportFormat, RunInfo } from "../model.ts";

/** As people call the tools. */
export const TOOL_NAMES: Readonly<Record<ImportFormat, string>> = {
  memory_profiler: "memory_profiler",
  mprof: "mprof",
  massif: "massif",
  tracemalloc: "tracemalloc",
  scalene: "Scalene",
  memray: "memray",
  tegrastats: "tegrastats",
  "jetson-memprof": "Jetson Memory Profiler",
};

/** Undefined also for a run that this profiler measured and that was exported and imported again. */
export function measuredElsewhere({ imported }: Pick<RunInfo, "imported">): ImportedFrom | undefined {
  return imported?.format === "jetson-memprof" ? undefined : imported;
}

/** What the figures are: kept in English, as exports hold it too; a phrase of the catalogue where we wrote it. */
export function measuresText({ measures }: Pick<ImportedFrom, "measures">): string {
  return say({ text: measures, values: [] });
}

/** What the `rss` of a run's timeline is, for headings; undefined where it is RSS. */
export function timelineMeasure(run: Pick<RunInfo, "imported">): string | undefined {
  const text = measuredElsewhere(run)?.timeline;
  return text === undefined ? undefined : say({ text, values: [] });
}

/** `Scalene's sc.json`; the file's name is as it came. */
export function importedText({ format, file }: ImportedFrom): string {
  return t("imported from {0} ({1})", TOOL_NAMES[format], file);
}
