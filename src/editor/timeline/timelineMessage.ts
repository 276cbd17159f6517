/** What the timeline's page is told of a run. */
import { defined } from "../../profile/defined.ts";
import { timelineMeasure } from "../../profile/text/measuredElsewhere.ts";
import type { RunSummary, ServerRequests } from "../../protocol/server.ts";
import type { Timeline } from "../../protocol/timeline.ts";
import { t } from "../../words/t.ts";

export function timelineMessage({
  run,
  memTotal,
  rssPeak,
  launcher,
  peakReached,
  samples,
}: ServerRequests["jetsonMemprof/timeline"]["result"]): Timeline {
  const measure = timelineMeasure(run);
  return {
    kind: "timeline",
    title: titleOf(run, launcher),
    finished: run.state === "finished",
    ...defined({ memTotal, rssPeak, peakReached, measure }),
    samples,
  };
}

function titleOf({ title, massif }: RunSummary, launcher: boolean): string {
  if (massif) return t("{0} under valgrind (RSS of both together)", title);
  return launcher ? t("{0} (RSS of the launcher alone, without its ranks)", title) : title;
}
