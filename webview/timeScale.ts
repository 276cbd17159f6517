/** The axis of times that all charts share: steps that people count by, the same unit and digits along one axis. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12, 24].map((count) => count * HOUR),
];
/** Below, an axis is in ms, down to their fractions. */
const LEAST_SECONDS = 2 * SECOND;

export interface TimeScale {
  /** In ms, ascending, all within the span. */
  readonly ticks: readonly number[];
  /** What stands at a tick. */
  text(ms: number): string;
}

/** @param count about how many steps there is room for */
export function timeScale(first: number, last: number, count: number): TimeScale {
  const step = stepOf((last - first) / Math.max(1, count));
  const from = Math.ceil(first / step - 1e-9);
  const to = Math.floor(last / step + 1e-9);
  return {
    ticks: Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => (from + i) * step),
    text: textWith(step, Math.max(Math.abs(first), Math.abs(last))),
  };
}

function stepOf(least: number): number {
  if (!(least > 0)) return SECOND;
  if (least > 24 * HOUR) return Math.ceil(least / (24 * HOUR)) * 24 * HOUR;
  if (least > SECOND / 2) return STEPS.find((each) => each >= least) ?? 24 * HOUR;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((each) => each * power >= least * (1 - 1e-9)) ?? 10);
}

function textWith(step: number, reach: number): (ms: number) => string {
  if (step >= SECOND) return wholeSeconds;
  const [unit, name] = reach < LEAST_SECONDS ? [1, "ms"] : [SECOND, "s"];
  const digits = Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9));
  return (ms) => `${(ms / unit).toFixed(digits)} ${name}`.replace(/^-(0(\.0*)? )/, "$1");
}

/** `0 s`, `45 s`, `2 min`, `2 min 30 s`, `1 h 5 min`. */
function wholeSeconds(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / SECOND);
  const sign = ms < 0 && seconds > 0 ? "-" : "";
  if (seconds < 60) return `${sign}${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${sign}${minutes} min${seconds % 60 === 0 ? "" : ` ${seconds % 60} s`}`;
  return `${sign}${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? "" : ` ${minutes % 60} min`}`;
}
