/** Plots over one time axis. All colors are CSS classes, so a change of theme needs no redraw. */

import { axisBottom, axisLeft } from "d3-axis";
import { type ScaleLinear, scaleLinear } from "d3-scale";
import { pointer, type Selection, select } from "d3-selection";
import { area, curveLinear, curveStepAfter, line } from "d3-shape";
import type { TimeRange } from "../../src/profile/samples/samples.ts";
import { printable } from "../../src/profile/text/text.ts";
import { keepInside, textWidth } from "../chartText.ts";
import { sizeScale } from "../sizeScale.ts";
import { timeScale } from "../timeScale.ts";
import { nearest } from "./series.ts";
import type { ChartContent, Peak, PlotContent, Series } from "./view.ts";

const MARGIN = { left: 84, right: 16, top: 26, bottom: 30 };
const GAP = 40;
/** Room for the peak's label above the highest reading. */
const PEAK_LABEL = 20;
const MIN_WIDTH = 240;
const MIN_HEIGHT = 260;
const MIN_PLOT = 90;
const TICK_HEIGHT = 40;
const TICK_WIDTH = 130;
/** Below the plots: which line ran. */
const BAND = { height: 18, gap: 10, letter: 7 };

/** The time that a chart's moments take. */
export function wholeTime({ t, steps }: Pick<ChartContent, "t" | "steps">): TimeRange {
  const first = t[0] ?? 0;
  const least = steps ? Number.EPSILON : 1;
  return { from: Math.min(0, first), until: Math.max(t.at(-1) ?? 1, first + least) };
}

export interface Chart {
  /** Draws everything again for the given size in CSS pixels. */
  draw(content: ChartContent, width: number, height: number): void;
  /** Moves the cursor to a moment of what was drawn last; -1 hides it. */
  cursor(index: number): void;
}

export interface ChartEvents {
  readonly onHover: (index: number) => void;
  readonly onPick: (index: number) => void;
  /** @param time where the wheel was turned, milliseconds */
  readonly onZoom: (isIn: boolean, time: number) => void;
}

interface Plot {
  readonly content: PlotContent;
  readonly top: number;
  readonly bottom: number;
  readonly y: ScaleLinear<number, number>;
}

type Scale = ScaleLinear<number, number>;
type Group = Selection<SVGGElement, unknown, null, undefined>;

function drawSeries(group: Group, { t, steps }: ChartContent, x: Scale, plot: Plot, { look, values }: Series): void {
  const curve = steps ? curveStepAfter : curveLinear;
  const places = [...t.keys()];
  const known = (index: number): boolean => values[index] !== undefined;
  const across = (index: number): number => x(t[index] ?? 0);
  const height = (index: number): number => plot.y(values[index] ?? 0);
  if (look === plot.content.series[0]?.look) {
    const base = plot.y(Math.max(0, plot.content.low));
    const fill = area<number>(across, base, height).defined(known).curve(curve);
    group.append("path").attr("class", `area ${look}`).attr("d", fill(places));
  }
  const stroke = line<number>(across, height).defined(known).curve(curve);
  group.append("path").attr("class", `series ${look}`).attr("d", stroke(places));
  for (const index of places) {
    // A moment between two that are not known is no line; it gets a dot.
    if (!known(index) || known(index - 1) || known(index + 1)) continue;
    const dot = group.append("circle").attr("class", `lone ${look}`).attr("r", 3);
    dot.attr("cx", across(index)).attr("cy", height(index));
  }
}

function drawPeak(group: Group, { t }: ChartContent, x: Scale, { y }: Plot, peak: Peak): void {
  const [left = 0, right = 0] = x.range();
  const across = peak.kind === "moment" ? x(t[peak.index] ?? 0) : right;
  if (across < left || across > right) return;
  const height = y(peak.value);
  const label = group
    .append("text")
    .attr("class", "peak-label")
    .attr("y", height - 8)
    .text(printable(peak.text));
  if (peak.kind === "level") {
    group
      .insert("line", "text.peak-label")
      .attr("class", "peak")
      .attr("x1", left)
      .attr("x2", right)
      .attr("y1", height)
      .attr("y2", height);
    label.attr("x", right).attr("text-anchor", "end");
    return;
  }
  const atRight = across > (left + right) / 2;
  group.insert("circle", "text.peak-label").attr("class", "peak").attr("cx", across).attr("cy", height).attr("r", 4.5);
  label.attr("x", across + (atRight ? -9 : 9)).attr("text-anchor", atRight ? "end" : "start");
}

function drawPlot(group: Group, chart: ChartContent, x: Scale, plot: Plot): void {
  const [left = 0, right = 0] = x.range();
  const { content, top, bottom } = plot;
  group
    .append("text")
    .attr("class", "plot-name")
    .attr("x", left)
    .attr("y", top - 10)
    .text(printable(content.name));
  if (content.empty !== undefined) {
    group
      .append("text")
      .attr("class", "not-read")
      .attr("x", left + 8)
      .attr("y", (top + bottom) / 2)
      .text(content.empty);
  } else {
    const sizes = sizeScale(content.low, content.high, Math.max(2, Math.floor((bottom - top) / TICK_HEIGHT)));
    const axis = axisLeft<number>(plot.y)
      .tickValues(sizes.ticks)
      .tickFormat(sizes.text)
      .tickSize(left - right);
    group.append("g").attr("class", "axis faint").attr("transform", `translate(${left},0)`).call(axis);
    const inside = group.append("g");
    if (chart.range !== undefined) inside.attr("clip-path", `url(#${CLIP})`);
    for (const series of content.series) drawSeries(inside, chart, x, plot, series);
    if (content.peak !== undefined) drawPeak(group, chart, x, plot, content.peak);
  }
  group.append("line").attr("class", "base").attr("x1", left).attr("x2", right).attr("y1", bottom).attr("y2", bottom);
}

