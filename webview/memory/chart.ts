/**
 * All of the RAM over time as stacked areas, and below it a strip for each figure that lies beside it. All colors are
 * CSS classes, so a change of theme needs no redraw.
 */

import { max, pairs } from "d3-array";
import { axisBottom, axisLeft } from "d3-axis";
import { type ScaleLinear, scaleLinear } from "d3-scale";
import { pointer, type Selection, select } from "d3-selection";
import { area, line } from "d3-shape";
import { GROUP_ORDER } from "../../src/board/ledger/ledger.ts";
import type { SeriesPoint } from "../../src/board/moments/momentTable.ts";
import { printable } from "../../src/profile/text/text.ts";
import { t } from "../../src/words/t.ts";
import { keepInside } from "../chartText.ts";
import { sizeScale, withTop } from "../sizeScale.ts";
import { timeScale } from "../timeScale.ts";
import { stripesOf } from "./ledger/groups.ts";
import { type Band, bandsOf, stretches, timeSpan } from "./picture/stack.ts";
import { percentText } from "./words.ts";

const MARGIN = { left: 78, right: 22, top: 22, bottom: 24 };
const STACK_HEIGHT = 220;
const STRIP = { height: 36, gap: 26 };
const MIN_WIDTH = 240;
const LONE_WIDTH = 2;
const TICK_WIDTH = 100;
const STACK_TICKS = 5;
/** Of the word beside a mark. */
const NAME_WIDTH = 60;
/** Of the words in a gap. */
const HOLE_NAME_WIDTH = 70;

export interface Timeline {
  readonly points: readonly SeriesPoint[];
  readonly intervalMs: number;
  /** Whether records still come. */
  readonly live: boolean;
  readonly total: number;
  readonly swapTotal: number;
  readonly ofRun: boolean;
  /** Times that are marked. */
  readonly baseline: number | undefined;
  readonly peak: number | undefined;
}

export interface Chart {
  /** Draws everything again for a width in CSS pixels; the names of the figures that were never read. */
  draw(timeline: Timeline, width: number): readonly string[];
  /** Moves the line of the chosen moment, or of the one under the pointer. */
  mark(name: "chosen" | "pointed", t: number | undefined): void;
}

export interface ChartEvents {
  /** Undefined when the pointer leaves. */
  readonly onHover: (t: number | undefined) => void;
  readonly onPick: (t: number) => void;
}

interface Strip {
  readonly name: string;
  readonly css: string;
  readonly value: (point: SeriesPoint) => number | undefined;
  readonly highest: number;
  readonly text: (value: number) => string;
}

type Group = Selection<SVGGElement, unknown, null, undefined>;
type Scale = ScaleLinear<number, number>;

/** The figures beside the stack, apart from what was never read. */
function stripsOf(timeline: Timeline): {
  readonly shown: readonly Strip[];
  readonly notRead: readonly string[];
} {
  const { points, ofRun, swapTotal } = timeline;
  const rss = max(points, ({ runRss }) => runRss) ?? 0;
  const strips: readonly Strip[] = [
    ...(ofRun
      ? [
          {
            name: t("Memory of the run’s processes (RSS)"),
            css: "rss",
            value: (p: SeriesPoint) => p.runRss,
            highest: rss,
            text: sizeScale(0, rss, 2).text,
          },
        ]
      : []),
    {
      name: t("Swap used"),
      css: "swap",
      value: (p) => p.swapUsed,
      highest: swapTotal,
      text: sizeScale(0, swapTotal, 2).text,
    },
    { name: t("GPU load"), css: "load", value: (p) => p.gpuLoad, highest: 1, text: percentText },
  ];
  const read = ({ value }: Strip): boolean => points.some((point) => value(point) !== undefined);
  return {
    shown: strips.filter((strip) => read(strip) && strip.highest > 0),
    notRead: strips.filter((strip) => !read(strip)).map(({ name }) => name),
  };
}

