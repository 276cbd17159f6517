/** What the status bar says of a comparison. Nothing of VS Code is needed for it. */

import type { RunSummary } from "../../protocol/server.ts";
import { startOf } from "../../runs/list/startOf.ts";
import { t } from "../../words/t.ts";
import { plainText, withoutIcons } from "../report/plainText.ts";
import { locale } from "../runs/words/when.ts";
import { nameOf } from "./sides.ts";

const NAME_LENGTH = 24;

export function signText(before: RunSummary, after: RunSummary): { readonly text: string; readonly tooltip: string } {
  const [old = "", now = ""] = [before, after].map((run) => withoutIcons(plainText(nameOf(run), 200)));
  const times = [timeOf(before), timeOf(after)] as const;
  // Two runs of one script are told apart by their times.
  const names = old === now ? t("{0}: {1}", short(old), times.join(" → ")) : `${short(old)} → ${short(now)}`;
  return {
    text: `$(git-compare) ${names}`,
    tooltip: [
      t("Compared beside the lines."),
      t("Before: {0}, {1}", old, times[0]),
      t("After: {0}, {1}", now, times[1]),
      t("Click to open, swap or stop."),
    ].join("\n"),
  };
}

const short = (name: string): string => (name.length <= NAME_LENGTH ? name : `${name.slice(0, NAME_LENGTH - 1)}…`);

function timeOf(run: RunSummary): string {
  return startOf(run, new Date())?.toLocaleTimeString(locale()) ?? t("time unknown");
}
