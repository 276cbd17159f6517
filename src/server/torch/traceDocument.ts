/** What the timeline page shows of a torch.profiler trace. */
import * as path from "node:path";
import { MAX_POINTS, type Trace, type TraceHeld } from "../../protocol/timeline.ts";
import { readTrace } from "../../torch/node/readTrace.ts";
import type { MemoryTrace, TraceDevice } from "../../torch/trace/model.ts";
import { momentsOf } from "../../torch/trace/moments.ts";
import { heldAt, peakOf } from "../../torch/trace/peak.ts";

const MOST_HOLDINGS = 20;
/** Operators are rarely more than a dozen inside of each other; a file made for the purpose could hold any number. */
const DEEPEST = 50;

/** @throws UserError as readTrace */
export async function traceDocument(file: string): Promise<Trace> {
  const trace = await readTrace(file);
  return {
    kind: "trace",
    title: path.basename(file),
    devices: trace.devices.map(({ name, totals }) => ({ name, totals })),
    events: trace.devices.reduce((sum, { t }) => sum + t.length, 0),
    moments: momentsOf(trace, MAX_POINTS).map((moment) => ({ ...moment, path: moment.path.slice(0, DEEPEST) })),
    held: trace.devices.map((device) => heldOf(device, trace)),
    problems: trace.problems,
  };
}

function heldOf(device: TraceDevice, trace: MemoryTrace): TraceHeld {
  const { holdings, before } = heldAt(device, peakOf(device), trace);
  const rest = holdings.slice(MOST_HOLDINGS);
  return {
    device: device.name,
    holdings: holdings.slice(0, MOST_HOLDINGS).map((held) => ({ ...held, path: held.path.slice(0, DEEPEST) })),
    others: rest.reduce((sum, { bytes }) => sum + bytes, 0),
    before,
  };
}
