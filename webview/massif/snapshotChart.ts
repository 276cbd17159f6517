/** The sizes of all snapshots over time. All colors are CSS classes, so a change of theme needs no redraw. */
import { max, ticks } from "d3-array";
import { axisBottom, axisLeft } from "d3-axis";
import { type ScaleLinear, scaleLinear } from "d3-scale";
import { pointer, type Selection, select } from "d3-selection";
import { area } from "d3-shape";
import { snapshotTotal } from "../../src/massif/snapshots.ts";
import { formatBytes } from "../../src/profile/text/format.ts";
import type { DocumentFile, SnapshotSummary } from "../../src/protocol/massif/massif.ts";
import { t } from "../../src/words/t.ts";
import { sizeScale } from "../sizeScale.ts";
import { timeScale } from "../timeScale.ts";
import { hasStacks, peakOf, timeText } from "./choice.ts";

const MARGIN = { left: 76, right: 20, top: 20, bottom: 22 };
const MIN_WIDTH = 220;
const TICK_HEIGHT = 22;
const TICK_WIDTH = 190;

/** From the bottom up. */
const BANDS = [
  { name: "heap", low: () => 0, high: (s: SnapshotSummary) => s.heap },
  { name: "extra", low: (s: SnapshotSummary) => s.heap, high: (s: SnapshotSummary) => s.heap + s.extra },
  { name: "stacks", low: (s: SnapshotSummary) => s.heap + s.extra, high: snapshotTotal },
] as const;

export interface SnapshotChart {
  /** Draws everything again for the given size in CSS pixels. */
  draw(file: DocumentFile, width: number, height: number): void;
  /** Marks the chosen snapshots of the file drawn last: one, or two that are compared. */
  mark(places: readonly number[]): void;
}

export interface SnapshotChartEvents {
  /** Undefined when the pointer leaves. */
  readonly onHover: (place: number | undefined) => void;
  /** Only snapshots with stacks; `compare` when Shift was held. */
  readonly onPick: (place: number, compare: boolean) => void;
}

type Group = Selection<SVGGElement, unknown, null, undefined>;

interface Ticks {
  readonly ticks: readonly number[];
  readonly text: (time: number) => string;
}

/** Massif counts what it calls time in ms, in bytes that were allocated, or in instructions. */
function ticksOf(unit: DocumentFile["timeUnit"], first: number, last: number, count: number): Ticks {
  if (unit === "ms") return timeScale(first, last, count);
  if (unit === "i") return { ticks: ticks(first, last, count), text: (time) => timeText(time, unit) };
  const sizes = sizeScale(first, last, count);
  return { ticks: sizes.ticks, text: (bytes) => t("{0} allocated", sizes.text(bytes)) };
}

/** The snapshot nearest to a moment among those that count. */
function nearest(
  snapshots: readonly SnapshotSummary[],
  time: number,
  counts: (snapshot: SnapshotSummary) => boolean,
): number | undefined {
  let best: number | undefined;
  let distance = Number.POSITIVE_INFINITY;
  snapshots.forEach((snapshot, i) => {
    const away = Math.abs(snapshot.time - time);
    if (!counts(snapshot) || away >= distance) return;
    best = i;
    distance = away;
  });
  return best;
}

