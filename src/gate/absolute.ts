/** Checks of one run alone: how it ended, its peak, its lines. Pure. */

import { byMetric } from "../profile/lines/metric.ts";
import type { Profile, RunInfo } from "../profile/model.ts";
import { exitText } from "../profile/text/exitText.ts";
import { formatBytes } from "../profile/text/format.ts";
import { measuredElsewhere } from "../profile/text/measuredElsewhere.ts";
import type { Check, CheckResult, Finding, FindingPlace } from "./model.ts";
import { peakOf, type RunFigures } from "./peak.ts";
import { largestFirst, resultOf } from "./result.ts";
import { COMPARED_NAMES, placeText } from "./words.ts";

/** Names a line of the run's sources. */
export type PlaceOf = (path: string, line: number) => FindingPlace;

/** What keeps a run's figures from being those of a whole run; undefined where nothing does. */
export function endingFinding(run: RunInfo): Finding | undefined {
  if (endingNotTold(run)) return undefined;
  if (run.state === "running") return { outcome: "unknown", message: "The run is still going on: nothing is final." };
  const message = exitText(run.exit);
  switch (run.exit?.kind) {
    case undefined:
      return { outcome: "unknown", message: "The run does not say how the script ended." };
    case "cancelled":
    case "lost":
      return { outcome: "unknown", message: message ?? "" };
    case "exited":
    case "signalled":
    case "out-of-memory":
    case "not-started":
      return message === undefined ? undefined : { outcome: "broken", message };
  }
}

function endingNotTold(run: RunInfo): boolean {
  return measuredElsewhere(run) !== undefined && run.exit === undefined;
}

/** Undefined where it is not told: not every other tool does. */
export function judgeEnding(
  check: Check & { readonly kind: "ending" },
  run: RunInfo,
  placeOf: PlaceOf,
): CheckResult | undefined {
  if (endingNotTold(run)) return undefined;
  const finding = endingFinding(run);
  if (finding === undefined) return resultOf(check, "The script came to its own end.", []);
  const last = run.lastLines.find(({ thread }) => thread === "MainThread") ?? run.lastLines[0];
  const where = last === undefined ? undefined : placeOf(last.path, last.line);
  const at = where === undefined ? "" : ` It was at ${placeText(where)}.`;
  const message = `${finding.message}${finding.outcome === "broken" ? at : ""}`;
  return resultOf(check, message, [
    where === undefined ? { ...finding, message } : { ...finding, message, place: where },
  ]);
}

export function judgePeak(check: Check & { readonly kind: "peak" }, figures: RunFigures): CheckResult {
  const peak = peakOf(figures, check.metric);
  if (peak.kind === "unknown") {
    return resultOf(check, peak.reason, [{ outcome: "unknown", message: peak.reason }]);
  }
  const { bytes, kind } = peak;
  const size = kind === "at-least" ? `${formatBytes(bytes)} at least, the highest reading` : formatBytes(bytes);
  if (bytes <= check.limit) return resultOf(check, `It was ${size}.`, []);
  const message = `It was ${size}: ${above(bytes, check.limit)}.`;
  return resultOf(check, message, [{ outcome: "broken", message, actual: bytes }]);
}

export function judgeLines(check: Check & { readonly kind: "line" }, profile: Profile, placeOf: PlaceOf): CheckResult {
  const { limit, metric } = check;
  const reason = noLineFigures(profile, check);
  if (reason !== undefined) return resultOf(check, reason, [{ outcome: "unknown", message: reason }]);
  const rows = byMetric(profile, metric).files.flatMap(({ path, lines }) =>
    lines.flatMap((row) => {
      const actual = row.self ?? row.net;
      return actual === undefined ? [] : [{ path, row, actual }];
    }),
  );
  const what = measuredElsewhere(profile.run)?.measures ?? COMPARED_NAMES[metric];
  const findings = rows
    .filter(({ actual }) => actual > limit)
    .map(({ path, row, actual }): Finding => {
      const uncertain = row.uncertain ?? 0;
      const unsure = actual - uncertain <= limit;
      const doubt = `, but ${formatBytes(uncertain)} of it may belong to a neighboring line`;
      const alone = row.self === undefined ? "with what it called" : "alone";
      return {
        outcome: unsure ? "unsure" : "broken",
        message: `This line ${alone} took ${formatBytes(actual)} of ${what}, ${above(actual, limit)}${unsure ? doubt : ""}.`,
        actual,
        place: placeOf(path, row.line),
      };
    })
    .sort(largestFirst);
  if (findings.length > 0) {
    const count = findings.length === 1 ? "One line is" : `${findings.length} lines are`;
    return resultOf(check, `${count} above the limit.`, findings);
  }
  const [heaviest] = rows.sort((a, b) => b.actual - a.actual);
  return resultOf(
    check,
    heaviest === undefined || heaviest.actual <= 0
      ? "No line took any."
      : `The heaviest line is ${placeText({ path: heaviest.path, line: heaviest.row.line })} with ${formatBytes(heaviest.actual)} of ${what}.`,
    [],
  );
}

function above(actual: number, limit: number): string {
  return `${formatBytes(actual - limit)} above the limit`;
}

function noLineFigures(
  { run, metrics, files }: Profile,
  { metric }: Check & { readonly kind: "line" },
): string | undefined {
  if (run.engine.name === "massif" && measuredElsewhere(run) === undefined) {
    return "Under massif lines have no such figures; check a run of the line engine.";
  }
  if (!metrics.has(metric)) return `The run has no figures of ${COMPARED_NAMES[metric]} by line.`;
  // Where nothing ran, nothing was measured: an empty table is no proof.
  const measured = files.some(({ lines }) => lines.some(({ self, net }) => self !== undefined || net !== undefined));
  return measured ? undefined : "The run measured no line.";
}
