/** A small chart of the last moments. All colors are CSS classes, so a change of theme needs no redraw. */
import { extent, max } from "d3-array";
import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { line } from "d3-shape";
import type { LastMoment } from "../../src/board/ending/model.ts";
import { t } from "../../src/words/t.ts";
import { roundedSizeScale } from "../sizeScale.ts";
import { timeScale } from "../timeScale.ts";
import { readMetrics } from "./moments.ts";

const HEIGHT = 190;
const MARGIN = { left: 78, right: 14, top: 10, bottom: 24 };
const MIN_WIDTH = 240;
const MIB = 1024 * 1024;
const TICKS = 5;
const TICK_WIDTH = 130;

/** Draws everything again for the given width in CSS pixels. */
export function drawMoments(svg: SVGSVGElement, moments: readonly LastMoment[], outerWidth: number): void {
  const width = Math.max(MIN_WIDTH, outerWidth);
  const metrics = readMetrics(moments);
  const [first = 0, last = 0] = extent(moments, ({ t }) => t);
  const most = max(metrics.flatMap(({ metric }) => moments.map((moment) => moment[metric] ?? 0))) ?? 0;
  // A record of one moment has no width of its own.
  const x = scaleLinear([first - last - (first === last ? 1_000 : 0), 0], [MARGIN.left, width - MARGIN.right]);
  const sizes = roundedSizeScale(Math.max(most, MIB), TICKS);
  const y = scaleLinear([0, sizes.top], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const [earliest = 0] = x.domain();
  const times = timeScale(earliest, 0, Math.max(2, Math.floor(width / TICK_WIDTH)));

  const root = select(svg).attr("width", width).attr("height", HEIGHT);
  root.selectAll("*").remove();
  root
    .append("g")
    .attr("class", "axis faint")
    .attr("transform", `translate(${MARGIN.left},0)`)
    .call(
      axisLeft<number>(y)
        .tickValues(sizes.ticks)
        .tickSize(MARGIN.left + MARGIN.right - width)
        .tickPadding(8)
        .tickFormat(sizes.text),
    );
  root
    .append("g")
    .attr("class", "axis")
    .attr("transform", `translate(0,${HEIGHT - MARGIN.bottom})`)
    .call(
      axisBottom<number>(x)
        .tickValues(times.ticks)
        .tickFormat((time) => (time === 0 ? t("last") : times.text(time))),
    );
  for (const { metric } of metrics) {
    const height = (moment: LastMoment): number => y(moment[metric] ?? 0);
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
