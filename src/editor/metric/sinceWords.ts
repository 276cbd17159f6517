/** Which part of a run may stand beside the lines, in words. Nothing of VS Code is needed for it. */

import { formatDuration } from "../../profile/text/format.ts";
import { laterThanKnown, momentAt, parseMoment } from "../../profile/text/moment.ts";
import type { RunSummary } from "../../protocol/server.ts";
import { t } from "../../words/t.ts";

/** A part of a run: all of it, what comes from now on, what came after a moment (ms since it began), or after one to ask for. */
export type RunPart =
  | { readonly kind: "whole" }
  | { readonly kind: "now" }
  | { readonly kind: "since"; readonly ms: number }
  | { readonly kind: "ask" };

export interface PartChoice {
  readonly label: string;
  readonly detail: string;
  readonly part: RunPart;
}

const MINUTE = 60_000;
const LAST = [MINUTE, 10 * MINUTE, 60 * MINUTE];

export function partChoices({
  state,
  knownMs: known = 0,
}: Pick<RunSummary, "state" | "knownMs">): readonly PartChoice[] {
  const since = (label: string, ms: number): PartChoice => ({
    label,
    detail: sinceMeaning(ms),
    part: { kind: "since", ms },
  });
  return [
    { label: t("The whole run"), detail: t("What its lines took in all."), part: { kind: "whole" } },
    ...(state === "running"
      ? [{ label: t("From now on"), detail: t("What its lines take from here on."), part: { kind: "now" } as const }]
      : []),
    ...LAST.filter((length) => length < known).map((length) =>
      since(t("The last {0}", formatDuration(length)), known - length),
    ),
    {
      label: t("Since another time…"),
      detail: t("A time of the run such as 5m, or one before what is known last such as -30s."),
      part: { kind: "ask" },
    },
  ];
}

/** A sentence. */
export function sinceMeaning(ms: number): string {
  return t("What its lines took after {0} of the run.", formatDuration(ms));
}

/** @returns ms since the run began, or why it is none */
export function readSince(text: string, { knownMs: known = 0 }: Pick<RunSummary, "knownMs">): number | string {
  const moment = parseMoment(text.trim());
  if (moment === undefined)
    return t("Write a time of the run such as 90s, 5m or 1.5h, or one before its end such as -30s.");
  const ms = momentAt(moment, known);
  return ms <= known ? ms : laterThanKnown(known, ms);
}
