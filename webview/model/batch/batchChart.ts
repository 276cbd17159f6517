/** Memory over the batch size with its band. All colors are CSS classes, so a change of theme needs no redraw. */
import { range } from "d3-array";
import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { area, line } from "d3-shape";
import { formatCount } from "../../../src/profile/text/format.ts";
import type { Estimate } from "../../../src/torch/whatif/model.ts";
import { t } from "../../../src/words/t.ts";
import { roundedSizeScale } from "../../sizeScale.ts";

export interface BatchCurve {
  readonly memoryAt: (batch: number) => Estimate;
  /** The largest batch shown. */
  readonly most: number;
  /** Bytes. */
  readonly free: number | undefined;
}

const HEIGHT = 220;
const MARGIN = { left: 84, right: 14, top: 10, bottom: 36 };
const MIN_WIDTH = 240;
const POINTS = 60;
const MIB = 1024 * 1024;
const TICKS = 5;

/** Draws everything again for the given width in CSS pixels. */
export function drawBatch(svg: SVGSVGElement, { memoryAt, most, free }: BatchCurve, outerWidth: number): void {
  const width = Math.max(MIN_WIDTH, outerWidth);
  const points = range(POINTS + 1).map((i) => {
    const batch = (most * i) / POINTS;
    return { batch, memory: memoryAt(batch) };
  });
  const highest = Math.max(free ?? 0, ...points.map(({ memory }) => memory.high));
  const x = scaleLinear([0, most], [MARGIN.left, width - MARGIN.right]);
  const sizes = roundedSizeScale(Math.max(highest, MIB), TICKS);
  const y = scaleLinear([0, sizes.top], [HEIGHT - MARGIN.bottom, MARGIN.top]);
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
      axisBottom(x)
        .ticks(Math.max(2, Math.floor(width / 110)))
        .tickFormat((batch) => formatCount(Number(batch))),
    );
  const caption = root.append("text").attr("class", "caption").text(t("Batch size"));
  caption
    .attr("x", width - MARGIN.right)
    .attr("y", HEIGHT - 4)
    .attr("text-anchor", "end");
  type Point = (typeof points)[number];
  const band = area<Point>()
    .x(({ batch }) => x(batch))
    .y0(({ memory }) => y(memory.low))
    .y1(({ memory }) => y(memory.high));
  const about = line<Point>()
    .x(({ batch }) => x(batch))
    .y(({ memory }) => y(memory.bytes));
  root.append("path").attr("class", "band").attr("d", band(points));
  root.append("path").attr("class", "about-line").attr("d", about(points));
  if (free === undefined) return;
  const height = y(free);
  root
    .append("line")
    .attr("class", "free-line")
    .attr("x1", MARGIN.left)
    .attr("x2", width - MARGIN.right)
    .attr("y1", height)
    .attr("y2", height);
  const label = root.append("text").attr("class", "caption").text(t("Free"));
  label.attr("x", MARGIN.left + 6).attr("y", height - 5);
}
