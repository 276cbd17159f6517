/** A sweep for the terminal: a table, a plot of bars, and what fits. */
import { formatBytes, formatDuration, orUnknown } from "../../profile/text/format.ts";
import { aligned } from "../../profile/text/table.ts";
import { printable } from "../../profile/text/text.ts";
import type { Figure, Room, Sweep, SweepPoint } from "../../sweep/model.ts";
import { axes, sameValues, valuesText, without } from "../../sweep/values.ts";
import {
  AVAILABLE_MEANING,
  FIGURE_MEANINGS,
  FIGURE_NAMES,
  firstFigure,
  isRepeated,
  limitText,
  measuredFigures,
  peakText,
  STATE_WORDS,
  spreadText,
  stateDetail,
} from "../../sweep/words.ts";
import { say, t } from "../../words/t.ts";

/** @param columns of the terminal */
export function sweepText(sweep: Sweep, columns: number): string {
  const parts = [
    ...heading(sweep),
    "",
    ...table(sweep),
    "",
    ...plot(sweep, firstFigure(sweep), columns),
    ...sweep.limits.flatMap((limit) => ["", ...limitText(limit)]),
    ...(sweep.notes.length === 0 ? [] : ["", ...sweep.notes.map((note) => t("Note: {0}", note))]),
  ];
  return `${parts.map(printable).join("\n")}\n`;
}

function heading({ title, target, id }: Sweep): string[] {
  return [[t("Sweep"), id, title, target].filter((fact) => fact !== undefined).join(" · ")];
}

function table(sweep: Sweep): string[] {
  const figures = measuredFigures(sweep);
  const repeated = isRepeated(sweep);
  const head = [
    ...sweep.parameters.map(({ name }) => name),
    ...figures.flatMap((figure) => [say(FIGURE_NAMES[figure]), ...(repeated ? [t("Spread")] : [])]),
    ...(sweep.board === undefined ? [] : [t("Available before")]),
    ...(repeated ? [t("Runs")] : []),
    t("Time"),
    t("Outcome"),
  ];
  const rows = sweep.points.map((point) => [
    ...sweep.parameters.map(({ name }) => point.values[name] ?? ""),
    ...figures.flatMap((figure) => [peakText(point, figure), ...(repeated ? [spreadText(point.peaks[figure])] : [])]),
    ...(sweep.board === undefined ? [] : [orUnknown(point.available, formatBytes)]),
    ...(repeated ? [t("{0} of {1}", point.folders.length, sweep.repeat)] : []),
    orUnknown(point.elapsedMs?.median, formatDuration),
    [say(STATE_WORDS[point.state]), stateDetail(point)].filter(Boolean).join(": "),
  ]);
  return [
    ...aligned([head, ...rows], head.length - 1),
    ...figures.map((one) => `${say(FIGURE_NAMES[one])}: ${say(FIGURE_MEANINGS[one])}`),
    ...(sweep.board === undefined ? [] : [say(AVAILABLE_MEANING)]),
  ];
}

const LEAST_BAR = 20;
const MOST_BAR = 60;
/** A room beyond so many times the highest peak would leave the bars too short to be compared. */
const FAR = 4;

/** A bar for each point, grouped by the other parameters; the room is a dotted line down the bars. */
function plot(sweep: Sweep, figure: Figure, columns: number): string[] {
  const highest = Math.max(0, ...sweep.points.map(({ peaks }) => peaks[figure]?.median ?? 0));
  if (highest === 0) return [t("No run has a peak to plot.")];
  const room = sweep.rooms[figure];
  const axis = axes(sweep.parameters)[0];
  const label = (point: SweepPoint) =>
    axis === undefined ? valuesText(point.values) : (point.values[axis.name] ?? "");
  const labels = Math.max(...sweep.points.map((point) => label(point).length));
  const width = Math.min(MOST_BAR, Math.max(LEAST_BAR, columns - labels - 40));
  const near = room !== undefined && room.bytes <= FAR * highest;
  const scale = width / (near ? Math.max(room.bytes, highest) : highest);
  const bar = (point: SweepPoint): string => {
    const length = Math.round((point.peaks[figure]?.median ?? 0) * scale);
    const cells = "█"
      .repeat(length)
      .padEnd(width + 1)
      .split("");
    if (near) cells[Math.min(width, Math.round(room.bytes * scale))] = "┊";
    const state = point.state === "fits" ? "" : ` ${say(STATE_WORDS[point.state])}`;
    const figures = point.peaks[figure] === undefined ? "" : ` ${peakText(point, figure)}`;
    return `  ${label(point).padStart(labels)} ${cells.join("")}${figures}${state}`.trimEnd();
  };
  const groups = axis === undefined ? [sweep.points] : grouped(sweep.points, axis.name);
  return [
    `${say(FIGURE_NAMES[figure])}${axis === undefined ? "" : t(" by {0}", axis.name)}`,
    ...groups.flatMap((points) => {
      const others =
        axis === undefined || points[0] === undefined ? "" : valuesText(without(points[0].values, axis.name));
      return [...(others === "" ? [] : [others]), ...points.map(bar)];
    }),
    ...roomText(sweep, room, near),
  ];
}

function roomText({ board }: Sweep, room: Room | undefined, near: boolean): string[] {
  if (room !== undefined) {
    return [`${near ? "┊ " : t("Further right than the bars reach: ")}${formatBytes(room.bytes)} ${room.how}.`];
  }
  return board === undefined ? [t("How much memory there was is not known.")] : [];
}

/** Points whose other parameters are the same, in the order of the first of them. */
function grouped(points: readonly SweepPoint[], name: string): SweepPoint[][] {
  const groups: SweepPoint[][] = [];
  for (const point of points) {
    const own = groups.find(([first]) => first && sameValues(without(first.values, name), without(point.values, name)));
    if (own === undefined) groups.push([point]);
    else own.push(point);
  }
  return groups;
}