export function createSnapshotChart(svgElement: SVGSVGElement, events: SnapshotChartEvents): SnapshotChart {
  const svg = select(svgElement);
  let file: DocumentFile | undefined;
  let x: ScaleLinear<number, number> = scaleLinear();
  let y: ScaleLinear<number, number> = scaleLinear();
  let marks: Group | undefined;

  const timeAt = (event: MouseEvent): number => x.invert(pointer(event, svgElement)[0]);
  svg.on("pointermove", (event: PointerEvent) => {
    if (file) events.onHover(nearest(file.snapshots, timeAt(event), () => true));
  });
  svg.on("pointerleave", () => events.onHover(undefined));
  svg.on("click", (event: MouseEvent) => {
    const place = file && nearest(file.snapshots, timeAt(event), hasStacks);
    if (place !== undefined) events.onPick(place, event.shiftKey);
  });

  function drawBands(group: Group, snapshots: readonly SnapshotSummary[]): void {
    for (const { name, low, high } of BANDS) {
      if (!snapshots.some((snapshot) => high(snapshot) > low(snapshot))) continue;
      const shape = area<SnapshotSummary>()
        .x((snapshot) => x(snapshot.time))
        .y0((snapshot) => y(low(snapshot)))
        .y1((snapshot) => y(high(snapshot)));
      group.append("path").attr("class", `band ${name}`).attr("d", shape(snapshots));
    }
  }

  /** Within which 19 of 20 sizes lie. */
  function drawDoubt(group: Group, snapshots: readonly SnapshotSummary[]): void {
    if (!snapshots.some(({ band = 0 }) => band > 0)) return;
    const shape = area<SnapshotSummary>()
      .x(({ time }) => x(time))
      .y0(({ heap, band = 0 }) => y(Math.max(0, heap - band)))
      .y1(({ heap, band = 0 }) => y(heap + band));
    group.append("path").attr("class", "doubt").attr("d", shape(snapshots));
  }

  function drawPoints(group: Group, shown: DocumentFile, width: number): void {
    const peak = peakOf(shown);
    shown.snapshots.forEach((snapshot, i) => {
      if (!hasStacks(snapshot)) return;
      const dot = group.append("circle").attr("class", i === peak ? "stacked peak" : "stacked");
      dot
        .attr("cx", x(snapshot.time))
        .attr("cy", y(snapshotTotal(snapshot)))
        .attr("r", i === peak ? 4.5 : 3);
    });
    const top = shown.snapshots[peak ?? -1];
    if (top?.tree !== "peak") return;
    const atRight = x(top.time) > width / 2;
    group
      .append("text")
      .attr("class", "peak-label")
      .attr("x", x(top.time) + (atRight ? -9 : 9))
      .attr("y", y(snapshotTotal(top)) - 6)
      .attr("text-anchor", atRight ? "end" : "start")
      .text(t("peak {0}", formatBytes(snapshotTotal(top))));
  }

  return {
    draw(next, outerWidth, height) {
      file = next;
      const width = Math.max(MIN_WIDTH, outerWidth);
      const { snapshots, timeUnit } = next;
      const [first, last] = [snapshots[0]?.time ?? 0, max(snapshots, (snapshot) => snapshot.time) ?? 1];
      const highest = Math.max(1, max(snapshots, (snapshot) => snapshotTotal(snapshot) + (snapshot.band ?? 0)) ?? 1);
      x = scaleLinear([Math.min(0, first), Math.max(last, first + 1)], [MARGIN.left, width - MARGIN.right]);
      y = scaleLinear([0, highest], [height - MARGIN.bottom, MARGIN.top]);
      svg.attr("width", width).attr("height", height).attr("viewBox", `0 0 ${width} ${height}`);
      svg.selectChildren().remove();
      const rows = Math.floor((height - MARGIN.top - MARGIN.bottom) / TICK_HEIGHT);
      const sizeTicks = sizeScale(0, highest, rows < 3 ? 2 : 3);
      const sizes = axisLeft<number>(y).tickValues(sizeTicks.ticks).tickFormat(sizeTicks.text);
      svg
        .append("g")
        .attr("class", "axis faint")
        .attr("transform", `translate(${MARGIN.left},0)`)
        .call(sizes.tickSize(MARGIN.left + MARGIN.right - width));
      const [earliest = 0, latest = 0] = x.domain();
      const along = ticksOf(timeUnit, earliest, latest, Math.max(2, Math.floor(width / TICK_WIDTH)));
      const times = axisBottom<number>(x).tickValues(along.ticks).tickFormat(along.text);
      svg
        .append("g")
        .attr("class", "axis")
        .attr("transform", `translate(0,${height - MARGIN.bottom})`)
        .call(times);
      drawBands(svg.append("g"), snapshots);
      drawDoubt(svg.append("g"), snapshots);
      marks = svg.append("g").attr("class", "marks");
      drawPoints(svg.append("g"), next, width);
    },

    mark(places) {
      if (!marks) return;
      marks.selectChildren().remove();
      const chosen = places.flatMap((place) => file?.snapshots[place] ?? []);
      const [top = 0, bottom = 0] = [y.range()[1], y.range()[0]];
      const [before, after] = chosen.map((snapshot) => x(snapshot.time));
      if (before !== undefined && after !== undefined)
        marks
          .append("rect")
          .attr("class", "compared")
          .attr("x", Math.min(before, after))
          .attr("width", Math.abs(after - before))
          .attr("y", top)
          .attr("height", bottom - top);
      for (const snapshot of chosen) {
        const at = x(snapshot.time);
        marks.append("line").attr("class", "chosen").attr("x1", at).attr("x2", at).attr("y1", top).attr("y2", bottom);
        marks
          .append("circle")
          .attr("class", "chosen")
          .attr("cx", at)
          .attr("cy", y(snapshotTotal(snapshot)))
          .attr("r", 7);
      }
    },
  };
}
