/** A run's ending and the advice on its memory, for other programs. What is not known is left out. */
import type { EndingReport } from "../../../board/ending/model.ts";
import type { ExplainedRun } from "../../../board/node/readEnding.ts";
import { present } from "../../../profile/files/jsonRecords.ts";

/** Sizes are bytes, times milliseconds since the run began. */
export function whyJson(id: string, { board, report, advice }: ExplainedRun): object {
  return {
    schema: 1,
    run: { id },
    board: { title: board.title },
    report: report === undefined ? null : reportJson(report),
    advice,
  };
}

function reportJson({ stackSource, kernelLog, allocator, last, ...rest }: EndingReport): object {
  return present({
    ...rest,
    stack_source: stackSource,
    kernel_log: kernelLog,
    allocator:
      allocator &&
      present({
        form: allocator.form,
        device: allocator.device,
        tried_bytes: allocator.tried,
        total_bytes: allocator.total,
        free_bytes: allocator.free,
        allocated_bytes: allocator.allocated,
        reserved_bytes: allocator.reserved,
        unallocated_bytes: allocator.unallocated,
        in_use_bytes: allocator.inUse,
      }),
    last: last.map((moment) =>
      present({
        t_ms: moment.t,
        mem_available_bytes: moment.memAvailable,
        swap_free_bytes: moment.swapFree,
        run_rss_bytes: moment.runRss,
        nvmap_bytes: moment.nvmap,
        at: moment.at,
      }),
    ),
  });
}
