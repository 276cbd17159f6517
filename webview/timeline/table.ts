/** The same samples as a table, for people who would rather read than look. */
import { printable } from "../../src/profile/text/text.ts";
import type { Place, Sample } from "../../src/protocol/timeline.ts";
import { t } from "../../src/words/t.ts";
import { figure, METRIC_NAMES, timeText } from "./series.ts";

/** The sample of the highest RSS, and the run's peak. */
export interface PeakSample {
  readonly index: number;
  readonly bytes: number | undefined;
}

function rssText({ rss }: Sample, peak: PeakSample | undefined): string {
  if (peak === undefined) return figure(rss);
  const [here, most] = [figure(rss), figure(peak.bytes)];
  return here === most ? t("peak {0}", here) : t("{0}, peak {1}", here, most);
}

function row(sample: Sample, peak: PeakSample | undefined, onGoTo: (place: Place) => void): HTMLTableRowElement {
  const element = document.createElement("tr");
  const rss = rssText(sample, peak);
  for (const text of [timeText(sample.t), rss, figure(sample.memAvailable)]) {
    const cell = element.insertCell();
    cell.className = "figure";
    cell.textContent = text;
  }
  const cell = element.insertCell();
  const { at } = sample;
  if (!at) {
    cell.textContent = t("not known");
    return element;
  }
  const button = document.createElement("button");
  button.className = "link";
  button.textContent = printable(`${at.path}:${at.line}`);
  button.addEventListener("click", () => onGoTo(at));
  cell.append(button);
  return element;
}

/**
 * A row for each sample; every text is set as text, never as markup.
 * @param memory the heading of `rss`
 */
export function samplesTable(
  samples: readonly Sample[],
  peak: PeakSample | undefined,
  memory: string,
  onGoTo: (place: Place) => void,
): HTMLTableElement {
  const table = document.createElement("table");
  table.createCaption().textContent = t("Memory over the time of the run");
  const head = table.createTHead().insertRow();
  const headings = [t("Time"), memory, METRIC_NAMES.memAvailable(), t("Line being executed")];
  for (const [i, text] of headings.entries()) {
    const cell = document.createElement("th");
    cell.scope = "col";
    if (i < headings.length - 1) cell.className = "figure";
    cell.textContent = printable(text);
    head.append(cell);
  }
  table.createTBody().append(...samples.map((sample, i) => row(sample, i === peak?.index ? peak : undefined, onGoTo)));
  return table;
}
