/** How a run that did not come to a good end ended, a sentence. */

import { fromHelper } from "../../words/fromHelper.ts";
import { t } from "../../words/t.ts";
import type { Exit } from "../model.ts";
import { printable } from "./text.ts";

/** Undefined where it ended well, or has not ended. */
export function exitText(exit: Exit | undefined): string | undefined {
  switch (exit?.kind) {
    case "exited":
      return exit.code === 0 ? undefined : t("The script ended with exit status {0}.", exit.code);
    case "signalled":
      return t("The script was ended by the signal {0}.", printable(exit.signal));
    case "out-of-memory": {
      const evidence = exit.evidence === undefined ? "" : ` (${printable(fromHelper(exit.evidence))})`;
      return t("The kernel ended the script, as memory ran out{0}.", evidence);
    }
    case "cancelled":
      return t("The run was cancelled; the figures end there.");
    case "not-started":
      return t("The script could not be started: {0}", printable(exit.message));
    case "lost":
      if (exit.restarted) {
        return t("The board was restarted, or lost its power, during the run. The figures end shortly before that.");
      }
      return t("What happened at the end is unknown: the measuring itself was ended. The figures end there.");
    default:
      return undefined;
  }
}
