/** A torch.profiler trace as the page shows it: a plot for each device. */
import { max, maxIndex, min } from "d3-array";
import { formatBytes, formatChange, formatCount } from "../../src/profile/format.ts";
import type { Trace, TraceHeld } from "../../src/protocol/timeline.ts";
import { element } from "../dom.ts";
import { timeText } from "./series.ts";
import type { PlotContent, View } from "./view.ts";

type Figure = "allocated" | "reserved";

export function traceView(trace: Trace): View {
  const { moments, devices } = trace;
  const peaks = devices.map((_, device) =>
    maxIndex(moments, (moment) => moment.allocated[device] ?? Number.NEGATIVE_INFINITY),
  );
  // The one that held the most: on a board it is the GPU's, where it was used.
  const heaviest = maxIndex(peaks, (index, device) => moments[index]?.allocated[device] ?? 0);
  return {
    title: trace.title,
    status: [...trace.problems, ...thinnedNote(trace)].join(" "),
    chart: {
      t: moments.map(({ t }) => t),
      steps: true,
      plots: devices.map((_, device) => plotOf(trace, device, peaks[device] ?? -1)),
    },
    peak: peaks[heaviest] ?? -1,
    hasGaps: false,
    readout: (index) => momentText(trace, index),
    place: () => undefined,
    table: () => momentsTable(trace, new Set(peaks)),
  };
}

function thinnedNote({ events, moments }: Trace): string[] {
  if (events === moments.length) return [];
  return [`${formatCount(moments.length)} of ${formatCount(events)} memory events are drawn, the peaks among them.`];
}

function valuesOf({ moments }: Trace, figure: Figure, device: number): (number | undefined)[] {
  return moments.map((moment) => moment[figure][device] ?? undefined);
}

function plotOf(trace: Trace, device: number, peak: number): PlotContent {
  const { name = "", totals = "trace" } = trace.devices[device] ?? {};
  const allocated = valuesOf(trace, "allocated", device);
  const reserved = valuesOf(trace, "reserved", device);
  const series = [{ look: "allocated", values: allocated }];
  // The CPU's allocator reserves nothing, and says 0.
  if (reserved.some((bytes) => (bytes ?? 0) > 0)) series.push({ look: "reserved", values: reserved });
  const all = series.flatMap(({ values }) => values);
  const value = allocated[peak];
  return {
    name: totals === "trace" ? name : `${name} (since the trace began)`,
    series,
    low: Math.min(0, min(all, (bytes) => bytes) ?? 0),
    high: Math.max(1, max(all, (bytes) => bytes) ?? 0),
    ...(value === undefined
      ? {}
      : { peak: { kind: "moment", index: peak, value, text: `peak ${formatBytes(value)}` } as const }),
  };
}

const pathText = (path: readonly string[]): string =>
  path.length === 0 ? "no operator of the trace" : path.join(" › ");
const figureText = (bytes: number | null | undefined): string => (bytes == null ? "not known" : formatBytes(bytes));

/** One moment in words. */
export function momentText({ moments, devices }: Trace, index: number): string {
  const moment = moments[index];
  if (moment === undefined) return "";
  const device = devices[moment.device]?.name ?? "";
  const held = devices.map(({ name }, place) => {
    const reserved = moment.reserved[place];
    const more = reserved == null || reserved === 0 ? "" : `, reserved ${formatBytes(reserved)}`;
    return `${name} allocated ${figureText(moment.allocated[place])}${more}`;
  });
  const event = `${device} ${formatChange(moment.bytes)} in ${pathText(moment.path)}`;
  return [timeText(moment.t), event, ...held].join(" · ");
}

function tableOf(caption: string, headings: readonly string[], rows: readonly (readonly string[])[]): HTMLTableElement {
  const table = element("table");
  table.createCaption().textContent = caption;
  table
    .createTHead()
    .insertRow()
    .append(...headings.map((heading) => element("th", heading, { scope: "col" })));
  const body = table.createTBody();
  for (const cells of rows) body.insertRow().append(...cells.map((cell) => element("td", cell)));
  return table;
}

function momentsTable({ moments, devices }: Trace, peaks: ReadonlySet<number>): HTMLTableElement {
  const rows = moments.map((moment, index) => {
    const { t, device, bytes, allocated, reserved, path } = moment;
    const peak = peaks.has(index) ? " (peak)" : "";
    return [
      timeText(t),
      devices[device]?.name ?? "",
      formatChange(bytes),
      figureText(allocated[device]) + peak,
      figureText(reserved[device]),
      pathText(path),
    ];
  });
  const headings = ["Time", "Device", "Change", "Allocated", "Reserved", "Operators, outermost first"];
  return tableOf("Memory over the time of the trace", headings, rows);
}

/** Which operators had allocated what was live at each device's peak. */
export function heldDetails(held: readonly TraceHeld[]): HTMLElement {
  const details = element("details", "", { open: "" });
  const holder = element("div", "", { class: "holder" });
  holder.append(...held.map(heldTable));
  details.append(element("summary", "Held at the Peak, by Operator"), holder);
  return details;
}

function heldTable({ device, holdings, others, before }: TraceHeld): HTMLTableElement {
  const rows = holdings.map(({ path, bytes, allocations }) => [
    formatBytes(bytes),
    formatCount(allocations),
    pathText(path),
  ]);
  if (others > 0) rows.push([formatBytes(others), "", "all others"]);
  if (before > 0) rows.push([formatBytes(before), "", "allocated before the trace began"]);
  return tableOf(`${device} at its peak`, ["Held", "Allocations", "Allocated by, outermost first"], rows);
}
