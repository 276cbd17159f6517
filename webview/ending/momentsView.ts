/** The last moments in a sentence, a chart and a table. */
import type { CodePlace, LastMoment } from "../../src/board/ending/model.ts";
import { printable } from "../../src/profile/text/text.ts";
import { t } from "../../src/words/t.ts";
import { button, element, svgElement } from "../dom.ts";
import { beforeEnd, courseText, figure, readMetrics } from "./moments.ts";
import { drawMoments } from "./momentsChart.ts";

export function momentsBox(moments: readonly LastMoment[], goTo: (place: CodePlace) => void): HTMLElement {
  const box = element("div", "", { class: "moments" });
  const text = courseText(moments);
  box.append(element("p", text === "" ? t("Nothing could be read in them.") : text));
  if (readMetrics(moments).length > 0) box.append(chart(moments), legend(moments));
  const fold = element("details");
  const holder = element("div", "", { class: "scroll" });
  holder.append(table(moments, goTo));
  fold.append(element("summary", t("Show as Table")), holder);
  box.append(fold);
  return box;
}

function chart(moments: readonly LastMoment[]): HTMLElement {
  const plot = element("div", "", { class: "plot" });
  const svg = svgElement("svg", { "aria-hidden": "true" });
  plot.append(svg);
  new ResizeObserver(() => drawMoments(svg, moments, plot.clientWidth)).observe(plot);
  return plot;
}

function legend(moments: readonly LastMoment[]): HTMLElement {
  const list = element("ul", "", { class: "legend" });
  for (const { metric, name } of readMetrics(moments)) {
    const item = element("li");
    const swatch = svgElement("svg", { class: "stroke", viewBox: "0 0 28 10", "aria-hidden": "true" });
    swatch.append(svgElement("path", { class: `series ${metric}`, d: "M2 5H26" }));
    item.append(swatch, name);
    list.append(item);
  }
  return list;
}

function table(moments: readonly LastMoment[], goTo: (place: CodePlace) => void): HTMLTableElement {
  const metrics = readMetrics(moments);
  const made = element("table");
  made.append(element("caption", t("Memory in the last moments"), { class: "unseen" }));
  const head = made.createTHead().insertRow();
  for (const text of [t("When"), ...metrics.map(({ name }) => name), t("Line being executed")])
    head.append(element("th", text, { scope: "col" }));
  const body = made.createTBody();
  for (const moment of moments) {
    const row = body.insertRow();
    const cells = [beforeEnd(moment, moments), ...metrics.map(({ metric }) => figure(moment[metric]))];
    row.append(...cells.map((text) => element("td", text, { class: "number" })));
    const { at } = moment;
    if (at === undefined) row.insertCell().textContent = t("not known");
    else row.insertCell().append(button(printable(`${at.path}:${at.line}`), () => goTo(at), { class: "link" }));
  }
  return made;
}
