/** A process's heap at its peak as JSON for other programs, `heaps` of docs/schema/run.schema.json. */
import { measuredLineJson, stacksJson } from "../../massif/exports/stacksJson.ts";
import { inEnglish } from "../../words/inEnglish.ts";
import type { ProcessHeap } from "./model.ts";

export function heapJson(heap: ProcessHeap): object {
  return inEnglish(() => ({
    pid: heap.pid,
    label: heap.label,
    moment: heap.substitute ? "largest-with-stacks" : "peak",
    heap_bytes: heap.bytes,
    sampled_mean_bytes: heap.sampled,
    python_frames: heap.pythonFrames,
    without_line_bytes: heap.pythonFrames === "none" || heap.sampled !== undefined ? undefined : heap.withoutLine,
    ...stacksJson(heap.stacks, "snapshot"),
    measured_lines: heap.measured.map((line) => measuredLineJson(line, heap.sampled)),
  }));
}
