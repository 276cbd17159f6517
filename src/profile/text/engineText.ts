/** What measured a run, in words for people. */

import { t } from "../../words/t.ts";
import type { RunInfo } from "../model.ts";
import { importedText } from "./measuredElsewhere.ts";

/** Undefined for the line engine, which is what a reader expects. */
export function engineText({
  engine,
  versions,
  imported,
}: Pick<RunInfo, "engine" | "versions" | "imported">): string | undefined {
  if (imported !== undefined) return importedText(imported);
  switch (engine.name) {
    case "memory_profiler":
      return t("measured by memory_profiler");
    case "massif": {
      const version = engine.massif?.valgrind ?? versions["valgrind"];
      const what = engine.massif?.pagesAsHeap ? "pages" : "heap";
      return t("{0} measured by massif{1}", what, version === undefined ? "" : t(" (valgrind {0})", version));
    }
    case "line":
      return undefined;
  }
}
