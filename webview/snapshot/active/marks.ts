/** What lies over the chart's pixels: scales, and the moments that are marked. All colours are CSS classes. */
import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { type Selection, select } from "d3-selection";
import { formatBytes } from "../../../src/profile/format.ts";
import type { Axis, Span } from "./axis.ts";

export const MARGIN = { left: 78, right: 18, top: 24, bottom: 24 } as const;
const TICK_WIDTH = 120;
const TICK_HEIGHT = 34;
const MIB = 1024 * 1024;
/** About as wide as a mark's words. */
const WORDS_WIDTH = 190;

export interface Mark {
  readonly kind: "maximum" | "oom";
  readonly moment: number;
  readonly bytes: number;
  readonly text: string;
}

export interface Frame {
  readonly axis: Axis;
  readonly span: Span;
  /** CSS pixels of the whole chart. */
  readonly width: number;
  readonly height: number;
  /** Bytes at the upper edge. */
  readonly highest: number;
  readonly marks: readonly Mark[];
  readonly chosen: number;
}

/** Ticks at round numbers of MiB, or of KiB where all is small. */
function byteTicks(highest: number, count: number): number[] {
  const unit = highest > 2 * MIB ? MIB : 1024;
  return scaleLinear([0, highest / unit], [0, 1])
    .ticks(count)
    .map((tick) => tick * unit);
}

type Group = Selection<SVGGElement, unknown, null, undefined>;

export function drawMarks(element: SVGSVGElement, frame: Frame): void {
  const { axis, span, width, height, highest, marks, chosen } = frame;
  const svg = select(element);
  svg.attr("width", width).attr("height", height).attr("viewBox", `0 0 ${width} ${height}`);
  svg.selectChildren().remove();
  const x = scaleLinear([span.from, span.to], [MARGIN.left, width - MARGIN.right]);
  const y = scaleLinear([0, highest], [height - MARGIN.bottom, MARGIN.top]);

  const sizes = axisLeft<number>(y)
    .tickValues(byteTicks(highest, Math.max(2, Math.floor((height - MARGIN.top - MARGIN.bottom) / TICK_HEIGHT))))
    .tickFormat(formatBytes);
  svg
    .append("g")
    .attr("class", "axis faint")
    .attr("transform", `translate(${MARGIN.left},0)`)
    .call(sizes.tickSize(MARGIN.left + MARGIN.right - width));
  const ticks = scaleLinear([span.from * axis.extent, span.to * axis.extent], [0, 1]);
  const places = axisBottom<number>(x)
    .tickValues(ticks.ticks(Math.max(2, Math.floor(width / TICK_WIDTH))).map((tick) => tick / axis.extent))
    .tickFormat(axis.text);
  svg
    .append("g")
    .attr("class", "axis")
    .attr("transform", `translate(0,${height - MARGIN.bottom})`)
    .call(places);

  const seen = (moment: number): number | undefined => {
    const position = axis.positionOf(moment);
    return position >= span.from && position <= span.to ? x(position) : undefined;
  };
  const group = svg.append("g");
  /** Where words were put, so that none lie over others. */
  const taken: number[] = [];
  for (const mark of marks) {
    const left = seen(mark.moment);
    if (left === undefined) continue;
    const free = taken.every((other) => Math.abs(other - left) > WORDS_WIDTH);
    if (free) taken.push(left);
    drawMark(group, mark, left, y(mark.bytes), frame, free);
  }
  const at = seen(chosen);
  if (at !== undefined)
    group
      .append("line")
      .attr("class", "chosen")
      .attr("x1", at)
      .attr("x2", at)
      .attr("y1", MARGIN.top)
      .attr("y2", height - MARGIN.bottom);
}

function drawMark(group: Group, { kind, text }: Mark, x: number, y: number, frame: Frame, words: boolean): void {
  const { width, height } = frame;
  if (kind === "maximum") group.append("circle").attr("class", "maximum").attr("cx", x).attr("cy", y).attr("r", 4);
  else
    group
      .append("line")
      .attr("class", "oom")
      .attr("x1", x)
      .attr("x2", x)
      .attr("y1", MARGIN.top - 6)
      .attr("y2", height - MARGIN.bottom);
  if (!words) return;
  const atRight = x > width - WORDS_WIDTH;
  group
    .append("text")
    .attr("class", `${kind}-label`)
    .attr("x", x + (atRight ? -7 : 7))
    .attr("y", MARGIN.top - 9)
    .attr("text-anchor", atRight ? "end" : "start")
    .text(text);
}
