/** The snapshot page without its data, which comes by message only. */
import { t } from "../../../words/t.ts";
import { type PageParts, pageHtml } from "../../page/pageHtml.ts";

export interface SnapshotHtmlParts extends PageParts {
  /** What the page shows, for the page's saved state. */
  readonly source: string;
}

const toolbar = (): string => `<div class="bar" id="tools">
<label id="device-choice">${t("Device")} <select id="device"></select></label>
<span class="buttons" id="moments"><button id="to-maximum" title="${t("The moment at which the most was held (M)")}">${t("Maximum")}</button><button id="to-oom" title="${t("The next request that could not be met (N)")}" hidden>${t("Out of Memory")}</button><button id="to-end" title="${t("When the snapshot was taken (End)")}">${t("End")}</button></span>
<label id="axis-choice">${t("Across")} <select id="axis"><option value="events">${t("by event")}</option><option value="time">${t("by time")}</option></select></label>
<span class="buttons" id="zooms"><button id="closer" title="${t("Shows fewer events (+)")}">${t("Zoom In")}</button><button id="all" title="${t("Shows all events (0)")}">${t("Show All")}</button></span>
<button id="compare" title="${t("Draws what another snapshot held over this one, and lists the lines that differ")}">${t("Compare with Snapshot…")}</button>
<span class="search"><input type="search" id="search" placeholder="${t("Search lines")}" aria-label="${t("Search lines and functions")}" spellcheck="false" maxlength="200"><output id="matches" for="search"></output></span>
</div>`;

const memory = (): string => `<section id="memory" aria-labelledby="memory-title">
<div class="bar"><h2 id="memory-title">${t("Active memory over time")}</h2><span class="quiet" id="memory-about"></span></div>
<div id="plot" tabindex="0" role="slider" aria-label="${t("Moment")}" aria-describedby="keys" aria-valuemin="0" aria-valuemax="0" aria-valuenow="0" aria-valuetext="${t("none yet")}" aria-busy="true"><canvas id="layers" aria-hidden="true"></canvas><svg id="marks" aria-hidden="true"></svg><div id="layer-tip" class="tip" aria-hidden="true" hidden></div></div>
</section>`;

const compared = (): string => `<section id="compared" aria-labelledby="compared-title" hidden>
<div class="bar"><h2 id="compared-title"></h2><button id="stop-comparing">${t("Stop Comparing")}</button></div>
<p id="compared-text" aria-live="polite"></p>
<details id="compared-lines" open><summary>${t("What each line held at the maximum of both")}</summary><table><caption class="unseen">${t("What each line held at the maximum of both snapshots, the greatest difference first")}</caption><thead><tr><th scope="col" class="figure">${t("More here")}</th><th scope="col" class="figure">${t("Here")}</th><th scope="col" class="figure">${t("There")}</th><th scope="col">${t("Line")}</th></tr></thead><tbody id="compared-rows"></tbody></table><p class="quiet">${t("Lines are told by file and number: after an edit above it, a line of the older source stands for itself.")}</p></details>
</section>`;

const state = (): string => `<section id="state" aria-labelledby="state-title">
<h2 id="state-title">${t("Allocator state")}</h2>
<p id="state-text"></p>
<div class="bar" id="state-legend"><span class="key"><i class="swatch waiting"></i>${t("Awaiting another stream")}</span><span class="key"><i class="swatch free"></i>${t("Free")}</span></div>
<div id="map" tabindex="0" role="application" aria-label="${t("Map of segments, a row each")}" aria-describedby="map-spot" aria-busy="true"><canvas id="map-canvas" aria-hidden="true"></canvas><div id="map-space"></div></div>
<p id="map-spot" class="quiet" aria-live="polite">${t("Blocks have the colors of their lines. A click, or the arrow keys, choose one.")}</p>
</section>`;

const stacks = (): string => `<section id="stacks" aria-labelledby="stacks-title">
<div class="bar"><h2 id="stacks-title">${t("Live memory by stack")}</h2><label class="check" title="${t("Leaves out PyTorch's own C++ functions in stacks that have lines of Python.")}"><input type="checkbox" id="fold" checked> ${t("Hide C++ Frames")}</label></div>
<div id="way"><button id="reset" title="${t("Shows the whole graph (Escape)")}">${t("Reset Zoom")}</button><nav aria-label="${t("Zoom path")}"><ol id="breadcrumb"></ol></nav></div>
<div id="graph" tabindex="0" role="application" aria-label="${t("Flame graph of live bytes")}" aria-describedby="keys" aria-busy="true"><canvas id="canvas" aria-hidden="true"></canvas><div id="tooltip" class="tip" aria-hidden="true" hidden></div><p id="empty" hidden>${t("Nothing is held at this moment.")}</p></div>
</section>`;

const keys = (): string =>
  t(
    "In the chart, a click chooses the moment and the allocation under the pointer, dragging moves, Ctrl and the wheel zoom. Left and Right go from event to event, with Shift in greater steps, Up and Down through the allocations, Home and End to the ends, M to the maximum, N to the next request that could not be met, + and - zoom, 0 shows all, Enter opens the line. In the flame graph, a double-click or Enter zooms, Escape resets, O opens the line.",
  );

const largest = (): string =>
  `<details id="largest"><summary>${t("Largest blocks at this moment, as a table")}</summary><table><caption class="unseen">${t("Largest blocks in use at the chosen moment")}</caption><thead><tr><th scope="col" class="figure">${t("Size")}</th><th scope="col">${t("Line")}</th><th scope="col">${t("State")}</th></tr></thead><tbody id="largest-rows"></tbody></table></details>`;

export function snapshotHtml(parts: SnapshotHtmlParts): string {
  return pageHtml(parts, {
    title: t("Allocator Snapshot"),
    data: ["source", parts.source],
    body: `<header><h1 id="title">${t("Allocator Snapshot")}</h1><span id="about"></span><button id="again" hidden>${t("Try Again")}</button><details id="notes" hidden><summary id="notes-title"></summary><ul id="notes-list"></ul></details></header>
<div id="status" role="status">${t("Reading the snapshot…")}</div>
<main id="content" hidden>
<section id="sums" aria-labelledby="sums-title"><h2 id="sums-title">${t("When the snapshot was taken")}</h2><dl id="totals"></dl></section>
${toolbar()}
${memory()}
<p id="moment"></p>
<div id="legend"></div>
${compared()}
<div id="split">
${state()}
${stacks()}
</div>
<section id="chosen" aria-labelledby="chosen-title"><h2 id="chosen-title">${t("Selected")}</h2><div id="details" aria-live="polite"></div></section>
${largest()}
<details id="help"><summary>${t("Mouse and keys")}</summary><p id="keys">${keys()}</p></details>
</main>`,
  });
}
