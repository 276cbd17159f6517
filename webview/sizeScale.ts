/**
 * The axis of sizes that all charts share. Its steps are 1, 2 or 5 × 10^n of one unit, not powers of two: the figures
 * beside a chart are decimal MiB, so 585.2 MiB is found between 500 and 600 at once, and not between 512 and 640. The
 * size of a board's RAM, which is no such step, is a tick of its own (`withTop`).
 */

/** The largest first. `least` is the reach of an axis from which on the unit is used. */
const UNITS = [
  // Up to there MiB have four digits, and are what the figures beside the chart are in.
  { name: "GiB", bytes: 2 ** 30, least: 10 * 2 ** 30 },
  // 1.5 MiB reads better in KiB.
  { name: "MiB", bytes: 2 ** 20, least: 2 * 2 ** 20 },
  { name: "KiB", bytes: 2 ** 10, least: 2 * 2 ** 10 },
] as const;
const BYTES = { name: "B", bytes: 1 } as const;

export interface SizeScale {
  /** Bytes, ascending, all within the range. */
  readonly ticks: readonly number[];
  /** What stands at a tick, as `500 MiB`: the same unit and digits along one axis. */
  text(bytes: number): string;
}

/**
 * @param low bytes, mostly 0
 * @param high bytes
 * @param count about how many steps there is room for
 */
export function sizeScale(low: number, high: number, count: number): SizeScale {
  const { unit, step } = stepsOf(low, high, count);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const bytesAt = (place: number): number => place * step * unit.bytes;
  const first = Math.ceil(low / unit.bytes / step - 1e-9);
  const last = Math.floor(high / unit.bytes / step + 1e-9);
  return {
    ticks: Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => bytesAt(first + i)),
    text: (bytes) => `${(bytes / unit.bytes).toFixed(digits)} ${unit.name}`.replace(/^-(0(\.0*)? )/, "$1"),
  };
}

/** From 0 up to a round number at or above `high`, which has the last tick. */
export function roundedSizeScale(high: number, count: number): SizeScale & { readonly top: number } {
  const { unit, step } = stepsOf(0, high, count);
  const top = Math.ceil(high / unit.bytes / step - 1e-9) * step * unit.bytes;
  return { ...sizeScale(0, top, count), top };
}

/** A tick that is this near to the top, as a share of the axis, would touch its words. */
const ROOM_BELOW_TOP = 0.08;

/** The ticks with one at `top` itself, for sizes that are no round number: what a board has. */
export function withTop(ticks: readonly number[], top: number): readonly number[] {
  return [...ticks.filter((tick) => tick < top * (1 - ROOM_BELOW_TOP)), top];
}

function stepsOf(low: number, high: number, count: number) {
  const reach = Math.max(Math.abs(low), Math.abs(high));
  const unit = UNITS.find(({ least }) => reach >= least) ?? BYTES;
  const step = roundStep((high - low) / unit.bytes / Math.max(1, count));
  // There is no half a byte.
  return { unit, step: unit === BYTES ? Math.max(1, step) : step };
}

/** The least of 1, 2 and 5 × 10^n that is not below. */
function roundStep(least: number): number {
  if (!(least > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5].find((each) => each * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}
