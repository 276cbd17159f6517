/** The sizes of all snapshots over time. All colours are CSS classes, so a change of theme needs no redraw. */
import { max } from "d3-array";
import { axisBottom, axisLeft } from "d3-axis";
import { type ScaleLinear, scaleLinear } from "d3-scale";
import { pointer, type Selection, select } from "d3-selection";
import { area } from "d3-shape";
import { snapshotTotal } from "../../src/massif/snapshots.ts";
import { formatBytes } from "../../src/profile/format.ts";
import type { DocumentFile, SnapshotSummary } from "../../src/protocol/massif.ts";
import { hasStacks, peakOf, timeText } from "./choice.ts";

const MARGIN = { left: 76, right: 20, top: 20, bottom: 22 };
const MIN_WIDTH = 220;
const TICK_HEIGHT = 22;

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

/** Ticks at round numbers of MiB, or of KiB in a small file. */
function byteTicks(highest: number, count: number): number[] {
  const unit = highest > 2 * 1024 * 1024 ? 1024 * 1024 : 1024;
  return scaleLinear([0, highest / unit], [0, 1])
    .ticks(count)
    .map((tick) => tick * unit);
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
      .text(`peak ${formatBytes(snapshotTotal(top))}`);
  }

  return {
    draw(next, outerWidth, height) {
      file = next;
      const width = Math.max(MIN_WIDTH, outerWidth);
      const { snapshots, timeUnit } = next;
      const [first, last] = [snapshots[0]?.time ?? 0, max(snapshots, (snapshot) => snapshot.time) ?? 1];
      const highest = Math.max(1, max(snapshots, snapshotTotal) ?? 1);
      x = scaleLinear([Math.min(0, first), Math.max(last, first + 1)], [MARGIN.left, width - MARGIN.right]);
      y = scaleLinear([0, highest], [height - MARGIN.bottom, MARGIN.top]);
      svg.attr("width", width).attr("height", height).attr("viewBox", `0 0 ${width} ${height}`);
      svg.selectChildren().remove();
      const rows = Math.floor((height - MARGIN.top - MARGIN.bottom) / TICK_HEIGHT);
      const sizes = axisLeft<number>(y)
        .tickValues(byteTicks(highest, rows < 3 ? 2 : 3))
        .tickFormat(formatBytes);
      svg
        .append("g")
        .attr("class", "axis faint")
        .attr("transform", `translate(${MARGIN.left},0)`)
        .call(sizes.tickSize(MARGIN.left + MARGIN.right - width));
      const times = axisBottom<number>(x)
        .ticks(Math.max(2, Math.floor(width / 190)))
        .tickFormat((time) => timeText(time, timeUnit));
      svg
        .append("g")
        .attr("class", "axis")
        .attr("transform", `translate(0,${height - MARGIN.bottom})`)
        .call(times);
      drawBands(svg.append("g"), snapshots);
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
