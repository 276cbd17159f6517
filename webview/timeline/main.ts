/** The timeline page: takes a run or a trace from the editor, draws it, and asks it to go to a line. */
import "./timeline.css";
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
const content = byId("content", HTMLElement);
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
  const said = view === undefined || index < 0 ? undefined : printable(view.readout(index));
  readout.textContent = said ?? t("Point at the chart, or use the arrow keys, to read a moment.");
  plot.setAttribute("aria-valuemax", String(Math.max(0, (view?.chart.t.length ?? 0) - 1)));
  plot.setAttribute("aria-valuenow", String(Math.max(0, index)));
  plot.setAttribute("aria-valuetext", said ?? t("none yet"));
  goTo.disabled = view?.place(index) === undefined;
  goTo.title = goTo.disabled ? t("Choose a moment whose line is known.") : "";
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
  content.hidden = false;
  heading.textContent = printable(view.title);
  status.textContent = printable(view.status);
  // The trace's page has no such legend.
  const memory = document.getElementById("memory-name");
  if (memory !== null && view.memory !== undefined) memory.textContent = printable(view.memory);
  index = cursorTime === undefined ? -1 : nearest(view.chart.t, cursorTime);
  goToPeak.hidden = view.peak === -1;
  const { t: moments } = view.chart;
  goTo.hidden = !moments.some((_, i) => next.place(i) !== undefined);
  tableBox.hidden = moments.length === 0;
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
useKeyboard();
explainTerms();
vscode.postMessage({ kind: "ready" });
