/** What each phase of a run took, as a table. */
import type { Paint } from "../../profile/lines/annotate.ts";
import { formatChange, formatDuration, UNKNOWN } from "../../profile/text/format.ts";
import { aligned } from "../../profile/text/table.ts";
import { printable } from "../../profile/text/text.ts";
import { PHASE_NAMES, PHASES_NOTE, PHASES_TITLE, type PhaseCost } from "../../profile/torch/phases.ts";
import { phrase, say, verbatim } from "../../words/t.ts";

const HEADINGS = [
  phrase("From"),
  verbatim("RSS"),
  phrase("Board in use"),
  phrase("Allocated"),
  phrase("Reserved"),
  phrase("Outside"),
  phrase("Phase"),
  phrase("Line"),
];
const FIGURES = 6;

/** None where nothing is known of phases. */
export function phasesTable(costs: readonly PhaseCost[], paint: Paint): string[] {
  if (costs.length === 0) return [];
  const [heading = "", ...rows] = aligned([HEADINGS.map(say), ...costs.map(cells)], FIGURES);
  return [[paint.strong(say(PHASES_TITLE)), paint.faint(heading), ...rows, paint.faint(say(PHASES_NOTE))].join("\n")];
}

function cells({ phase, process, t, at, rss, inUse, allocated, reserved, outside }: PhaseCost): string[] {
  const name = process === undefined ? say(PHASE_NAMES[phase]) : `${say(PHASE_NAMES[phase])} (${process})`;
  const place = at === undefined ? UNKNOWN : `${at.path}:${at.line}`;
  const changes = [rss, inUse, allocated, reserved].map((bytes) =>
    bytes === undefined ? UNKNOWN : formatChange(bytes),
  );
  const inferred = outside === undefined ? UNKNOWN : `~ ${formatChange(outside)}`;
  return [formatDuration(t), ...changes, inferred, printable(name), printable(place)];
}