function drawStack(group: Group, pieces: readonly (readonly SeriesPoint[])[], x: Scale, y: Scale): void {
  const banded = pieces.map((piece) => piece.map((point) => ({ t: point.t, bands: bandsOf(point.groups) })));
  for (const name of GROUP_ORDER) {
    const band = (point: { readonly bands: ReturnType<typeof bandsOf> }): Band => point.bands[name];
    const shape = area<(typeof banded)[number][number]>()
      .x(({ t }) => x(t))
      .y0((point) => y(band(point).low))
      .y1((point) => y(band(point).high))
      .digits(1);
    const outline = banded.map((piece) => shape(piece) ?? "").join("");
    group.append("path").attr("class", `area ${name}`).attr("d", outline);
    const stripes = stripesOf(name);
    if (stripes !== undefined) group.append("path").attr("class", "striped").attr("fill", stripes).attr("d", outline);
  }
}

/** Says what a gap is, where there is room. */
function drawHoles(group: Group, pieces: readonly (readonly SeriesPoint[])[], x: Scale, middle: number): void {
  for (const [before, after] of pairs(pieces)) {
    const [from, to] = [x(before.at(-1)?.t ?? 0), x(after[0]?.t ?? 0)];
    if (to - from < HOLE_NAME_WIDTH) continue;
    const name = group.append("text").attr("class", "strip-name").attr("text-anchor", "middle");
    name
      .attr("x", (from + to) / 2)
      .attr("y", middle)
      .text(t("no records"));
  }
}

function drawStrip(
  group: Group,
  strip: Strip,
  pieces: readonly (readonly SeriesPoint[])[],
  x: Scale,
  top: number,
): void {
  const [left = 0, right = 0] = x.range();
  const bottom = top + STRIP.height;
  const y = scaleLinear([0, strip.highest], [bottom, top]);
  const known = (point: SeriesPoint): boolean => strip.value(point) !== undefined;
  const height = (point: SeriesPoint): number => y(strip.value(point) ?? 0);
  const at = (point: SeriesPoint): number => x(point.t);
  const fill = area<SeriesPoint>().defined(known).x(at).y0(bottom).y1(height).digits(1);
  const stroke = line<SeriesPoint>().defined(known).x(at).y(height).digits(1);
  const name = group
    .append("text")
    .attr("class", "strip-name")
    .attr("x", left + 5);
  name.attr("y", top - 7).text(printable(strip.name));
  const axis = axisLeft<number>(y)
    .tickValues([0, strip.highest])
    .tickFormat(strip.text)
    .tickSize(left - right);
  group.append("g").attr("class", "axis faint").attr("transform", `translate(${left},0)`).call(axis);
  const joined = (shape: (piece: readonly SeriesPoint[]) => string | null): string =>
    pieces.map((piece) => shape(piece) ?? "").join("");
  group
    .append("path")
    .attr("class", `under ${strip.css}`)
    .attr(
      "d",
      joined((piece) => fill([...piece])),
    );
  group
    .append("path")
    .attr("class", `over ${strip.css}`)
    .attr(
      "d",
      joined((piece) => stroke([...piece])),
    );
}

const MARKS = { baseline: () => t("baseline"), peak: () => t("peak") };

/** A dashed line with its name above the stack, at the side where there is room. */
function drawMark(group: Group, name: keyof typeof MARKS, at: number, side: "left" | "right", bottom: number): void {
  const mark = group.append("line").attr("class", `event ${name}`).attr("x1", at).attr("x2", at);
  mark.attr("y1", MARGIN.top - 4).attr("y2", bottom);
  const text = group
    .append("text")
    .attr("class", `event-name ${name}`)
    .attr("x", at)
    .attr("y", MARGIN.top - 8);
  text.attr("text-anchor", side === "left" ? "end" : "start").text(MARKS[name]());
}

