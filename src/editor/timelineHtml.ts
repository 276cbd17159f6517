/** The timeline page without its data, which comes by message only. */

import { type PageParts, pageHtml } from "./pageHtml.ts";

export interface TimelineHtmlParts extends PageParts {
  /** The run folder, or the trace file; the page hands it back in its saved state. */
  readonly folder: string;
}

const swatch = (look: string): string =>
  `<svg width="28" height="10" aria-hidden="true"><line class="series ${look}" x1="2" x2="26" y1="5" y2="5"/></svg>`;

export function timelineHtml(parts: TimelineHtmlParts): string {
  return page(parts, {
    title: "Memory Timeline",
    reading: "Reading the run…",
    linesHidden: "",
    legend: `<span>${swatch("rss")}Script (RSS)</span>
<span>${swatch("memAvailable")}Available on the board</span>
<span id="not-read" hidden>A gap in a line: not read</span>
<span id="keys">Arrow keys move the cursor, P goes to the peak, Enter to the line.</span>`,
  });
}

/** The same page for a torch.profiler trace, which has no lines to go to. */
export function traceHtml(parts: TimelineHtmlParts): string {
  return page(parts, {
    title: "PyTorch Profiler Trace",
    reading: "Reading the trace…",
    linesHidden: " hidden",
    legend: `<span>${swatch("allocated")}Allocated</span>
<span>${swatch("reserved")}Reserved by PyTorch, where the trace says it</span>
<span id="not-read" hidden>A gap in a line: not known</span>
<span id="keys">Arrow keys move the cursor, P goes to the peak.</span>`,
  });
}

interface Content {
  readonly title: string;
  readonly reading: string;
  /** Attribute of what only runs have. */
  readonly linesHidden: string;
  readonly legend: string;
}

function page(parts: TimelineHtmlParts, { title, reading, linesHidden, legend }: Content): string {
  return pageHtml(parts, {
    title,
    data: ["folder", parts.folder],
    body: `<h1 id="title">${title}</h1>
<div id="status" role="status">${reading}</div>
<div class="toolbar">
<div id="readout" aria-live="polite"></div>
<button id="go-to-line" disabled${linesHidden}>Go to Line</button>
<button id="go-to-peak" disabled>Show Peak</button>
</div>
<div id="plot" tabindex="0" role="application" aria-label="Memory over time" aria-describedby="keys">
<svg id="chart" aria-hidden="true"></svg>
</div>
<div class="legend">
${legend}
</div>
<div id="held"></div>
<details id="table"><summary>Show as Table</summary><div id="table-holder"></div></details>`,
  });
}
