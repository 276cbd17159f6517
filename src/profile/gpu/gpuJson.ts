/** What a process took of the GPU as JSON for other programs, `gpu` of docs/schema/run.schema.json. */
import { present } from "../files/jsonRecords.ts";
import type { GpuProcess } from "./gpuMemory.ts";

export function gpuJson({ pid, calls, peak, live, finished, rows, notes }: GpuProcess): object {
  return present({
    pid,
    calls,
    finished,
    peak_bytes: peak,
    live_bytes: live,
    rows: rows.map(({ kind, measured, library, pytorch, path, line, function: name, gpu, count, ...held }) =>
      present({
        kind,
        measured,
        library,
        pytorch,
        path,
        line,
        function: name,
        gpu,
        peak_bytes: held.peak,
        live_bytes: held.live,
        most_bytes: held.most,
        taken_bytes: held.taken,
        count,
      }),
    ),
    notes: notes.length === 0 ? undefined : notes,
  });
}
