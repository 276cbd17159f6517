import { formatBytes, formatCount, formatDuration } from "../profile/format.ts";
import { printable } from "../profile/text.ts";
import type { RunEvent, RunPhase } from "../protocol/board.ts";

const PHASES: Readonly<Record<RunPhase, string>> = {
  connect: "Connecting…",
  prepare: "Preparing the board…",
  sync: "Comparing files…",
  start: "Starting the script…",
  run: "Running…",
};

/** What the status line says on an event; undefined where it has nothing new to say. */
export function progressText(event: RunEvent): string | undefined {
  switch (event.kind) {
    case "phase":
      return PHASES[event.phase];
    case "sync":
      return `Sending files: ${event.sentFiles} of ${event.totalFiles}, ${formatBytes(event.sentBytes)} of ${formatBytes(event.totalBytes)}`;
    case "progress":
      return [
        formatDuration(event.elapsedMs),
        `${formatCount(event.hits)} lines`,
        event.rss === undefined ? undefined : `RSS ${formatBytes(event.rss)}`,
        event.rssPeak === undefined ? undefined : `peak ${formatBytes(event.rssPeak)}`,
        event.at === undefined ? undefined : `${printable(event.at.path)}:${event.at.line}`,
      ]
        .filter((part) => part !== undefined)
        .join(" · ");
    case "reconnecting":
      return `Connection lost; trying again in ${formatDuration(event.delayMs)} (attempt ${event.attempt})`;
    default:
      return undefined;
  }
}
