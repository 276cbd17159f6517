/** What the page says of a difference. Pure. */
import { changed, noiseText, sidesText } from "../../src/compare/label.ts";
import type { Difference, Measured } from "../../src/compare/model.ts";
import { changeOf } from "../../src/compare/noise.ts";
import { formatBytes, formatChange, formatDuration } from "../../src/profile/text/format.ts";
import type { CompareSide } from "../../src/protocol/compare.ts";
import { t } from "../../src/words/t.ts";

export const unknown = (): string => t("unknown");

/** `up`, `down`: more or less of what is neither better nor worse to have. */
export type Tone = "more" | "less" | "up" | "down" | "same" | "unknown";

/** How a figure is written: bytes of a total, bytes that a line took, or milliseconds. */
export interface Unit {
  readonly size: (amount: number) => string;
  readonly change: (amount: number) => string;
}

export const BYTES: Unit = { size: formatBytes, change: formatChange };
export const TIME: Unit = {
  size: formatDuration,
  change: (ms) => `${ms < 0 ? "-" : "+"}${formatDuration(Math.abs(ms))}`,
};

export function toneOf(difference: Difference): Tone {
  if (difference.verdict === "unknown") return "unknown";
  const change = changeOf(difference);
  return change === undefined ? "same" : change > 0 ? "more" : "less";
}

/** Of memory that nobody took, such as free memory and the page cache: more of it is nothing to warn of. */
export function neutralToneOf(difference: Difference): Tone {
  const tone = toneOf(difference);
  return tone === "more" ? "up" : tone === "less" ? "down" : tone;
}

/** Signs besides the colors: one sees them without. */
export const SIGNS: Readonly<Record<Tone, string>> = {
  more: "▲",
  less: "▼",
  up: "↑",
  down: "↓",
  same: "≈",
  unknown: "?",
};

export function sizeText(measured: Measured | undefined, { size }: Unit): string {
  return measured === undefined ? unknown() : size(measured.median);
}

/** `10.0 → 12.0 MiB`, `unknown → 12.0 MiB`. */
export function pairText({ before, after }: Difference, unit: Unit): string {
  if (unit === BYTES && before !== undefined && after !== undefined) return sidesText(before.median, after.median);
  return `${sizeText(before, unit)} → ${sizeText(after, unit)}`;
}

/** `+2.0 MiB`, `no change beyond noise`, `new`, `unknown`. */
export function changeText(difference: Difference, unit: Unit): string {
  const { verdict } = difference;
  const change = changeOf(difference);
  if (verdict === "unknown") return unknown();
  return change === undefined ? t("no change beyond noise") : unit.change(change);
}

/** How certain a figure of a whole run is. */
export function spreadText({ before, after, noise }: Difference, unit: Unit): string {
  const spreads = [before, after].flatMap((side) => (side?.spread === undefined ? [] : [side.spread]));
  if (before === undefined && after === undefined) return t("not measured in these runs");
  if (noise.known) return t("runs differ by up to {0} on their own", unit.size(Math.max(...spreads, 0)));
  const least = unit.size(noise.amount);
  return spreads.length === 0
    ? t("one run each: at least {0} of noise, and runs may differ by more", least)
    : t("one run on a side: at least {0} of noise, and runs may differ by more", least);
}

/** A line's difference in one sentence, for a screen reader and the title. */
export function sentence(difference: Difference): string {
  const { before, after, noise } = difference;
  const change = changeOf(difference);
  if (difference.verdict === "unknown") return t("A side has no figure for this line, so its change is unknown.");
  if (change === undefined) return t("No change beyond noise: {0}.", noiseText(noise));
  return t("{0}; {1}.", changed(before?.median ?? 0, after?.median ?? 0, change), noiseText(noise));
}

/** `on nano · 2026-11-21 09:45:01 UTC · commit 1a2b3c4d, 2 files changed · 3 runs`. */
export function sideText({ board, started, commit, runs }: CompareSide): string {
  return [
    board === undefined ? t("board unknown") : t("on {0}", board),
    whenText(started),
    commit === undefined ? t("no git commit recorded") : commitText(commit),
    runs === 1 ? t("1 run") : t("median of {0} runs", runs),
  ].join(" · ");
}

function whenText(started: string | undefined): string {
  const time = new Date(started ?? "");
  if (Number.isNaN(time.getTime())) return t("time unknown");
  return `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

function commitText({ name, changed: files }: NonNullable<CompareSide["commit"]>): string {
  if (files === 0) return t("commit {0}", name);
  return files === 1 ? t("commit {0} and 1 changed file", name) : t("commit {0} and {1} changed files", name, files);
}
