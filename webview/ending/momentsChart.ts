/** A small chart of the last moments. All colours are CSS classes, so a change of theme needs no redraw. */
import { extent, max } from "d3-array";
import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { line } from "d3-shape";
import type { LastMoment } from "../../src/board/ending/model.ts";
import { formatBytes, formatDuration } from "../../src/profile/format.ts";
import { readMetrics } from "./moments.ts";

const HEIGHT = 190;
const MARGIN = { left: 78, right: 14, top: 10, bottom: 24 };
const MIN_WIDTH = 240;
const MIB = 1024 * 1024;

/** Draws everything again for the given width in CSS pixels. */
export function drawMoments(svg: SVGSVGElement, moments: readonly LastMoment[], outerWidth: number): void {
  const width = Math.max(MIN_WIDTH, outerWidth);
  const metrics = readMetrics(moments);
  const [first = 0, last = 0] = extent(moments, ({ t }) => t);
  const most = max(metrics.flatMap(({ metric }) => moments.map((moment) => moment[metric] ?? 0))) ?? 0;
  // A record of one moment has no width of its own.
  const x = scaleLinear([first - last - (first === last ? 1_000 : 0), 0], [MARGIN.left, width - MARGIN.right]);
  const y = scaleLinear([0, Math.max(most / MIB, 1)], [HEIGHT - MARGIN.bottom, MARGIN.top]).nice(4);

  const root = select(svg).attr("width", width).attr("height", HEIGHT);
  root.selectAll("*").remove();
  root
    .append("g")
    .attr("class", "axis")
    .attr("transform", `translate(${MARGIN.left},0)`)
    .call(
      axisLeft(y)
        .ticks(4)
        .tickSize(MARGIN.left + MARGIN.right - width)
        .tickPadding(8)
        .tickFormat((mib) => formatBytes(Number(mib) * MIB)),
    );
  root
    .append("g")
    .attr("class", "axis")
    .attr("transform", `translate(0,${HEIGHT - MARGIN.bottom})`)
    .call(
      axisBottom(x)
        .ticks(Math.max(2, Math.floor(width / 130)))
        .tickFormat((t) => (Number(t) === 0 ? "last" : `-${formatDuration(-Number(t))}`)),
    );
  for (const { metric } of metrics) {
    const height = (moment: LastMoment): number => y((moment[metric] ?? 0) / MIB);
    const path = line<LastMoment>()
      .defined((moment) => moment[metric] !== undefined)
      .x(({ t }) => x(t - last))
      .y(height);
    root.append("path").attr("class", `series ${metric}`).attr("d", path(moments));
    for (const moment of moments.filter((candidate) => candidate[metric] !== undefined)) {
      const dot = root.append("circle").attr("class", `dot ${metric}`).attr("r", 2.5);
      dot.attr("cx", x(moment.t - last)).attr("cy", height(moment));
    }
  }
}
