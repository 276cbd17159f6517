/** The timeline page: takes the samples from the editor, draws them, and asks it to go to a line. */
import "./timeline.css";
import {
  type PageState,
  type Place,
  readPageState,
  readToPage,
  type Timeline,
  type ToEditor,
} from "../../src/protocol/timeline.ts";
import { byId } from "../dom.ts";
import { createChart } from "./chart.ts";
import { coverage, describe, inOrder, moveCursor, nearest, peakIndex } from "./series.ts";
import { samplesTable } from "./table.ts";

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

let timeline: Timeline | undefined;
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
  const place = timeline?.samples[index]?.at;
  if (place) goToPlace(place);
}

function showCursor(): void {
  const sample = timeline?.samples[index];
  chart.cursor(sample);
  readout.textContent = sample ? describe(sample) : "Point at the chart, or use the arrow keys, to read a moment.";
  goTo.disabled = sample?.at === undefined;
}

function setCursor(next: number): void {
  if (next === index) return;
  index = next;
  cursorTime = timeline?.samples[next]?.t;
  showCursor();
  saveState();
}

function drawTable(): void {
  const samples = timeline?.samples ?? [];
  const rows = tableBox.open ? [samplesTable(samples, peakIndex(samples), goToPlace)] : [];
  tableHolder.replaceChildren(...rows);
}

function drawChart(): void {
  if (!timeline) return;
  chart.draw(timeline, plot.clientWidth, plot.clientHeight);
  chart.cursor(timeline.samples[index]);
}

function show(next: Timeline): void {
  timeline = { ...next, samples: inOrder(next.samples) };
  const { samples } = timeline;
  document.body.classList.remove("unavailable");
  heading.textContent = timeline.title;
  status.textContent = timeline.finished ? "" : "The run goes on; new samples appear by themselves.";
  index = cursorTime === undefined ? -1 : nearest(samples, cursorTime);
  goToPeak.disabled = peakIndex(samples) === -1;
  notRead.hidden = coverage(samples, "rss") === "all" && coverage(samples, "memAvailable") === "all";
  drawChart();
  showCursor();
  drawTable();
}

window.addEventListener("message", (event: MessageEvent<unknown>) => {
  const message = readToPage(event.data);
  if (message?.kind === "timeline") show(message);
  if (message?.kind === "unavailable") {
    document.body.classList.toggle("unavailable", timeline === undefined);
    status.textContent = message.message;
  }
});

plot.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !timeline) return;
  if (event.key === "Enter") {
    goToCursor();
    return;
  }
  const { samples } = timeline;
  const next = moveCursor(event.key, index, samples.length, peakIndex(samples));
  if (next === undefined) return;
  event.preventDefault();
  setCursor(next);
});
goTo.addEventListener("click", goToCursor);
goToPeak.addEventListener("click", () => {
  if (timeline) setCursor(peakIndex(timeline.samples));
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
