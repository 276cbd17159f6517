/** Peaks over a numeric parameter. All colors are CSS classes, so a change of theme needs no redraw. */
import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { line } from "d3-shape";
import { formatBytes } from "../../src/profile/text/format.ts";
import { printable } from "../../src/profile/text/text.ts";
import { number, pointLine } from "../../src/sweep/words.ts";
import { t } from "../../src/words/t.ts";
import { shortened, textWidth } from "../chartText.ts";
import { svgElement } from "../dom.ts";
import { roundedSizeScale } from "../sizeScale.ts";
import { LIMIT_SHAPE, markPicture } from "./marks.ts";
import { domainOf, type Mark, type Series, spreadLabels } from "./series.ts";

export interface LineChart {
  readonly series: readonly Series[];
  readonly axis: string;
  /** Bytes; absent where it is unknown or far above. */
  readonly room: number | undefined;
}

const HEIGHT = 300;
const MARGIN = { left: 84, right: 16, top: 18, bottom: 40 };
const MIN_WIDTH = 260;
const MIB = 1024 * 1024;
const TICKS = 5;
const LABEL_GAP = 16;
const LONGEST_NAME = 420;
const LONGEST_LABEL = 168;

/** How many lines differ by color and dashes; CSS has as many. */
export const STYLES = 6;

type Scale = (value: number) => number;
type Styled = Series & { readonly style: number };

interface Frame {
  readonly svg: SVGSVGElement;
  readonly x: Scale;
  /** Of bytes. */
  readonly y: Scale;
  /** The largest value that is drawn. */
  readonly most: number;
}

/** Draws everything again for the given width in CSS pixels. */
export function drawLines(svg: SVGSVGElement, { series, axis, room }: LineChart, outerWidth: number): void {
  const width = Math.max(MIN_WIDTH, outerWidth);
  const drawn = series.map((one, i) => ({ ...one, style: i % STYLES })).filter(({ marks }) => marks.length > 0);
  const right = width - MARGIN.right;
  const x = scaleLinear(domainOf(drawn), [MARGIN.left, right]);
  const highest = Math.max(room ?? 0, ...drawn.flatMap(({ marks }) => marks.map(({ peak }) => peak.most)));
  const sizes = roundedSizeScale(Math.max(highest, MIB), TICKS);
  const y = scaleLinear([0, sizes.top], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const root = select(svg).attr("width", width).attr("height", HEIGHT);
  root.selectAll("*").remove();
  const group = (name: string, place: string) => root.append("g").attr("class", name).attr("transform", place);
  group("axis faint", `translate(${MARGIN.left},0)`).call(
    axisLeft<number>(y)
      .tickValues(sizes.ticks)
      .tickSize(MARGIN.left - right)
      .tickPadding(8)
      .tickFormat(sizes.text),
  );
  group("axis along", `translate(0,${HEIGHT - MARGIN.bottom})`).call(
    axisBottom(x)
      .ticks(Math.max(2, Math.floor((right - MARGIN.left) / 90)))
      .tickSizeOuter(0),
  );
  const frame: Frame = { svg, x, y, most: x.domain()[1] ?? 0 };
  drawText(frame, "caption", shortened(printable(axis), LONGEST_NAME), [right, HEIGHT - 6], "end");
  if (room !== undefined) drawRoom(frame, room, right);
  for (const one of drawn) drawSeries(frame, one);
  drawLabels(frame, drawn, right);
}

/** Beside the last that ran of each line, below it: the line goes on upwards. */
function drawLabels(frame: Frame, drawn: readonly Styled[], right: number): void {
  const ends = drawn.map(({ marks }) => marks.filter(({ point }) => point.state === "fits").at(-1) ?? marks.at(-1));
  const beside = ends.map((mark) => frame.y(mark?.peak.median ?? 0) + LABEL_GAP);
  const heights = spreadLabels(beside, LABEL_GAP, MARGIN.top, HEIGHT - MARGIN.bottom - 4);
  for (const [i, { label, style }] of drawn.entries()) {
    const text = shortened(printable(label), LONGEST_LABEL);
    const end = frame.x(ends[i]?.x ?? 0);
    const fits = end + 6 + textWidth(text) <= right;
    drawText(frame, `label s${style}`, text, [fits ? end + 6 : right, heights[i] ?? 0], fits ? "start" : "end");
  }
}

function drawRoom(frame: Frame, room: number, right: number): void {
  const height = frame.y(room);
  drawPath(frame, "room", [
    [MARGIN.left, height],
    [right, height],
  ]);
  drawText(frame, "caption", t("Room {0}", formatBytes(room)), [MARGIN.left + 6, height - 5], "start");
}

function drawSeries(frame: Frame, one: Styled): void {
  const { svg, x, y } = frame;
  const at = (mark: Mark): [number, number] => [x(mark.x), y(mark.peak.median)];
  const ran = one.marks.filter(({ point }) => point.state === "fits");
  const last = ran.at(-1);
  drawPath(frame, `series s${one.style}`, ran.map(at));
  if (last !== undefined) drawLimit(frame, one, last.x, at(last));
  for (const mark of one.marks) svg.append(spreadBar(mark, one.style, frame), signAt(mark, one.style, at(mark)));
}

/** The largest that fits, and from the last that ran to there the line that says so. */
function drawLimit(frame: Frame, { estimate, style }: Styled, lastX: number, last: [number, number]): void {
  if (estimate?.kind !== "fits-up-to" || estimate.largest > frame.most) return;
  const { largest, line: fit } = estimate;
  const end: [number, number] = [frame.x(largest), frame.y(fit.fixed + fit.bytesEach * largest)];
  if (largest > lastX) drawPath(frame, `extension s${style}`, [last, end]);
  select(frame.svg)
    .append("path")
    .attr("class", `limit s${style}`)
    .attr("d", LIMIT_SHAPE)
    .attr("transform", `translate(${end})`);
  const anchor = largest > frame.most * 0.9 ? "end" : "middle";
  drawText(frame, "caption strong", `≤ ${number(largest)}`, [end[0], end[1] - 10], anchor);
}

function drawPath({ svg }: Frame, name: string, points: [number, number][]): void {
  select(svg).append("path").attr("class", name).attr("d", line()(points));
}

function drawText({ svg }: Frame, name: string, text: string, [x, y]: [number, number], anchor: string): void {
  if (text === "") return;
  select(svg)
    .append("text")
    .attr("class", name)
    .attr("x", x)
    .attr("y", y)
    .attr("text-anchor", anchor)
    .text(printable(text));
}

function spreadBar({ x, peak }: Mark, style: number, frame: Frame): SVGPathElement {
  const [left, top, bottom] = [frame.x(x), frame.y(peak.most), frame.y(peak.least)];
  const bar = peak.most === peak.least ? "" : `M${left - 5} ${top}h10m-5 0V${bottom}m-5 0h10`;
  return svgElement("path", { class: `spread s${style}`, d: bar });
}

function signAt(mark: Mark, style: number, place: readonly [number, number]): SVGPathElement {
  const sign = markPicture(mark.point.state, place);
  sign.classList.add(`s${style}`);
  const tip = svgElement("title", {});
  tip.textContent = printable(pointLine(mark.point));
  sign.append(tip);
  return sign;
}
