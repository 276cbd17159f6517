/** A run against the limits it must keep. Pure. */
import type { Comparison } from "../compare/model.ts";
import { defined } from "../profile/defined.ts";
import { runTitle } from "../profile/run/runJson.ts";
import { judgeEnding, judgeLines, judgePeak, type PlaceOf } from "./absolute.ts";
import { judgeLineGrowth, judgePeakGrowth } from "./growth.ts";
import type { Check, CheckResult, GateReport } from "./model.ts";
import type { RunFigures } from "./peak.ts";

export interface Judged {
  readonly folder: string;
  readonly figures: RunFigures;
  /** The text of a profiled line; undefined where the source was not kept. */
  readonly textOf: (path: string, line: number) => string | undefined;
  /** There where a check is of growth. */
  readonly comparison?: Comparison;
}

/** @param strict what is unsure fails too */
export function judge(checks: readonly Check[], judged: Judged, strict: boolean): GateReport {
  const { folder, figures, comparison } = judged;
  const { run, files } = figures.profile;
  const placeOf: PlaceOf = (path, line) => {
    const text = judged.textOf(path, line);
    return text === undefined ? { path, line } : { path, line, text };
  };
  const results = checks.flatMap((check) => judgeOne(check, figures, comparison, placeOf) ?? []);
  const program = files.find(({ path }) => path === run.command.script)?.path ?? files[0]?.path;
  return {
    run: { folder, title: runTitle(run), ...defined({ elapsedMs: run.elapsedMs }) },
    ...defined({
      baseline:
        comparison === undefined ? undefined : { folders: comparison.before.folders, title: comparison.before.title },
    }),
    results,
    notes: comparison?.notes ?? [],
    strict,
    verdict: verdictOf(results, strict),
    ...defined({ program }),
  };
}

function judgeOne(
  check: Check,
  figures: RunFigures,
  comparison: Comparison | undefined,
  placeOf: PlaceOf,
): CheckResult | undefined {
  switch (check.kind) {
    case "ending":
      return judgeEnding(check, figures.profile.run, placeOf);
    case "peak":
      return judgePeak(check, figures);
    case "line":
      return judgeLines(check, figures.profile, placeOf);
    case "peak-growth":
      return judgePeakGrowth(check, compared(comparison));
    case "line-growth":
      return judgeLineGrowth(check, compared(comparison));
  }
}

function compared(comparison: Comparison | undefined): Comparison {
  if (comparison === undefined) throw new Error("a check of growth needs a comparison");
  return comparison;
}

function verdictOf(results: readonly CheckResult[], strict: boolean): GateReport["verdict"] {
  if (results.some(({ outcome }) => outcome === "broken" || (strict && outcome === "unsure"))) return "broken";
  return results.some(({ outcome }) => outcome === "unknown") ? "unknown" : "kept";
}
