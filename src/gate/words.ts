/** What a check asks for, as people read it. */
import type { ComparedMetric } from "../compare/model.ts";
import type { LinePlace } from "../profile/lines/totals.ts";
import type { Metric } from "../profile/model.ts";
import { fileName } from "../profile/notebook.ts";
import { formatBytes } from "../profile/text/format.ts";
import type { Check } from "./model.ts";

/** What a line's figures are of. */
const LINE_NAMES: Readonly<Record<Metric, string>> = { rss: "RSS", cuda: "CUDA memory", system: "board memory" };

const PEAK_NAMES: Readonly<Record<Metric, string>> = {
  rss: "Peak RSS",
  cuda: "Peak CUDA reserved",
  system: "Peak board memory in use",
};

/** The board's own use before the run is left out of a growth: others may have changed it. */
const PEAK_GROWTH_NAMES: Readonly<Record<Metric, string>> = {
  ...PEAK_NAMES,
  system: "Peak board memory above what was in use before the run",
};

/** What a comparison's figures by line are of. */
export const COMPARED_NAMES: Readonly<Record<ComparedMetric, string>> = { ...LINE_NAMES, heap: "heap memory" };

/** A noun phrase: `Peak RSS, at most 3276.8 MiB`. */
export function checkTitle(check: Check): string {
  return "limit" in check ? `${checkName(check)}, at most ${formatBytes(check.limit)}` : checkName(check);
}

/** The same without the limit: what stays the same when the limit is changed. */
export function checkName(check: Check): string {
  switch (check.kind) {
    case "ending":
      return "The script's end";
    case "peak":
      return PEAK_NAMES[check.metric];
    case "line":
      return `${capital(LINE_NAMES[check.metric])} of a line alone`;
    case "peak-growth":
      return `Growth of: ${PEAK_GROWTH_NAMES[check.metric]}`;
    case "line-growth":
      return `Growth of a line's ${LINE_NAMES[check.metric]}`;
  }
}

/** `train.py:33`, `cell 3 of train.ipynb:5`. @param folder before the path, with `/`; empty for none */
export function placeText({ path, line }: LinePlace, folder = ""): string {
  return `${fileName(inFolder(path, folder))}:${line}`;
}

export function inFolder(path: string, folder: string): string {
  return folder === "" ? path : `${folder}/${path}`;
}

/** Stable, for the readers of reports. */
export function ruleOf({ kind }: Check): string {
  return kind === "ending" ? "run-ending" : `max-${kind}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
