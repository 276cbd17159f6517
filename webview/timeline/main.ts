/** The timeline page: takes a run or a trace from the editor, draws it, and asks it to go to a line. */
import "./timeline.css";
import {
  type PageState,
  type Place,
  readPageState,
  readToPage,
  type ToEditor,
  type ToPage,
  type TraceHeld,
} from "../../src/protocol/timeline.ts";
import { byId } from "../dom.ts";
import { createChart } from "./chart.ts";
import { runView } from "./runView.ts";
import { moveCursor, nearest } from "./series.ts";
import { heldDetails, traceView } from "./traceView.ts";
import type { View } from "./view.ts";

declare function acquireVsCodeApi(): {
  postMessage(message: ToEditor): void;
  getState(): unknown;
  setState(state: PageState): void;
};

const vscode = acquireVsCodeApi();
const folder = document.body.dataset["folder"] ?? "";

const heading = byId("title", HTMLElement);
const status = byId("status", HTMLElement);
const plot = byId("plot", HTMLElement);
const readout = byId("readout", HTMLElement);
const goTo = byId("go-to-line", HTMLButtonElement);
const goToPeak = byId("go-to-peak", HTMLButtonElement);
const notRead = byId("not-read", HTMLElement);
const tableBox = byId("table", HTMLDetailsElement);
const tableHolder = byId("table-holder", HTMLElement);
const heldBox = byId("held", HTMLElement);

let view: View | undefined;
let index = -1;

const saved = readPageState(vscode.getState());
// The cursor is kept as a time: the samples are thinned anew as a run goes on.
let cursorTime = saved?.folder === folder ? saved.cursor : undefined;
tableBox.open = saved?.folder === folder && saved.table === true;

const chart = createChart(byId("chart", SVGSVGElement), {
  onHover: (i) => setCursor(i),
  onPick: (i) => {
    setCursor(i);
    goToCursor();
  },
});

function saveState(): void {
  vscode.setState({
    folder,
    ...(cursorTime === undefined ? {} : { cursor: cursorTime }),
    ...(tableBox.open ? { table: true } : {}),
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
  readout.textContent =
    view === undefined || index < 0
      ? "Point at the chart, or use the arrow keys, to read a moment."
      : view.readout(index);
  goTo.disabled = view?.place(index) === undefined;
}

function setCursor(next: number): void {
  if (next === index) return;
  index = next;
  cursorTime = view?.chart.t[next];
  showCursor();
  saveState();
}

function drawTable(): void {
  tableHolder.replaceChildren(...(view !== undefined && tableBox.open ? [view.table(goToPlace)] : []));
}

function drawChart(): void {
  if (!view) return;
  chart.draw(view.chart, plot.clientWidth, plot.clientHeight);
  chart.cursor(index);
}

function show(next: View, held: readonly TraceHeld[]): void {
  view = next;
  document.body.classList.remove("unavailable");
  heading.textContent = view.title;
  status.textContent = view.status;
  index = cursorTime === undefined ? -1 : nearest(view.chart.t, cursorTime);
  goToPeak.disabled = view.peak === -1;
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
      document.body.classList.toggle("unavailable", view === undefined);
      status.textContent = message.message;
  }
}

plot.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !view) return;
  if (event.key === "Enter") {
    goToCursor();
    return;
  }
  const next = moveCursor(event.key, index, view.chart.t.length, view.peak);
  if (next === undefined) return;
  event.preventDefault();
  setCursor(next);
});
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
saveState();
vscode.postMessage({ kind: "ready" });
