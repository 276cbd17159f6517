/** As people call the formats, with what writes such a file. */
import type { ImportFormat } from "../../profile/model.ts";
import { type Phrase, phrase } from "../../words/t.ts";

export const FORMAT_NAMES: Readonly<Record<ImportFormat, Phrase>> = {
  memory_profiler: phrase("memory_profiler report"),
  mprof: phrase("mprof .dat file"),
  massif: phrase("massif.out file"),
  tracemalloc: phrase("tracemalloc snapshot"),
  scalene: phrase("Scalene JSON"),
  memray: phrase("memray table, csv or stats --json"),
  tegrastats: phrase("tegrastats log"),
  "jetson-memprof": phrase("export of Jetson Memory Profiler"),
};
