/**
 * A family's rows as one picture (SVG): a panel for each row, a bar for each contestant, the spread as a whisker. It
 * brings its own background, in light and dark, as a page's picture does not know where it is shown.
 */
import { scaleLinear, scaleLog } from "d3-scale";
import { formatCount } from "../../src/profile/text/format.ts";
import { formatNumber, withUnit } from "./figures.ts";
import { type Figure, figureOf, judge, oursOf, shownAs } from "./judge.ts";
import type { Contestant, Goal, Row, Unit } from "./row.ts";
import { summary } from "./statistics.ts";

const WIDTH = 960;
const GAP = 28;
const MARGIN = 20;
const BAR = 14;
const PITCH = 24;
const HEAD = 54;
const AXIS = 26;
const LABEL = 168;
const FIGURE = 112;
/** Widths of a usual character, in a name and in a title. */
const CHARACTER = 6.3;
const BOLD = 7.8;
/** Factors beyond this are drawn on a logarithmic axis: else the small ones could not be seen. */
const LOG_FROM = 30;

export interface Panel {
  readonly row: Row;
  /** Index of the size of the work. */
  readonly size: number;
}

/** The sizes at which a row is judged, the first where it is not. */
export function panelsOf(rows: readonly Row[]): readonly Panel[] {
  return rows.flatMap((row) => {
    const sizes = [...new Set(judge(row).map(({ size }) => size))].sort((a, b) => a - b);
    return (sizes.length > 0 ? sizes : [0]).map((size) => ({ row, size }));
  });
}

