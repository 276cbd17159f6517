/** Figures as people read them. Sizes are in MiB (2^20 bytes) with one decimal, in KiB or bytes where that would say 0.0. */

const KIB = 1024;
const MIB = 1024 * 1024;

/** `1585.2 MiB`, `64 KiB`, `512 B`, `0 B`. */
export function formatBytes(bytes: number): string {
  const size = Math.abs(bytes);
  const sign = bytes < 0 ? "-" : "";
  if (Math.round(size / KIB) >= KIB) return `${sign}${(size / MIB).toFixed(1)} MiB`;
  if (Math.round(size) >= KIB) return `${sign}${Math.round(size / KIB)} KiB`;
  return Math.round(size) === 0 ? "0 B" : `${sign}${Math.round(size)} B`;
}

/** A change: as formatBytes, with `+` before what was taken. */
export function formatChange(bytes: number): string {
  const text = formatBytes(bytes);
  return text.startsWith("-") || text === "0 B" ? text : `+${text}`;
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

/** `0.4 ms`, `12 ms`, `1.2 s`, `2 min 5 s`, `3 h 2 min`. */
export function formatDuration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
