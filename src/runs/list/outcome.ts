/** How a run ended, in a word or two. */
import type { Exit } from "../../profile/model.ts";
import { t } from "../../words/t.ts";
import type { RunSummary } from "../model.ts";

export const OUTCOMES = ["running", "finished", "failed", "out of memory", "cancelled", "lost"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Runs alike in this are filtered together. A run that has no end yet is `running`, connected or not. */
export function outcomeOf({ state, exit }: Pick<RunSummary, "state" | "exit">): Outcome {
  if (state === "running") return "running";
  switch (exit?.kind) {
    case "exited":
      return exit.code === 0 ? "finished" : "failed";
    case "out-of-memory":
    case "cancelled":
    case "lost":
      return exit.kind === "out-of-memory" ? "out of memory" : exit.kind;
    case undefined:
      return "lost";
    default:
      return "failed";
  }
}

/** Of a run that has ended. */
export function endWords(exit: Exit | undefined): string {
  if (exit === undefined) return t("end not recorded");
  switch (exit.kind) {
    case "exited":
      return exit.code === 0 ? t("finished") : t("exit code {0}", exit.code);
    case "signalled":
      return t("ended by {0}", exit.signal);
    case "out-of-memory":
      return t("out of memory");
    case "not-started":
      return t("not started");
    case "cancelled":
      return t("cancelled");
    case "lost":
      return exit.restarted ? t("board restarted, incomplete") : t("lost, incomplete");
  }
}