export function createChart(svgElement: SVGSVGElement, events: ChartEvents): Chart {
  const svg = select(svgElement);
  let x: Scale = scaleLinear();
  let bottom = 0;
  let marks: Group | undefined;
  const marked: Record<"chosen" | "pointed", number | undefined> = { chosen: undefined, pointed: undefined };

  const timeAt = (event: MouseEvent): number => x.invert(pointer(event, svgElement)[0]);
  svg.on("pointermove", (event: PointerEvent) => events.onHover(timeAt(event)));
  svg.on("pointerleave", () => events.onHover(undefined));
  svg.on("click", (event: MouseEvent) => events.onPick(timeAt(event)));

  function drawMarks(): void {
    if (!marks) return;
    marks.selectChildren().remove();
    for (const [name, t] of Object.entries(marked)) {
      if (t === undefined) continue;
      const at = x(t);
      const mark = marks.append("line").attr("class", name).attr("x1", at).attr("x2", at);
      mark.attr("y1", MARGIN.top).attr("y2", bottom);
      if (name === "chosen")
        marks
          .append("path")
          .attr("class", name)
          .attr("d", `M${at - 5} ${MARGIN.top - 6}h10l-5 7z`);
    }
  }

  return {
    draw(timeline, outerWidth) {
      const { points, total } = timeline;
      const width = Math.max(MIN_WIDTH, outerWidth);
      const { shown, notRead } = stripsOf(timeline);
      const stackBottom = MARGIN.top + STACK_HEIGHT;
      bottom = stackBottom + shown.length * (STRIP.height + STRIP.gap);
      const height = bottom + MARGIN.bottom;
      const span = timeSpan(points, timeline.live);
      x = scaleLinear(span, [MARGIN.left, width - MARGIN.right]);
      const y = scaleLinear([0, Math.max(1, total)], [stackBottom, MARGIN.top]);
      // What was recorded between two holes is seen however short it was.
      const widened = (point: SeriesPoint) => [point, { ...point, t: x.invert(x(point.t) + LONE_WIDTH) }];
      const pieces = stretches(points, timeline.intervalMs).map((piece) =>
        piece[0] !== undefined && piece.length === 1 ? widened(piece[0]) : piece,
      );

      svg.attr("width", width).attr("height", height).attr("viewBox", `0 0 ${width} ${height}`);
      svg.selectChildren().remove();
      const { ticks, text } = sizeScale(0, total, STACK_TICKS);
      const sizes = axisLeft<number>(y).tickValues(withTop(ticks, total)).tickFormat(text);
      sizes.tickSize(MARGIN.left + MARGIN.right - width);
      const sizeAxis = svg.append("g").attr("class", "axis faint").attr("transform", `translate(${MARGIN.left},0)`);
      sizeAxis.call(sizes);
      drawStack(svg.append("g"), pieces, x, y);
      drawHoles(svg.append("g"), pieces, x, (MARGIN.top + stackBottom) / 2);
      shown.forEach((strip, i) => {
        const top = stackBottom + STRIP.gap + i * (STRIP.height + STRIP.gap);
        drawStrip(svg.append("g"), strip, pieces, x, top);
      });
      const times = timeScale(...span, width / TICK_WIDTH);
      const along = axisBottom<number>(x).tickValues(times.ticks).tickFormat(times.text);
      svg.append("g").attr("class", "axis").attr("transform", `translate(0,${bottom})`).call(along);
      const named = svg.append("g");
      const baseline = timeline.baseline === undefined ? undefined : x(timeline.baseline);
      const peak = timeline.peak === undefined ? undefined : x(timeline.peak);
      const near = baseline !== undefined && peak !== undefined && peak - baseline < NAME_WIDTH;
      if (baseline !== undefined) drawMark(named, "baseline", baseline, near ? "left" : "right", bottom);
      if (peak !== undefined) drawMark(named, "peak", peak, peak > width / 2 ? "left" : "right", bottom);
      for (const text of svgElement.querySelectorAll<SVGTextElement>(".strip-name, .event-name"))
        keepInside(text, width);
      marks = svg.append("g").attr("class", "marks");
      drawMarks();
      return notRead;
    },

    mark(name, t) {
      marked[name] = t;
      drawMarks();
    },
  };
}
