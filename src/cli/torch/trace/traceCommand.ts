/** `trace`: what a torch.profiler trace says of memory, with no board and no run. */
import { defined } from "../../../profile/defined.ts";
import { formatBytes, formatChange, formatCount, formatDuration, UNKNOWN } from "../../../profile/text/format.ts";
import { aligned } from "../../../profile/text/table.ts";
import { printable } from "../../../profile/text/text.ts";
import { readTrace } from "../../../torch/node/readTrace.ts";
import type { MemoryTrace, TraceDevice } from "../../../torch/trace/model.ts";
import { type Holding, heldAt, peakOf } from "../../../torch/trace/peak.ts";
import { t } from "../../../words/t.ts";
import { readWords, usageError } from "../../commandLine/options.ts";
import { TRACE } from "../../commandLine/reference/reading.ts";
import { jsonText, type Output } from "../../terminal/output.ts";

export interface TraceCommand {
  readonly kind: "trace";
  readonly file: string;
  readonly json: boolean;
}

/**
 * @returns undefined where help was asked for
 * @throws UserError `usage`
 */
export function parseTrace(argv: readonly string[]): TraceCommand | undefined {
  const { values, positionals } = readWords(argv, TRACE.options);
  if (values.help) return undefined;
  const [file, ...more] = positionals;
  if (file === undefined) throw usageError(t("Name a trace: jetson-memprof trace FILE."));
  if (more.length > 0) throw usageError(t('One trace at a time, please: "{0}" is one too many.', more[0] ?? ""));
  return { kind: "trace", file, json: values.json ?? false };
}

/** @throws UserError as readTrace */
export async function showTrace({ file, json }: TraceCommand, stdout: Output): Promise<void> {
  const trace = await readTrace(file);
  stdout.write(json ? jsonText(traceJson(trace)) : traceText(file, trace));
}

const MOST_ROWS = 15;

export function traceText(file: string, trace: MemoryTrace): string {
  const parts = [
    printable(file),
    ...trace.problems.map((problem) => t("Note: {0}", problem)),
    ...trace.devices.flatMap((device) => ["", ...deviceText(device, trace)]),
  ];
  return `${parts.join("\n")}\n`;
}

function deviceText(device: TraceDevice, trace: MemoryTrace): string[] {
  const peak = peakOf(device);
  const { holdings, before } = heldAt(device, peak, trace);
  const counted = device.totals === "trace" ? "" : t(", without what was allocated before the trace began");
  const reserved = known(device.reserved[peak]);
  const facts = [
    t("peak {0} allocated{1}", formatBytes(device.allocated[peak] ?? 0), counted),
    ...(reserved === undefined || reserved === 0 ? [] : [t("{0} reserved", formatBytes(reserved))]),
    t("{0} after the trace's first memory event", formatDuration(device.t[peak] ?? 0)),
    device.t.length === 1 ? t("1 memory event") : t("{0} memory events", formatCount(device.t.length)),
    t("{0} over the trace", formatChange((device.allocated.at(-1) ?? 0) - first(device))),
  ];
  const rows = holdings
    .slice(0, MOST_ROWS)
    .map((held) => [formatBytes(held.bytes), formatCount(held.allocations), pathText(held)]);
  const rest = holdings.slice(MOST_ROWS);
  if (rest.length > 0)
    rows.push([formatBytes(sum(rest, "bytes")), formatCount(sum(rest, "allocations")), t("all others")]);
  if (before > 0) rows.push([formatBytes(before), UNKNOWN, t("allocated before the trace began")]);
  return [
    `${device.name}: ${facts.join(" · ")}`,
    ...aligned([[t("Held at the peak"), t("Allocations"), t("Operator")], ...rows], 2),
  ];
}

/** What was allocated before the first event. */
function first({ allocated, bytes }: TraceDevice): number {
  return (allocated[0] ?? 0) - (bytes[0] ?? 0);
}

function sum(holdings: readonly Holding[], figure: "bytes" | "allocations"): number {
  return holdings.reduce((total, held) => total + held[figure], 0);
}

function pathText({ path }: Holding): string {
  return path.length === 0 ? t("no operator of the trace") : printable(path.join(" > "));
}

function known(figure: number | undefined): number | undefined {
  return figure === undefined || Number.isNaN(figure) ? undefined : figure;
}

export function traceJson(trace: MemoryTrace): object {
  return {
    schema: 1,
    duration_ms: trace.durationMs,
    devices: trace.devices.map((device) => {
      const peak = peakOf(device);
      const { holdings, before } = heldAt(device, peak, trace);
      const reserved = known(device.reserved[peak]);
      return {
        device: device.name,
        events: device.t.length,
        totals: device.totals,
        change_bytes: (device.allocated.at(-1) ?? 0) - first(device),
        peak: {
          t_ms: device.t[peak],
          allocated_bytes: device.allocated[peak],
          ...defined({ reserved_bytes: reserved }),
          before_bytes: before,
          operators: holdings,
        },
      };
    }),
    problems: trace.problems,
  };
}
