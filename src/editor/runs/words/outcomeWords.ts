/** How runs ended, as the filter offers and says it. */
import type { Outcome } from "../../../runs/list/outcome.ts";
import { t } from "../../../words/t.ts";

export function outcomeWords(outcome: Outcome): string {
  switch (outcome) {
    case "running":
      return t("running");
    case "finished":
      return t("finished");
    case "failed":
      return t("failed");
    case "out of memory":
      return t("out of memory");
    case "cancelled":
      return t("cancelled");
    case "lost":
      return t("lost");
  }
}
