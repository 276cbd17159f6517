/** The page "Sweep": peaks over a grid of parameters, what fits, and every figure in a table. */
import { defined } from "../../src/profile/defined.ts";
import "./sweep.css";
import { formatBytes } from "../../src/profile/text/format.ts";
import { printable } from "../../src/profile/text/text.ts";
import {
  readSweepPageState,
  readToSweepPage,
  type SweepPageState,
  type SweepPageToEditor,
} from "../../src/protocol/sweep.ts";
import type { Figure, Sweep, SweepPoint } from "../../src/sweep/model.ts";
import { axes } from "../../src/sweep/values.ts";
import {
  AVAILABLE_MEANING,
  FIGURE_MEANINGS,
  FIGURE_NAMES,
  firstFigure,
  limitText,
  measuredFigures,
  missingRuns,
  STATE_WORDS,
} from "../../src/sweep/words.ts";
import { say, t } from "../../src/words/t.ts";
import { byId, element, svgElement } from "../dom.ts";
import { useKeyboard } from "../keyboard.ts";
import { showSimulated } from "../simulated.ts";
import { explainTerms } from "../terms.ts";
import { drawDots } from "./dotChart.ts";
import { drawLines, STYLES } from "./lineChart.ts";
import { markSign } from "./marks.ts";
import { pointsTable } from "./pointsTable.ts";
import { roomIsNear, type Series, seriesAlong } from "./series.ts";

declare function acquireVsCodeApi(): {
  postMessage(message: SweepPageToEditor): void;
  getState(): unknown;
  setState(state: SweepPageState): void;
};

const vscode = acquireVsCodeApi();
const id = document.body.dataset["sweep"] ?? "";
const status = byId("status", HTMLElement);
const plot = byId("plot", HTMLElement);
const axisSelect = byId("axis", HTMLSelectElement);
const picture = svgElement("svg", { "aria-hidden": "true" });

const readState = readSweepPageState(vscode.getState());
const saved = readState?.sweep === id ? readState : undefined;
let shown: Sweep | undefined;
let wantedFigure = saved?.figure;
let wantedAxis = saved?.axis;

const figureOf = (sweep: Sweep): Figure => {
  const known = measuredFigures(sweep);
  return wantedFigure !== undefined && known.includes(wantedFigure) ? wantedFigure : firstFigure(sweep);
};

function axisOf(sweep: Sweep): string | undefined {
  const names = axes(sweep.parameters).map(({ name }) => name);
  return names.find((name) => name === wantedAxis) ?? names[0];
}

function saveState(): void {
  vscode.setState({
    sweep: id,
    ...defined({ figure: wantedFigure, axis: wantedAxis }),
  });
}

function draw(): void {
  const width = plot.clientWidth;
  if (shown === undefined || width === 0) return;
  const figure = figureOf(shown);
  const axis = axisOf(shown);
  const known = shown.rooms[figure];
  const room = roomIsNear(known, shown.points, figure) ? known.bytes : undefined;
  if (axis === undefined) drawDots(picture, { points: shown.points, figure, room }, width);
  else drawLines(picture, { series: seriesAlong(shown, axis, figure), axis, room }, width);
}

function showFigure(sweep: Sweep): void {
  const figure = figureOf(sweep);
  const axis = axisOf(sweep);
  byId("meaning", HTMLElement).textContent = say(FIGURE_MEANINGS[figure]);
  const series = axis === undefined ? [] : seriesAlong(sweep, axis, figure);
  byId("legend", HTMLElement).replaceChildren(...legendOf(sweep, figure, series));
  byId("room", HTMLElement).textContent = printable(roomText(sweep, figure));
  draw();
}

function roomText(sweep: Sweep, figure: Figure): string {
  const room = sweep.rooms[figure];
  if (room === undefined)
    return sweep.board === undefined ? t("How much memory there was is not known.") : say(AVAILABLE_MEANING);
  const [size, how] = [formatBytes(room.bytes), printable(room.how)];
  return roomIsNear(room, sweep.points, figure)
    ? t("The dashed line: {0} {1}.", size, how)
    : t("Far above what is drawn: {0} {1}.", size, how);
}

