/** Figures of benchmarks as the page shows them: three digits, with their unit, never more sure than they are. */
import { formatCount } from "../../src/profile/text/format.ts";
import type { Figure, Grown, Judged, Margin } from "./judge.ts";
import type { Unit } from "./row.ts";

/** `0.123`, `12.3`, `1,234`. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 999.5) return `${value < 0 ? "-" : ""}${formatCount(size)}`;
  if (size < 0.0005) return value.toExponential(1);
  return value.toFixed(Math.min(5, Math.max(0, 2 - Math.floor(Math.log10(size)))));
}

/** `1.53 s`, `1.02 ×`, `97 %`. */
export function withUnit(value: number, unit: Unit): string {
  return `${formatNumber(value)} ${unit === "us" ? "µs" : unit}`;
}

export function formatFigure(figure: Figure, unit: Unit): string {
  switch (figure.kind) {
    case "none":
      return "could not be run";
    case "below noise":
      return `below the noise (± ${withUnit(figure.noise, unit)})`;
    case "measured":
      return withUnit(figure.summary.median, unit);
  }
}

/** What a row is to keep: `ahead of memory_profiler, Scalene`, `at most 1.5 × rsync`. */
export function formatGoal({ goal }: Pick<Judged, "goal">, unit: Unit, work: string): string {
  const at = goal.at === undefined ? "" : ` at ${formatCount(goal.at)} ${work}`;
  switch (goal.kind) {
    case "ahead":
      return `ahead of ${goal.of.join(", ")}${at}`;
    case "factor":
      return "atMost" in goal
        ? `at most ${formatNumber(goal.atMost)} × ${goal.than}${at}`
        : `at least ${formatNumber(goal.atLeast)} × ${goal.than}${at}`;
    case "bound":
      return "atMost" in goal
        ? `at most ${withUnit(goal.atMost, unit)}${at}`
        : `at least ${withUnit(goal.atLeast, unit)}${at}`;
  }
}

/** In the table's words; a goal that is missed stands out. */
export function formatVerdict({ goal, verdict }: Judged): string {
  if (verdict.kind === "not judged") return `not judged: ${verdict.why}`;
  const kept = verdict.kind === "kept";
  // How many times better than the peer or the goal, or how many times worse.
  const { factor, atLeast } = verdict.margin;
  const times = formatTimes({ factor: kept ? factor : 1 / factor, atLeast });
  const to =
    goal.kind === "ahead"
      ? `${kept ? "ahead of" : "behind"} ${verdict.than}`
      : `${kept ? "better" : "worse"} than asked`;
  return [
    kept ? "kept" : "**MISSED**",
    ...(times === undefined ? [] : [`${times} ${to}`]),
    ...(verdict.sure ? [] : ["within the noise"]),
  ].join(", ");
}

/** `3.2 ×`; undefined where there is no number to tell. */
function formatTimes({ factor, atLeast }: Margin): string | undefined {
  if (!Number.isFinite(factor) || factor <= 0) return undefined;
  return `${atLeast ? "at least " : ""}${formatNumber(factor)} ×`;
}

export function formatGrowth(grown: Grown): string {
  if (grown.kind === "unknown") return grown.why === "one size" ? "" : grown.why;
  const { exponent, verdict } = grown.growth;
  return `n^${exponent.toFixed(2)}${verdict === "faster than n log n" ? ", **grows faster than n log n**" : ""}`;
}

export function spreadOf(figure: Figure, unit: Unit): string {
  if (figure.kind === "none") return "";
  return figure.summary.rounds === 1 ? "one round" : `± ${withUnit(figure.summary.spread, unit)}`;
}
