/** What the figures of a side measure: only their like can be compared. */
import { measuredElsewhere, measuresText, timelineMeasure } from "../profile/text/measuredElsewhere.ts";
import { phrase, say, t, verbatim } from "../words/t.ts";
import type { ComparedMetric } from "./model.ts";
import type { LoadedRun, LoadedSide } from "./side.ts";

/** Of the figures by line, a phrase for each kind among the runs. */
export function lineMeasures(side: LoadedSide, metric: ComparedMetric): string {
  return phrases(side, ({ run, heap }) => {
    if (metric === "heap") return heapWords(heap);
    const elsewhere = measuredElsewhere(run);
    return elsewhere === undefined ? say(METRIC_WORDS[metric]) : measuresText(elsewhere);
  });
}

/** Of the run's peak. */
export function peakMeasures(side: LoadedSide, metric: ComparedMetric): string {
  return phrases(side, ({ run, heap }) =>
    metric === "heap" ? heapWords(heap) : (timelineMeasure(run) ?? say(METRIC_WORDS.rss)),
  );
}

const METRIC_WORDS = {
  rss: verbatim("RSS"),
  cuda: phrase("PyTorch's CUDA memory"),
  system: phrase("the board's memory in use"),
} as const;

function heapWords(heap: LoadedRun["heap"]): string {
  return heap?.pages === true ? t("mapped pages") : t("blocks of the heap");
}

function phrases({ runs }: LoadedSide, of: (run: LoadedRun) => string): string {
  return [...new Set(runs.map(of))].sort().join(", ");
}
