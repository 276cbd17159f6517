/** What the timeline's page is told of a run. */
import { defined } from "../../profile/defined.ts";
import { timelineMeasure } from "../../profile/text/measuredElsewhere.ts";
import type { ServerRequests } from "../../protocol/server.ts";
import type { Timeline } from "../../protocol/timeline.ts";
import { t } from "../../words/t.ts";

export function timelineMessage({
  run,
  memTotal,
  peakReached,
  samples,
}: ServerRequests["jetsonMemprof/timeline"]["result"]): Timeline {
  const measure = timelineMeasure(run);
  return {
    kind: "timeline",
    title: run.massif ? t("{0} under valgrind (RSS of both together)", run.title) : run.title,
    finished: run.state === "finished",
    ...defined({ memTotal, rssPeak: run.rssPeak, peakReached, measure }),
    samples,
  };
}
