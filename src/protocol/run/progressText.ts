/** What a person is told while a run goes on, in the editor and in the terminal. */
import { formatBytes, formatCount, formatDuration } from "../../profile/text/format.ts";
import { type Phrase, phrase, say, t } from "../../words/t.ts";
import type { RunEvent, RunPhase } from "./run.ts";

const PHASES: Readonly<Record<RunPhase, Phrase>> = {
  connect: phrase("Connecting…"),
  prepare: phrase("Looking at the board's Python…"),
  sync: phrase("Comparing the project's files…"),
  start: phrase("Starting the script…"),
  trial: phrase("Trying out native stacks on the board, then starting the script…"),
  run: phrase("Running…"),
};

/** What a person is told as soon as the connection is gone. */
export const LOST: Readonly<Record<Extract<RunEvent, { kind: "reconnecting" }>["script"], Phrase>> = {
  runs: phrase("Connection lost, the run continues on the board."),
  unsure: phrase("Connection lost while the script was being started."),
};

/** One line for an event; undefined where the event changes nothing of what is shown. */
export function progressText(event: RunEvent): string | undefined {
  switch (event.kind) {
    case "phase":
      return say(PHASES[event.phase]);
    case "sync":
      return event.totalFiles === 0
        ? undefined
        : t(
            "Copying files: {0} of {1} · {2} of {3}",
            formatCount(event.sentFiles),
            formatCount(event.totalFiles),
            formatBytes(event.sentBytes),
            formatBytes(event.totalBytes),
          );
    case "progress":
      return [
        event.underValgrind ? t("under valgrind") : undefined,
        event.underValgrind ? shareText(event.hits, event.expectedHits) : undefined,
        event.hits === 0
          ? undefined
          : event.hits === 1
            ? t("1 line execution")
            : t("{0} line executions", formatCount(event.hits)),
        event.rss === undefined
          ? undefined
          : t("{0} {1} now", event.underValgrind ? t("script and valgrind") : "RSS", formatBytes(event.rss)),
        event.rssPeak === undefined ? undefined : t("{0} peak", formatBytes(event.rssPeak)),
        elapsedText(event.elapsedMs),
      ]
        .filter((part) => part !== undefined)
        .join(" · ");
    case "reconnecting":
      return (
        t(
          "{0} Trying again in {1} (attempt {2}). ",
          say(LOST[event.script]),
          formatDuration(event.delayMs),
          event.attempt,
        ) + event.reason
      );
    case "reconnected":
      return say(PHASES.run);
    default:
      return undefined;
  }
}

/** How far a slow run is, as far as that can be known. */
function shareText(hits: number, expected: number | undefined): string | undefined {
  if (hits === 0) return t("loading libraries takes a minute or more");
  if (expected === undefined || expected === 0) return t("progress unknown");
  if (hits >= expected) return t("more lines than the last run");
  return t("{0} % of the lines of the last run", Math.floor((100 * hits) / expected));
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
