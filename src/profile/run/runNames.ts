/** The order in which runs were made, as their folders' names tell it: they begin with the time at home. */

/** Milliseconds since 1970. This program is not older: a clock that shows less was never set, as without a battery. */
export const CLOCKS_SET = Date.UTC(2026, 0, 1);
/** Milliseconds that a name may be ahead of the clock: the clock was set back, or its time zone was corrected. */
const AHEAD = 86_400_000;
/** Sorts behind all digits. */
const AFTER_TIMES = ":";

/** What a name begins with: `YYYYMMDD-HHMMSS`, in UTC. */
export function nameTime(time: Date): string {
  return time.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
}

/** Milliseconds since 1970; not a number where the name does not begin with a time. */
export function timeInName(name: string): number {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-/.exec(name) ?? [];
  const [year = Number.NaN, month = 1, ...rest] = parts.map(Number);
  return Date.UTC(year, month - 1, ...rest);
}

/** Names above this have no time, or one of a clock that was far ahead. */
function lastOfNames(now: Date): string {
  return now.getTime() < CLOCKS_SET ? AFTER_TIMES : nameTime(new Date(now.getTime() + AHEAD));
}

/** The run that was made last comes first; those whose time cannot be come at the end, or they would stay first. */
export function newestFirst(now: Date = new Date()): (a: string, b: string) => number {
  const last = lastOfNames(now);
  return (a, b) => Number(a > last) - Number(b > last) || (a === b ? 0 : a < b ? 1 : -1);
}

/** The name that a new one has to come after; undefined where there is none. */
export function newestName(names: readonly string[], now: Date): string | undefined {
  const last = lastOfNames(now);
  const made = names.filter((name) => name <= last && !Number.isNaN(timeInName(name)));
  return made.sort().at(-1);
}
