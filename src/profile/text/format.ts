/**
 * Figures as people read them. Sizes are in MiB (2^20 bytes) with one decimal below 10 GiB and in GiB from there on, so
 * that a figure has at most five digits; what would read 0.0 is in KiB or bytes.
 */

const KIB = 2 ** 10;
const MIB = 2 ** 20;
const GIB = 2 ** 30;

export interface SizeUnit {
  readonly name: string;
  readonly bytes: number;
  readonly decimals: number;
}

/** The unit that a size is told in, so that what is told together can share one. */
export function sizeUnit(bytes: number): SizeUnit {
  const size = Math.abs(bytes);
  // By what would be read: 10239.96 MiB would read 10240.0.
  if (Math.round((10 * size) / MIB) >= (100 * GIB) / MIB) return { name: "GiB", bytes: GIB, decimals: 1 };
  if (Math.round(size / KIB) >= KIB) return { name: "MiB", bytes: MIB, decimals: 1 };
  return Math.round(size) >= KIB ? { name: "KiB", bytes: KIB, decimals: 0 } : { name: "B", bytes: 1, decimals: 0 };
}

/** In a table: what is not known. */
export const UNKNOWN = "–";

/** The text of a figure that may not be known, for a table. */
export const orUnknown = <T>(figure: T | undefined, text: (figure: T) => string): string =>
  figure === undefined ? UNKNOWN : text(figure);

/** A size's number in a unit; what rounds to nothing has no sign. */
export function inUnit(bytes: number, { bytes: one, decimals }: SizeUnit): string {
  return (bytes / one).toFixed(decimals).replace(/^-(0(?:\.0)?)$/, "$1");
}

/** `23.5 GiB`, `1585.2 MiB`, `64 KiB`, `512 B`, `0 B`. */
export function formatBytes(bytes: number): string {
  const unit = sizeUnit(bytes);
  return `${inUnit(bytes, unit)} ${unit.name}`;
}

/** A change: as formatBytes, with `+` before what was taken. */
export function formatChange(bytes: number): string {
  const text = formatBytes(bytes);
  return text.startsWith("-") || text === "0 B" ? text : `+${text}`;
}

/** `23.5 MiB ± 1.2 MiB`, where it is known how far a figure may be off. */
export function withBand(figure: string, band: number | undefined): string {
  return band === undefined ? figure : `${figure} ± ${formatBytes(band)}`;
}

/** A part of 1: `12.3 %`; `< 0.1 %` for what would read as nothing. */
export function formatShare(part: number): string {
  return part > 0 && part < 0.0005 ? "< 0.1 %" : `${(100 * part).toFixed(1)} %`;
}

/** `1,234,567`. */
export function formatCount(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `0.4 ms`, `12 ms`, `1.2 s`, `2 min 5 s`, `3 h 2 min`; `< 0.1 ms` for what would read as nothing. */
export function formatDuration(ms: number): string {
  if (ms > 0 && ms < 0.05) return "< 0.1 ms";
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
