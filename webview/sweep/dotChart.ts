/** Peaks of points that have no numeric parameter: a row for each, as far to the right as its peak is high. */
import { axisTop } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { printable } from "../../src/profile/text/text.ts";
import type { Figure, SweepPoint } from "../../src/sweep/model.ts";
import { valuesText } from "../../src/sweep/values.ts";
import { peakText } from "../../src/sweep/words.ts";
import { shortened } from "../chartText.ts";
import { roundedSizeScale } from "../sizeScale.ts";
import { markPicture } from "./marks.ts";

export interface DotChart {
  readonly points: readonly SweepPoint[];
  readonly figure: Figure;
  readonly room: number | undefined;
}

const MARGIN = { left: 10, right: 36, top: 30 };
const ROW = 40;
const MIN_WIDTH = 260;
const MIB = 1024 * 1024;
const TICK_WIDTH = 150;

/** Draws everything again for the given width in CSS pixels. */
export function drawDots(svg: SVGSVGElement, { points, figure, room }: DotChart, outerWidth: number): void {
  const width = Math.max(MIN_WIDTH, outerWidth);
  const rows = points.filter(({ peaks }) => peaks[figure] !== undefined);
  const height = MARGIN.top + rows.length * ROW + 8;
  const highest = Math.max(room ?? 0, ...rows.map(({ peaks }) => peaks[figure]?.most ?? 0));
  const sizes = roundedSizeScale(Math.max(highest, MIB), Math.max(2, Math.floor(width / TICK_WIDTH)));
  const x = scaleLinear([0, sizes.top], [MARGIN.left, width - MARGIN.right]);
  const root = select(svg).attr("width", width).attr("height", height);
  root.selectAll("*").remove();
  root
    .append("g")
    .attr("class", "axis faint")
    .attr("transform", `translate(0,${MARGIN.top - 6})`)
    .call(
      axisTop<number>(x)
        .tickValues(sizes.ticks)
        .tickSize(MARGIN.top - 6 - height)
        .tickFormat((bytes) => (bytes === 0 ? "0" : sizes.text(bytes))),
    )
    .selectAll("text")
    .attr("y", -8);
  if (room !== undefined) {
    const left = x(room);
    root
      .append("path")
      .attr("class", "room")
      .attr("d", `M${left} ${MARGIN.top - 6}V${height}`);
  }
  for (const [i, point] of rows.entries()) {
    const peak = point.peaks[figure];
    if (peak === undefined) continue;
    const middle = MARGIN.top + i * ROW + 28;
    const left = x(peak.median);
    const words = `${peakText(point, figure)} · ${printable(valuesText(point.values))}`;
    root
      .append("text")
      .attr("class", "row")
      .attr("x", MARGIN.left)
      .attr("y", middle - 12)
      .text(printable(shortened(words, width - 2 * MARGIN.left)));
    root.append("path").attr("class", "stem s0").attr("d", `M${MARGIN.left} ${middle}H${left}`);
    if (peak.most > peak.least) {
      const bar = `M${x(peak.least)} ${middle - 5}v10m0 -5H${x(peak.most)}m0 -5v10`;
      root.append("path").attr("class", "spread s0").attr("d", bar);
    }
    const sign = markPicture(point.state, [left, middle]);
    sign.classList.add("s0");
    svg.append(sign);
  }
}
