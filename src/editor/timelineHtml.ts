/** The timeline page without its data, which comes by message only. */

import { type PageParts, pageHtml } from "./pageHtml.ts";

export interface TimelineHtmlParts extends PageParts {
  /** The run folder; the page hands it back in its saved state. */
  readonly folder: string;
}

const swatch = (metric: string): string =>
  `<svg width="28" height="10" aria-hidden="true"><line class="series ${metric}" x1="2" x2="26" y1="5" y2="5"/></svg>`;

export function timelineHtml(parts: TimelineHtmlParts): string {
  return pageHtml(parts, {
    title: "Memory Timeline",
    data: ["folder", parts.folder],
    body: `<h1 id="title">Memory Timeline</h1>
<div id="status" role="status">Reading the run…</div>
<div class="toolbar">
<div id="readout" aria-live="polite"></div>
<button id="go-to-line" disabled>Go to Line</button>
<button id="go-to-peak" disabled>Show Peak</button>
</div>
<div id="plot" tabindex="0" role="application" aria-label="Memory over time" aria-describedby="keys">
<svg id="chart" aria-hidden="true"></svg>
</div>
<div class="legend">
<span>${swatch("rss")}Script (RSS)</span>
<span>${swatch("memAvailable")}Available on the board</span>
<span id="not-read" hidden>A gap in a line: not read</span>
<span id="keys">Arrow keys move the cursor, P goes to the peak, Enter to the line.</span>
</div>
<details id="table"><summary>Show as Table</summary><div id="table-holder"></div></details>`,
  });
}
