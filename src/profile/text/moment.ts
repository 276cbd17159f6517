/** A moment of a run as people write it: `5m` after it began, or `-30s` before what is known last. Pure. */
import { t } from "../../words/t.ts";
import { formatDuration } from "./format.ts";

export interface Moment {
  readonly from: "begin" | "end";
  readonly ms: number;
}

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** @returns undefined where it is none */
export function parseMoment(text: string): Moment | undefined {
  const [, minus, amount, unit] = /^(-?)(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return undefined;
  return { from: minus === "" ? "begin" : "end", ms: Number(amount) * UNITS[unit as keyof typeof UNITS] };
}

/**
 * @param known until when the run is known, ms since it began
 * @returns ms since the run began
 */
export function momentAt({ from, ms }: Moment, known: number): number {
  return from === "begin" ? ms : Math.max(0, known - ms);
}

/** Why a moment is none of a run that is known until then, both in ms since it began. */
export function laterThanKnown(known: number, moment: number): string {
  return t("The run is known until {0}, and {1} is later.", formatDuration(known), formatDuration(moment));
}

/** @param ms since the run began */
export function sinceText(ms: number): string {
  return t("since {0}", formatDuration(ms));
}
