/** What lies over the chart's pixels: scales, and the moments that are marked. All colors are CSS classes. */
import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { type Selection, select } from "d3-selection";
import { formatBytes } from "../../../src/profile/text/format.ts";
import type { SnapshotDevice } from "../../../src/protocol/torch/snapshot.ts";
import { t } from "../../../src/words/t.ts";
import { textWidth } from "../../chartText.ts";
import { sizeScale } from "../../sizeScale.ts";
import type { Axis, Span } from "./axis.ts";
import { stepPath } from "./curve.ts";
import { type PartBox, type PlacedPart, partBoxes, ROW_HEIGHT } from "./parts.ts";

/** Below the axis are the rows of the program's parts. */
export const MARGIN = { left: 78, right: 18, top: 24, bottom: 24 } as const;
const TICK_WIDTH = 120;
const TICK_HEIGHT = 34;
/** Between a mark and its words. */
const WORDS_GAP = 7;

export interface Mark {
  readonly kind: "maximum" | "oom";
  readonly moment: number;
  readonly bytes: number;
  readonly text: string;
}

/** The maximum first: its words are drawn where there is no room for all. */
export function marksOf({ maximum, outOfMemory }: SnapshotDevice): Mark[] {
  const oom = outOfMemory.map(
    ({ moment, requested, held }): Mark => ({
      kind: "oom",
      moment,
      bytes: held,
      text: t("out of memory: asked for {0}", formatBytes(requested)),
    }),
  );
  return [{ kind: "maximum", ...maximum, text: t("maximum {0}", formatBytes(maximum.bytes)) }, ...oom];
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
  readonly parts: readonly PlacedPart[];
  /** What the other snapshot held. */
  readonly other: Curve | undefined;
  /** CSS pixels between the plot and the lower edge. */
  readonly bottom: number;
  readonly chosen: number;
}

/** A step for each position, ascending. */
export interface Curve {
  readonly positions: Float64Array;
  readonly bytes: Float64Array;
}

type Group = Selection<SVGGElement, unknown, null, undefined>;

export function drawMarks(element: SVGSVGElement, frame: Frame): void {
  const { axis, span, width, highest, marks, parts, other, bottom, chosen } = frame;
  const svg = select(element);
  svg.attr("width", width).attr("height", frame.height).attr("viewBox", `0 0 ${width} ${frame.height}`);
  svg.selectChildren().remove();
  const x = scaleLinear([span.from, span.to], [MARGIN.left, width - MARGIN.right]);
  const floor = frame.height - bottom;
  const y = scaleLinear([0, highest], [floor, MARGIN.top]);

  const rows = Math.max(2, Math.floor((floor - MARGIN.top) / TICK_HEIGHT));
  const { ticks, text } = sizeScale(0, highest, rows);
  const sizes = axisLeft<number>(y).tickValues(ticks).tickFormat(text);
  svg
    .append("g")
    .attr("class", "axis faint")
    .attr("transform", `translate(${MARGIN.left},0)`)
    .call(sizes.tickSize(MARGIN.left + MARGIN.right - width));
  const along = axis.ticks(span, Math.max(2, Math.floor(width / TICK_WIDTH)));
  const places = axisBottom<number>(x)
    .tickValues(along.map(({ position }) => position))
    .tickFormat((_, i) => along[i]?.text ?? "");
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${floor})`).call(places);
  const end = Math.min(width - MARGIN.right, x(axis.end));
  const boxes = partBoxes(parts, (moment) => x(axis.positionOf(moment)), MARGIN.left, end);
  drawParts(svg.append("g").attr("transform", `translate(0,${floor + MARGIN.bottom})`), boxes);

  const seen = (moment: number): number | undefined => {
    const position = axis.positionOf(moment);
    return position >= span.from && position <= span.to ? x(position) : undefined;
  };
  const group = svg.append("g");
  if (other !== undefined) drawOther(group, stepPath(other.positions, other.bytes, span, x, y));
  const at = seen(chosen);
  if (at !== undefined) drawChosen(group, at, floor);
  /** Where words were put, so that none lie over others. */
  const taken: (readonly [left: number, right: number])[] = [];
  for (const mark of marks) {
    const left = seen(mark.moment);
    if (left === undefined) continue;
    const side = sideFor(mark, left, width, taken);
    if (side !== undefined) taken.push(wordsAt(mark, left, side));
    drawMark(group, mark, left, y(mark.bytes), floor, side);
  }
}

function drawParts(group: Group, boxes: readonly PartBox[]): void {
  for (const { row, x, width, words } of boxes) {
    group
      .append("rect")
      .attr("class", "part")
      .attr("x", x + 0.5)
      .attr("y", row * ROW_HEIGHT + 0.5)
      .attr("width", Math.max(0, width - 1))
      .attr("height", ROW_HEIGHT - 2);
    if (words === "") continue;
    group
      .append("text")
      .attr("class", "part-name")
      .attr("x", x + width / 2)
      .attr("y", row * ROW_HEIGHT + ROW_HEIGHT / 2)
      .attr("text-anchor", "middle")
      .attr("dominant-baseline", "central")
      .text(words);
  }
}

/** On a ground of its own, as it lies over layers of all colors. */
function drawOther(group: Group, path: string): void {
  for (const part of ["other ground", "other"]) group.append("path").attr("class", part).attr("d", path);
}

/** On a ground of its own: the selected allocation has the color of the line. */
function drawChosen(group: Group, x: number, floor: number): void {
  for (const part of ["chosen ground", "chosen"])
    group.append("line").attr("class", part).attr("x1", x).attr("x2", x).attr("y1", MARGIN.top).attr("y2", floor);
}

type Side = "left" | "right";

/** Where a mark's words would lie. */
function wordsAt({ text }: Mark, x: number, side: Side): readonly [left: number, right: number] {
  const width = WORDS_GAP + textWidth(text);
  return side === "right" ? [x, x + width] : [x - width, x];
}

/** The side on which a mark's words lie over nothing; undefined where there is none. */
function sideFor(
  mark: Mark,
  x: number,
  width: number,
  taken: readonly (readonly [left: number, right: number])[],
): Side | undefined {
  return (["right", "left"] as const).find((side) => {
    const [left, right] = wordsAt(mark, x, side);
    return left >= 0 && right <= width && taken.every(([from, to]) => right <= from || left >= to);
  });
}

function drawMark(
  group: Group,
  { kind, text }: Mark,
  x: number,
  y: number,
  floor: number,
  side: Side | undefined,
): void {
  if (kind === "maximum") group.append("circle").attr("class", "maximum").attr("cx", x).attr("cy", y).attr("r", 4);
  else
    group
      .append("line")
      .attr("class", "oom")
      .attr("x1", x)
      .attr("x2", x)
      .attr("y1", MARGIN.top - 6)
      .attr("y2", floor);
  if (side === undefined) return;
  group
    .append("text")
    .attr("class", `${kind}-label`)
    .attr("x", side === "left" ? x - WORDS_GAP : x + WORDS_GAP)
    .attr("y", MARGIN.top - 9)
    .attr("text-anchor", side === "left" ? "end" : "start")
    .text(text);
}
