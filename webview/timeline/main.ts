/** The timeline page: takes a run or a trace from the editor, draws it, and asks it to go to a line. */
import { defined } from "../../src/profile/defined.ts";
import "./timeline.css";
import type { TimeRange } from "../../src/profile/samples/samples.ts";
import { printable } from "../../src/profile/text/text.ts";
import {
  type PageState,
  type Place,
  readPageState,
  readToPage,
  type ToEditor,
  type ToPage,
  type TraceHeld,
} from "../../src/protocol/timeline.ts";
import { t } from "../../src/words/t.ts";
import { byId } from "../dom.ts";
import { useKeyboard } from "../keyboard.ts";
import { explainTerms } from "../terms.ts";
import { createChart, wholeTime } from "./chart.ts";
import { runView } from "./runView.ts";
import { moveCursor, nearest } from "./series.ts";
import { heldDetails, traceView } from "./traceView.ts";
import type { View } from "./view.ts";
import { including, STEP, zoomed } from "./zoom.ts";

declare function acquireVsCodeApi(): {
  postMessage(message: ToEditor): void;
  getState(): unknown;
  setState(state: PageState): void;
};

const vscode = acquireVsCodeApi();
const folder = document.body.dataset["folder"] ?? "";

const heading = byId("title", HTMLElement);
const status = byId("status", HTMLElement);
const content = byId("content", HTMLElement);
const plot = byId("plot", HTMLElement);
const readout = byId("readout", HTMLElement);
const goTo = byId("go-to-line", HTMLButtonElement);
const goToPeak = byId("go-to-peak", HTMLButtonElement);
const zoomIn = byId("zoom-in", HTMLButtonElement);
const zoomOut = byId("zoom-out", HTMLButtonElement);
const notRead = byId("not-read", HTMLElement);
const tableBox = byId("table", HTMLDetailsElement);
const tableHolder = byId("table-holder", HTMLElement);
const heldBox = byId("held", HTMLElement);

let view: View | undefined;
let index = -1;
/** What is drawn of the time; undefined: all of it. */
let range: TimeRange | undefined;

const saved = readPageState(vscode.getState());
if (saved?.folder === folder) range = saved.zoom;
// The cursor is kept as a time: the samples are thinned anew as a run goes on.
let cursorTime = saved?.folder === folder ? saved.cursor : undefined;
tableBox.open = saved?.folder === folder && saved.table === true;

const chart = createChart(byId("chart", SVGSVGElement), {
  // What follows the pointer never moves what it points at.
  onHover: (i) => setCursor(i, "still"),
  onPick: (i) => {
    setCursor(i);
    goToCursor();
  },
  onZoom: zoom,
});

/** @param at where the time stands still: at the cursor where it is in sight, else in the middle */
function zoom(isIn: boolean, at?: number): void {
  if (view === undefined) return;
  const whole = wholeTime(view.chart);
  const shown = range ?? whole;
  const inSight = cursorTime !== undefined && cursorTime >= shown.from && cursorTime <= shown.until;
  const centre = at ?? (inSight ? cursorTime : undefined) ?? (shown.from + shown.until) / 2;
  showRange(zoomed(shown, whole, isIn ? STEP : 1 / STEP, centre));
}

function showRange(next: TimeRange | undefined): void {
  range = next;
  // A long run came thinned: of what is looked at there is more.
  vscode.postMessage({ kind: "zoom", ...defined({ range }) });
  saveState();
  showZoom();
}

function showZoom(): void {
  zoomOut.disabled = range === undefined;
  zoomOut.title = range === undefined ? t("The whole time is already shown.") : "";
  drawChart();
}

function saveState(): void {
  vscode.setState({
    folder,
    ...defined({ cursor: cursorTime }),
    ...(tableBox.open ? { table: true } : {}),
    ...defined({ zoom: range }),
  });
}

function goToPlace(place: Place): void {
  vscode.postMessage({ kind: "goTo", place });
}

function goToCursor(): void {
  const place = view?.place(index);
  if (place) goToPlace(place);
}

