/** The timeline page without its data, which comes by message only. */

import { t } from "../../words/t.ts";
import { type PageParts, pageHtml } from "../page/pageHtml.ts";

export interface TimelineHtmlParts extends PageParts {
  /** The run folder, or the trace file; the page hands it back in its saved state. */
  readonly folder: string;
}

const swatch = (look: string): string =>
  `<svg width="28" height="10" aria-hidden="true"><line class="series ${look}" x1="2" x2="26" y1="5" y2="5"/></svg>`;

export function timelineHtml(parts: TimelineHtmlParts): string {
  return page(parts, {
    title: t("Memory Timeline"),
    reading: t("Reading the run…"),
    legend: `<span>${swatch("rss")}<span id="memory-name">${t("Script (RSS)")}</span></span>
<span>${swatch("memAvailable")}${t("Available on the board")}</span>
<span id="not-read" hidden>${t("A gap in a line: not read")}</span>
<span id="keys">${t("Arrow keys move the cursor, P goes to the peak, Enter to the line, + and - zoom, 0 shows all.")}</span>`,
  });
}

/** The same page for a torch.profiler trace, which has no lines to go to. */
export function traceHtml(parts: TimelineHtmlParts): string {
  return page(parts, {
    title: t("PyTorch Profiler Trace"),
    reading: t("Reading the trace…"),
    legend: `<span>${swatch("allocated")}${t("Allocated")}</span>
<span>${swatch("reserved")}${t("Reserved by PyTorch, where the trace says it")}</span>
<span id="not-read" hidden>${t("A gap in a line: not known")}</span>
<span id="keys">${t("Arrow keys move the cursor, P goes to the peak, + and - zoom, 0 shows all.")}</span>`,
  });
}

interface Content {
  readonly title: string;
  readonly reading: string;
  readonly legend: string;
}

function page(parts: TimelineHtmlParts, { title, reading, legend }: Content): string {
  return pageHtml(parts, {
    title,
    data: ["folder", parts.folder],
    body: `<header><h1 id="title">${title}</h1></header>
<div id="status" role="status">${reading}</div>
<main id="content" hidden>
<div class="toolbar">
<div id="readout"></div>
<div class="buttons">
<button id="go-to-line" disabled>${t("Go to Line")}</button>
<button id="go-to-peak">${t("Show Peak")}</button>
<button id="zoom-in">${t("Zoom In")}</button>
<button id="zoom-out" disabled>${t("Zoom Out")}</button>
</div>
</div>
<div id="plot" tabindex="0" role="slider" aria-label="${t("Moment")}" aria-describedby="keys" aria-valuemin="0" aria-valuemax="0" aria-valuenow="0" aria-valuetext="${t("none yet")}">
<svg id="chart" aria-hidden="true"></svg>
</div>
<div class="legend">
${legend}
</div>
<div id="held"></div>
<details id="table"><summary>${t("Show as Table")}</summary><div id="table-holder"></div></details>
</main>`,
  });
}