function legendOf(sweep: Sweep, figure: Figure, series: readonly Series[]): HTMLElement[] {
  const states = [...new Set(sweep.points.filter(({ peaks }) => peaks[figure]).map(({ state }) => state))];
  const lines = series.flatMap(({ name, marks }, i) =>
    name === "" || marks.length === 0 ? [] : [{ name, style: i % STYLES }],
  );
  const item = (sign: Element, text: string): HTMLElement => {
    const made = element("li");
    made.append(sign, text);
    return made;
  };
  const estimated = series.some(({ estimate }) => estimate?.kind === "fits-up-to");
  return [
    ...lines.map(({ name, style }) => item(lineSign(style), printable(name))),
    ...states.map((state: SweepPoint["state"]) => item(markSign(state), legendWords(state))),
    ...(estimated ? [item(element("span", "▼", { "aria-hidden": "true" }), t("largest that fits, estimated"))] : []),
  ];
}

const legendWords = (state: SweepPoint["state"]): string =>
  state === "out-of-memory" ? t("out of memory, at what had been seen by then") : say(STATE_WORDS[state]);

function lineSign(style: number): SVGSVGElement {
  const sign = svgElement("svg", { class: "key wide", viewBox: "0 -8 32 16", "aria-hidden": "true" });
  sign.append(svgElement("path", { class: `series s${style}`, d: "M0 0H32" }));
  return sign;
}

function showChoices(sweep: Sweep): void {
  const figures = byId("figures", HTMLElement);
  const current = figureOf(sweep);
  const choices = measuredFigures(sweep).map((figure) => {
    const input = element("input", "", { type: "radio", name: "figure", value: figure });
    input.checked = figure === current;
    input.addEventListener("change", () => {
      wantedFigure = figure;
      saveState();
      showFigure(sweep);
    });
    const label = element("label");
    label.append(input, element("span", say(FIGURE_NAMES[figure])));
    return label;
  });
  figures.replaceChildren(element("legend", t("Memory")), ...choices);
  const names = axes(sweep.parameters).map(({ name }) => name);
  byId("axis-label", HTMLElement).hidden = names.length < 2;
  axisSelect.replaceChildren(...names.map((name) => element("option", printable(name), { value: name })));
  axisSelect.value = axisOf(sweep) ?? "";
}

function showLimits({ limits, notes, points, board }: Sweep, making: string | undefined): void {
  const items = limits.map((limit) => {
    const [first = "", ...rest] = limitText(limit).map((text) => printable(text));
    const item = element("li");
    item.append(element("strong", first), ...rest.map((text) => element("p", text)));
    return item;
  });
  const none =
    board === undefined
      ? t("No parameter of this sweep has several numbers, so there is no largest one. The points below say which fit.")
      : t("The points below say what the script came to on each board.");
  byId("limits", HTMLElement).replaceChildren(...(items.length === 0 ? [element("li", none)] : items));
  byId("notes", HTMLElement).replaceChildren(...notes.map((note) => element("li", printable(note))));
  const missing = missingRuns({ points });
  byId("missing", HTMLElement).hidden = missing === 0 || making !== undefined;
  byId("missing-words", HTMLElement).textContent =
    missing === 1 ? t("1 run is missing.") : t("{0} runs are missing.", missing);
}

function show(sweep: Sweep, making: string | undefined): void {
  shown = sweep;
  byId("title", HTMLElement).textContent = t("Sweep of {0}", printable(sweep.title));
  showSimulated(sweep.simulated ? t("no real board") : undefined);
  const runs = sweep.points.reduce((count, { folders }) => count + folders.length, 0);
  const facts = [sweep.target, t("{0} points, {1} runs", sweep.points.length, runs), sweep.id];
  byId("about", HTMLElement).textContent = facts
    .flatMap((fact) => (fact === undefined ? [] : printable(fact)))
    .join(" · ");
  status.textContent = making === undefined ? "" : t("Under way: {0}", printable(making));
  showLimits(sweep, making);
  showChoices(sweep);
  byId("points", HTMLElement).replaceChildren(
    pointsTable(sweep, (folder) => vscode.postMessage({ kind: "openRun", folder })),
  );
  byId("content", HTMLElement).hidden = false;
  showFigure(sweep);
}

window.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  const message = readToSweepPage(data);
  if (message?.kind === "sweep") show(message.sweep, message.making);
  else if (message?.kind === "unavailable") status.textContent = printable(message.message);
});
axisSelect.addEventListener("change", () => {
  wantedAxis = axisSelect.value;
  saveState();
  if (shown !== undefined) showFigure(shown);
});
byId("resume", HTMLElement).addEventListener("click", () => vscode.postMessage({ kind: "resume" }));
plot.append(picture);
new ResizeObserver(draw).observe(plot);
saveState();
explainTerms();
useKeyboard();
vscode.postMessage({ kind: "ready" });
