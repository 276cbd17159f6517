/** The same samples as a table, for people who would rather read than look. */
import type { Place, Sample } from "../../src/protocol/timeline.ts";
import { figure, METRIC_NAMES, timeText } from "./series.ts";

const HEADINGS = ["Time", METRIC_NAMES.rss, METRIC_NAMES.memAvailable, "Line being executed"];

function row(sample: Sample, isPeak: boolean, onGoTo: (place: Place) => void): HTMLTableRowElement {
  const element = document.createElement("tr");
  const rss = figure(sample.rss) + (isPeak ? " (peak)" : "");
  for (const text of [timeText(sample.t), rss, figure(sample.memAvailable)]) element.insertCell().textContent = text;
  const cell = element.insertCell();
  const { at } = sample;
  if (!at) {
    cell.textContent = "not known";
    return element;
  }
  const button = document.createElement("button");
  button.className = "link";
  button.textContent = `${at.path}:${at.line}`;
  button.addEventListener("click", () => onGoTo(at));
  cell.append(button);
  return element;
}

/** A row for each sample; every text is set as text, never as markup. */
export function samplesTable(
  samples: readonly Sample[],
  peak: number,
  onGoTo: (place: Place) => void,
): HTMLTableElement {
  const table = document.createElement("table");
  table.createCaption().textContent = "Memory over the time of the run";
  const head = table.createTHead().insertRow();
  for (const text of HEADINGS) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = text;
    head.append(cell);
  }
  table.createTBody().append(...samples.map((sample, i) => row(sample, i === peak, onGoTo)));
  return table;
}
