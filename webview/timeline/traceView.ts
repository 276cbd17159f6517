/** A torch.profiler trace as the page shows it: a plot for each device. */
import { max, maxIndex, min } from "d3-array";
import { defined } from "../../src/profile/defined.ts";
import { formatBytes, formatChange, formatCount } from "../../src/profile/text/format.ts";
import { printable } from "../../src/profile/text/text.ts";
import type { Trace, TraceHeld } from "../../src/protocol/timeline.ts";
import { sentences, t } from "../../src/words/t.ts";
import { element } from "../dom.ts";
import { withTerms } from "../terms.ts";
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
    status: sentences(...trace.problems, ...thinnedNote(trace)),
    chart: {
      t: moments.map((moment) => moment.t),
      steps: true,
      plots: devices.map((_, device) => plotOf(trace, device, peaks[device] ?? -1)),
      stretches: [],
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
  return [
    t("{0} of {1} memory events are drawn, the peaks among them.", formatCount(moments.length), formatCount(events)),
  ];
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
    name: totals === "trace" ? name : t("{0} (since the trace began)", name),
    series,
    low: Math.min(0, min(all, (bytes) => bytes) ?? 0),
    high: Math.max(1, max(all, (bytes) => bytes) ?? 0),
    ...defined({
      peak:
        value === undefined
          ? undefined
          : ({ kind: "moment", index: peak, value, text: t("peak {0}", formatBytes(value)) } as const),
    }),
  };
}

const pathText = (path: readonly string[]): string =>
  path.length === 0 ? t("no operator of the trace") : path.join(" › ");
const figureText = (bytes: number | null | undefined): string => (bytes == null ? t("not known") : formatBytes(bytes));

/** One moment in words. */
export function momentText({ moments, devices }: Trace, index: number): string {
  const moment = moments[index];
  if (moment === undefined) return "";
  const device = devices[moment.device]?.name ?? "";
  const held = devices.map(({ name }, place) => {
    const reserved = moment.reserved[place];
    const allocated = figureText(moment.allocated[place]);
    return reserved == null || reserved === 0
      ? t("{0} allocated {1}", name, allocated)
      : t("{0} allocated {1}, reserved {2}", name, allocated, formatBytes(reserved));
  });
  const event = t("{0} {1} in {2}", device, formatChange(moment.bytes), pathText(moment.path));
  return [timeText(moment.t), event, ...held].join(" · ");
}

/** @param figures which of the columns have figures, with their digits below each other */
function tableOf(
  caption: string,
  headings: readonly string[],
  figures: ReadonlySet<number>,
  rows: readonly (readonly string[])[],
): HTMLTableElement {
  const look = (column: number): Record<string, string> => (figures.has(column) ? { class: "figure" } : {});
  const table = element("table");
  table.createCaption().textContent = printable(caption);
  table
    .createTHead()
    .insertRow()
    .append(...headings.map((heading, i) => withTerms("th", heading, { scope: "col", ...look(i) })));
  const body = table.createTBody();
  for (const cells of rows) body.insertRow().append(...cells.map((cell, i) => element("td", printable(cell), look(i))));
  return table;
}

function momentsTable({ moments, devices }: Trace, peaks: ReadonlySet<number>): HTMLTableElement {
  const rows = moments.map((moment, index) => {
    const { device, bytes, allocated, reserved, path } = moment;
    const held = figureText(allocated[device]);
    return [
      timeText(moment.t),
      devices[device]?.name ?? "",
      formatChange(bytes),
      peaks.has(index) ? t("peak {0}", held) : held,
      figureText(reserved[device]),
      pathText(path),
    ];
  });
  const headings = [
    t("Time"),
    t("Device"),
    t("Change"),
    t("Allocated"),
    t("Reserved"),
    t("Operators, outermost first"),
  ];
  return tableOf(t("Memory over the time of the trace"), headings, new Set([0, 2, 3, 4]), rows);
}

/** Which operators had allocated what was live at each device's peak. */
export function heldDetails(held: readonly TraceHeld[]): HTMLElement {
  const details = element("details", "", { open: "" });
  const holder = element("div", "", { class: "holder" });
  holder.append(...held.map(heldTable));
  details.append(element("summary", t("Held at the Peak, by Operator")), holder);
  return details;
}

function heldTable({ device, holdings, others, before }: TraceHeld): HTMLTableElement {
  const rows = holdings.map(({ path, bytes, allocations }) => [
    formatBytes(bytes),
    formatCount(allocations),
    pathText(path),
  ]);
  if (others > 0) rows.push([formatBytes(others), "", t("all others")]);
  if (before > 0) rows.push([formatBytes(before), "", t("allocated before the trace began")]);
  const headings = [t("Held"), t("Allocations"), t("Allocated by, outermost first")];
  return tableOf(t("{0} at its peak", device), headings, new Set([0, 1]), rows);
}