/** What lies outside the drawn time must not be drawn over the axis. */
const CLIP = "drawn-time";

function drawClip(group: Group, x: Scale, height: number): void {
  const [left = 0, right = 0] = x.range();
  group
    .append("clipPath")
    .attr("id", CLIP)
    .append("rect")
    .attr("x", left)
    .attr("width", right - left)
    .attr("height", height);
}

/** Each stretch until the next one begins; its line is written where there is room for it. */
function drawBands(group: Group, { t, stretches }: ChartContent, x: Scale, top: number): void {
  const [left = 0, right = 0] = x.range();
  for (const [place, { first, last, text }] of stretches.entries()) {
    const from = Math.max(left, x(t[first] ?? 0));
    const until = Math.min(right, x(t[Math.min(last + 1, t.length - 1)] ?? 0));
    if (until <= left || from >= right || until === from) continue;
    const width = Math.max(1, until - from);
    const rect = group
      .append("rect")
      .attr("class", place % 2 === 0 ? "band" : "band other")
      .attr("x", from)
      .attr("y", top);
    rect.attr("width", width).attr("height", BAND.height).append("title").text(printable(text));
    const shown = [text, text.slice(text.lastIndexOf("/") + 1), text.slice(text.lastIndexOf(":") + 1)].find(
      (words) => words.length * BAND.letter + 8 <= width,
    );
    if (shown === undefined) continue;
    group
      .append("text")
      .attr("class", "band-line")
      .attr("x", from + 4)
      .attr("y", top + BAND.height - 5)
      .text(printable(shown));
  }
}

function drawTimes(group: Group, x: Scale, width: number): void {
  const [earliest = 0, latest = 0] = x.domain();
  const times = timeScale(earliest, latest, Math.max(2, Math.floor(width / TICK_WIDTH)));
  group.attr("class", "axis").call(axisBottom<number>(x).tickValues(times.ticks).tickFormat(times.text));
  // Zoomed closely, the last one's digits need more than the margin.
  const away = (ms: number): number => Math.min(0, width - x(ms) - textWidth(times.text(ms)) / 2);
  group.selectAll<SVGTextElement, number>(".tick text").attr("dx", away);
}

export function createChart(svgElement: SVGSVGElement, events: ChartEvents): Chart {
  const svg = select(svgElement);
  let t: readonly number[] = [];
  let x = scaleLinear();
  let plots: readonly Plot[] = [];
  let mark: Group | undefined;

  const indexAt = (event: MouseEvent): number => nearest(t, x.invert(pointer(event, svgElement)[0]));
  svg.on("pointermove", (event: PointerEvent) => events.onHover(indexAt(event)));
  svg.on("click", (event: MouseEvent) => events.onPick(indexAt(event)));
  // Alone the wheel scrolls the page.
  svg.on("wheel", (event: WheelEvent) => {
    if ((!event.ctrlKey && !event.metaKey) || event.deltaY === 0) return;
    event.preventDefault();
    events.onZoom(event.deltaY < 0, x.invert(pointer(event, svgElement)[0]));
  });

  return {
    draw(content, outerWidth, outerHeight) {
      const count = content.plots.length;
      const bands = content.stretches.length === 0 ? 0 : BAND.gap + BAND.height;
      const around = MARGIN.top + MARGIN.bottom + bands + GAP * (count - 1);
      const width = Math.max(MIN_WIDTH, outerWidth);
      const height = Math.max(MIN_HEIGHT, outerHeight, around + count * MIN_PLOT);
      t = content.t;
      const { from, until } = content.range ?? wholeTime(content);
      x = scaleLinear([from, until], [MARGIN.left, width - MARGIN.right]);
      const plotHeight = (height - around) / count;
      plots = content.plots.map((plot, i) => {
        const top = MARGIN.top + i * (plotHeight + GAP);
        const bottom = top + plotHeight;
        const highest = plot.peak === undefined ? top : top + PEAK_LABEL;
        return { content: plot, top, bottom, y: scaleLinear([plot.low, plot.high], [bottom, highest]) };
      });
      svg.attr("width", width).attr("height", height).attr("viewBox", `0 0 ${width} ${height}`);
      svg.selectChildren().remove();
      drawClip(svg.append("g"), x, height);
      for (const plot of plots) drawPlot(svg.append("g"), content, x, plot);
      if (bands > 0) drawBands(svg.append("g"), content, x, height - MARGIN.bottom - BAND.height);
      if (t.length > 0)
        drawTimes(svg.append("g").attr("transform", `translate(0,${height - MARGIN.bottom})`), x, width);
      for (const text of svgElement.querySelectorAll<SVGTextElement>(".plot-name, .peak-label"))
        keepInside(text, width);
      mark = svg.append("g").attr("class", "cursor");
    },

    cursor(index) {
      if (!mark) return;
      mark.selectChildren().remove();
      const moment = t[index];
      const [top, bottom] = [plots[0]?.top, plots.at(-1)?.bottom];
      if (moment === undefined || top === undefined || bottom === undefined) return;
      const at = x(moment);
      const [left = 0, right = 0] = x.range();
      if (at < left || at > right) return;
      mark.append("line").attr("class", "cursor-line").attr("x1", at).attr("x2", at).attr("y1", top).attr("y2", bottom);
      for (const { content, y } of plots) {
        for (const { look, values } of content.series) {
          const value = values[index];
          if (value !== undefined)
            mark.append("circle").attr("class", look).attr("cx", at).attr("cy", y(value)).attr("r", 4);
        }
      }
    },
  };
}