function showCursor(): void {
  chart.cursor(index);
  const said = view === undefined || index < 0 ? undefined : printable(view.readout(index));
  readout.textContent = said ?? t("Point at the chart, or use the arrow keys, to read a moment.");
  plot.setAttribute("aria-valuemax", String(Math.max(0, (view?.chart.t.length ?? 0) - 1)));
  plot.setAttribute("aria-valuenow", String(Math.max(0, index)));
  plot.setAttribute("aria-valuetext", said ?? t("none yet"));
  goTo.disabled = view?.place(index) === undefined;
  goTo.title = goTo.disabled ? t("Choose a moment whose line is known.") : "";
}

function setCursor(next: number, time: "follows" | "still" = "follows"): void {
  if (next === index) return;
  index = next;
  cursorTime = view?.chart.t[next];
  if (time === "follows" && view !== undefined && range !== undefined && cursorTime !== undefined) {
    const moved = including(range, wholeTime(view.chart), cursorTime);
    if (moved !== range) showRange(moved);
  }
  showCursor();
  saveState();
}

function drawTable(): void {
  tableHolder.replaceChildren(...(view !== undefined && tableBox.open ? [view.table(goToPlace)] : []));
}

function drawChart(): void {
  if (!view) return;
  const drawn = range === undefined ? view.chart : { ...view.chart, range };
  chart.draw(drawn, plot.clientWidth, plot.clientHeight);
  chart.cursor(index);
}

function show(next: View, held: readonly TraceHeld[]): void {
  view = next;
  content.hidden = false;
  heading.textContent = printable(view.title);
  status.textContent = printable(view.status);
  // The trace's page has no such legend.
  const memory = document.getElementById("memory-name");
  if (memory !== null && view.memory !== undefined) memory.textContent = printable(view.memory);
  index = cursorTime === undefined ? -1 : nearest(view.chart.t, cursorTime);
  goToPeak.hidden = view.peak === -1;
  const { t: moments } = view.chart;
  const { from, until } = wholeTime(view.chart);
  // Kept from before, and of a run that has another time now.
  if (range !== undefined && (range.from < from || range.until > until)) showRange(undefined);
  goTo.hidden = !moments.some((_, i) => next.place(i) !== undefined);
  tableBox.hidden = moments.length === 0;
  zoomIn.hidden = moments.length < 2;
  zoomOut.hidden = zoomIn.hidden;
  notRead.hidden = !view.hasGaps;
  heldBox.replaceChildren(...(held.length === 0 ? [] : [heldDetails(held)]));
  drawChart();
  showCursor();
  drawTable();
}

window.addEventListener("message", (event: MessageEvent<unknown>) => {
  const message = readToPage(event.data);
  if (message !== undefined) take(message);
});

function take(message: ToPage): void {
  switch (message.kind) {
    case "timeline":
      show(runView(message), []);
      break;
    case "trace":
      show(traceView(message), message.held);
      break;
    case "unavailable":
      status.textContent = printable(message.message);
  }
}

plot.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !view) return;
  if (event.key === "Enter") {
    goToCursor();
    return;
  }
  if (event.key === "+" || event.key === "-") {
    zoom(event.key === "+");
    return;
  }
  if (event.key === "0" || (event.key === "Escape" && range !== undefined)) {
    showRange(undefined);
    return;
  }
  const next = moveCursor(event.key, index, view.chart.t.length, view.peak);
  if (next === undefined) return;
  event.preventDefault();
  setCursor(next);
});
zoomIn.addEventListener("click", () => zoom(true));
zoomOut.addEventListener("click", () => zoom(false));
goTo.addEventListener("click", goToCursor);
goToPeak.addEventListener("click", () => {
  if (view) setCursor(view.peak);
  plot.focus();
});
tableBox.addEventListener("toggle", () => {
  drawTable();
  saveState();
});
new ResizeObserver(drawChart).observe(plot);

showCursor();
if (range === undefined) showZoom();
else showRange(range);
saveState();
useKeyboard(plot);
explainTerms();
vscode.postMessage({ kind: "ready" });
