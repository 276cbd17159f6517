/** What a person is told while a run goes on, in the editor and in the terminal. */
import { formatBytes, formatCount, formatDuration } from "../profile/format.ts";
import type { RunEvent, RunPhase } from "./board.ts";

const PHASES: Readonly<Record<RunPhase, string>> = {
  connect: "Connecting…",
  prepare: "Looking at the board's Python…",
  sync: "Comparing the project's files…",
  start: "Starting the script…",
  run: "Running…",
};

/** One line for an event; undefined where the event changes nothing of what is shown. */
export function progressText(event: RunEvent): string | undefined {
  switch (event.kind) {
    case "phase":
      return PHASES[event.phase];
    case "sync":
      return event.totalFiles === 0
        ? undefined
        : `Copying files: ${formatCount(event.sentFiles)} of ${formatCount(event.totalFiles)} · ` +
            `${formatBytes(event.sentBytes)} of ${formatBytes(event.totalBytes)}`;
    case "progress":
      return [
        event.underValgrind ? "under valgrind" : undefined,
        event.underValgrind ? shareText(event.hits, event.expectedHits) : undefined,
        event.hits === 0 ? undefined : event.hits === 1 ? "1 line hit" : `${formatCount(event.hits)} lines hit`,
        event.rss === undefined
          ? undefined
          : `${event.underValgrind ? "script and valgrind" : "RSS"} ${formatBytes(event.rss)} now`,
        event.rssPeak === undefined ? undefined : `${formatBytes(event.rssPeak)} peak`,
        elapsedText(event.elapsedMs),
      ]
        .filter((part) => part !== undefined)
        .join(" · ");
    case "reconnecting":
      return (
        `Connection lost (${event.reason}). The script goes on. ` +
        `Attempt ${event.attempt} in ${formatDuration(event.delayMs)}…`
      );
    default:
      return undefined;
  }
}

/** How far a slow run is, as far as that can be known. */
function shareText(hits: number, expected: number | undefined): string | undefined {
  if (hits === 0) return "loading libraries takes a minute or more";
  if (expected === undefined || expected === 0) return "how far it is is not known";
  if (hits >= expected) return "more lines than the last run";
  return `${Math.floor((100 * hits) / expected)} % of the lines of the last run`;
}

/** Whole seconds, so that a running clock does not flicker: `12 s`, `2 min 5 s`. */
export function elapsedText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000);
}

/** Short, for the status bar. */
export function statusText(script: string, event: RunEvent): string | undefined {
  if (event.kind === "progress" && event.rss !== undefined) return `${script}: ${formatBytes(event.rss)}`;
  return event.kind === "reconnecting" ? `${script}: reconnecting` : undefined;
}