export function chart(panels: readonly Panel[], title: string): string {
  const columns = panels.length > 1 ? 2 : 1;
  const width = (WIDTH - 2 * MARGIN - (columns - 1) * GAP) / columns;
  const parts: string[] = [];
  let top = MARGIN;
  for (let at = 0; at < panels.length; at += columns) {
    const line = panels.slice(at, at + columns);
    line.forEach((panel, column) => {
      const x = MARGIN + column * (width + GAP);
      parts.push(`<g transform="translate(${x} ${top})">${drawPanel(panel, width)}</g>`);
    });
    top += Math.max(...line.map(heightOf)) + GAP;
  }
  const height = top - GAP + MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${text(title)}">`,
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${WIDTH}" height="${height}" rx="8"/>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

interface Bar {
  readonly contestant: Contestant;
  readonly figure: Figure;
  readonly ours: "ours" | "of ours" | "peer";
}

/** The best one on top; what could not be run at the bottom. */
function barsOf({ row, size }: Panel): readonly Bar[] {
  const ours = oursOf(row);
  const sign = row.better === "less" ? 1 : -1;
  const sure = (figure: Figure) => (figure.kind === "none" ? Number.POSITIVE_INFINITY : sign * figure.summary.median);
  return row.contestants
    .map(
      (contestant) =>
        ({
          contestant,
          figure: figureOf(row, contestant, size),
          ours: contestant === ours ? "ours" : isOurs(contestant, ours) ? "of ours" : "peer",
        }) satisfies Bar,
    )
    .sort((a, b) => sure(a.figure) - sure(b.figure));
}

/** Another form of ours (without the accelerator, say) has its version. */
function isOurs(contestant: Contestant, ours: Contestant): boolean {
  return ours.version !== "" && contestant.version === ours.version;
}

function heightOf({ row }: Panel): number {
  return HEAD + row.contestants.length * PITCH + AXIS;
}

interface Axis {
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
  readonly log: boolean;
}

function drawPanel(panel: Panel, width: number): string {
  const { row, size } = panel;
  const bars = barsOf(panel);
  const bar = barOf(panel);
  const axis = axisOf(bars, bar?.value, width - LABEL - FIGURE);
  const bottom = HEAD + bars.length * PITCH;
  const about = [
    row.unit === "us" ? "µs" : row.unit,
    ...(row.work.sizes.length > 1 ? [`${formatCount(row.work.sizes[size] ?? 0)} ${row.work.unit}`] : []),
    `${row.better} is better`,
    ...(axis.log ? ["logarithmic"] : []),
  ];
  return [
    `<text class="title" y="14">${text(clipped(row.title, width / BOLD))}</text>`,
    `<text class="axis" y="31">${text(about.join(", "))}</text>`,
    ...axis.ticks.map((tick) => drawTick(tick, axis, bottom)),
    ...(bar === undefined ? [] : [drawGoal(bar, axis, bottom)]),
    ...bars.map((each, index) => drawBar(each, row.unit, axis, HEAD + index * PITCH)),
  ].join("");
}

function drawTick(tick: number, { at }: Axis, bottom: number): string {
  const x = (LABEL + at(tick)).toFixed(1);
  return `<line class="grid" x1="${x}" x2="${x}" y1="${HEAD - 4}" y2="${bottom}"/><text class="axis" text-anchor="middle" x="${x}" y="${bottom + 15}">${formatTick(tick)}</text>`;
}

/** Ticks are round: `0.1`, `20`, `1,000`. */
function formatTick(tick: number): string {
  return tick >= 1000 ? formatNumber(tick) : String(Number(tick.toPrecision(3)));
}

interface Line {
  readonly value: number;
  readonly word: string;
}

/** Where the goal of this panel lies on the axis, if it is one figure. */
function barOf({ row, size }: Panel): Line | undefined {
  const value = judge(row)
    .filter((judged) => judged.size === size)
    .map(({ goal }) => limitOf(row, goal, size))
    .find((limit) => limit !== undefined);
  return value === undefined ? undefined : { value, word: "goal" };
}

function limitOf(row: Row, goal: Goal, size: number): number | undefined {
  if (goal.kind === "ahead") return undefined;
  const bar = "atMost" in goal ? goal.atMost : goal.atLeast;
  if (goal.kind === "bound") return bar;
  const than = row.contestants.find(({ name }) => name === goal.than);
  const found = summary(than?.runs[size] ?? []);
  return found === undefined ? undefined : found.median * bar;
}

function drawGoal({ value, word }: Line, { at }: Axis, bottom: number): string {
  const x = (LABEL + at(value)).toFixed(1);
  return `<line class="goal" x1="${x}" x2="${x}" y1="${HEAD - 6}" y2="${bottom}"/><text class="goal-word" text-anchor="middle" x="${x}" y="${HEAD - 9}">${word}</text>`;
}

function drawBar({ contestant, figure, ours }: Bar, unit: Unit, { at }: Axis, top: number): string {
  const middle = top + PITCH / 2;
  const name = clipped(contestant.name, (LABEL - 10) / CHARACTER);
  const kind = ours === "ours" ? "ours" : ours === "of ours" ? "of-ours" : "peer";
  const label = `<text class="name ${kind}" text-anchor="end" x="${LABEL - 8}" y="${middle + 4}">${text(name)}<title>${text(contestant.name)}</title></text>`;
  if (figure.kind === "none")
    return `${label}<text class="axis said" x="${LABEL + 6}" y="${middle + 4}">could not be run</text>`;
  const noise = figure.kind === "below noise";
  const end = at(Math.max(0, shownAs(figure) ?? 0));
  const most = at(Math.max(0, figure.summary.median + figure.summary.spread));
  const whisker = [at(Math.max(0, figure.summary.median - figure.summary.spread)), most] as const;
  const value = noise ? `< ${withUnit(figure.noise, unit)}` : withUnit(figure.summary.median, unit);
  const after = LABEL + Math.max(end, noise ? end : most) + 6;
  return [
    label,
    `<rect class="bar ${kind}${noise ? " noise" : ""}" x="${LABEL}" y="${middle - BAR / 2}" width="${Math.max(end, 1.5).toFixed(1)}" height="${BAR}" rx="2"/>`,
    noise ? "" : drawWhisker(whisker, middle),
    `<text class="figure ${kind}" x="${after.toFixed(1)}" y="${middle + 4}">${text(value)}</text>`,
  ].join("");
}

function drawWhisker([from, to]: readonly [number, number], middle: number): string {
  if (to - from < 2) return "";
  const [a, b] = [(LABEL + from).toFixed(1), (LABEL + to).toFixed(1)];
  return `<path class="whisker" d="M${a} ${middle}H${b}M${a} ${middle - 3.5}v7M${b} ${middle - 3.5}v7"/>`;
}

function axisOf(bars: readonly Bar[], goal: number | undefined, width: number): Axis {
  const reaches = bars.flatMap(({ figure }) =>
    figure.kind === "none" ? [] : [shownAs(figure) ?? 0, figure.summary.median + figure.summary.spread],
  );
  const values = [...reaches, ...(goal === undefined ? [] : [goal])].filter((value) => value > 0);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (values.length === 0) return { at: () => 0, ticks: [0], log: false };
  if (most / least <= LOG_FROM) {
    const scale = scaleLinear([0, most], [0, width]).nice(4);
    return { at: scale, ticks: apart(scale.ticks(4), width), log: false };
  }
  // A bar's length says nothing on such an axis, but its end does: it begins a step below the least.
  const scale = scaleLog([10 ** Math.floor(Math.log10(least) - 0.3), most], [0, width]).clamp(true);
  const decades = scale.ticks().filter((tick) => Math.abs(Math.log10(tick) - Math.round(Math.log10(tick))) < 1e-9);
  return { at: (value) => (value <= 0 ? 0 : scale(value)), ticks: apart(decades, width), log: true };
}

/** As many of the ticks as leave a blank between their labels. */
function apart(ticks: readonly number[], width: number): readonly number[] {
  const widest = Math.max(...ticks.map((tick) => formatTick(tick).length + 1)) * CHARACTER;
  const each = Math.ceil((widest * (ticks.length - 1)) / width) || 1;
  return ticks.filter((_, at) => at % each === 0);
}

function clipped(words: string, most: number): string {
  return words.length <= most ? words : `${words.slice(0, Math.floor(most) - 1)}…`;
}

function text(words: string): string {
  return words.replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`);
}

// Ours is told by its hue and by its bold name, so that the hue is not needed; blue beside grey is told apart by all.
const STYLE = [
  "text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;fill:var(--ink)}",
  ":root{--page:#fff;--edge:#d9dfe6;--ink:#1f2933;--soft:#5f6b7a;--grid:#e6eaef;--ours:#0b6bcb;--of-ours:#8dbdec;--peer:#aab4c0;--whisker:#1f2933;--goal:#b3450b}",
  "@media (prefers-color-scheme:dark){:root{--page:#12171d;--edge:#2b333d;--ink:#e4e9ef;--soft:#98a4b3;--grid:#252d36;--ours:#4fa6f5;--of-ours:#2c5f92;--peer:#596574;--whisker:#e4e9ef;--goal:#f29559}}",
  ".page{fill:var(--page);stroke:var(--edge)}.title{font-size:13.5px;font-weight:600}.axis{font-size:11px;fill:var(--soft)}",
  // A figure stays legible where a line of the grid or the goal's crosses it.
  ".figure,.said{paint-order:stroke;stroke:var(--page);stroke-width:4px;stroke-linejoin:round}.figure{font-variant-numeric:tabular-nums}.name.ours,.figure.ours{font-weight:600}",
  ".grid{stroke:var(--grid)}.bar.ours{fill:var(--ours)}.bar.of-ours{fill:var(--of-ours)}.bar.peer{fill:var(--peer)}",
  ".bar.noise{fill-opacity:.25;stroke:var(--soft);stroke-dasharray:3 2}.whisker{stroke:var(--whisker);fill:none;stroke-width:1.2}",
  ".goal{stroke:var(--goal);stroke-dasharray:5 3;stroke-width:1.3}.goal-word{font-size:11px;fill:var(--goal)}",
].join("");
