/** The snapshot page without its data, which comes by message only. */
import { type PageParts, pageHtml } from "../pageHtml.ts";

export interface SnapshotHtmlParts extends PageParts {
  /** What the page shows, for the page's saved state. */
  readonly source: string;
}

const TOOLBAR = `<div class="bar" id="tools">
<label id="device-choice">Device <select id="device"></select></label>
<span class="buttons" id="moments"><button id="to-maximum" title="The moment at which the most was held (M)">Maximum</button><button id="to-oom" title="The next request that could not be met (N)" hidden>Out of Memory</button><button id="to-end" title="When the snapshot was taken (End)">End</button></span>
<label id="axis-choice">Across <select id="axis"><option value="events">by event</option><option value="time">by time</option></select></label>
<span class="buttons" id="zooms"><button id="closer" title="Shows fewer events (+)">Zoom In</button><button id="all" title="Shows all events (0)">Show All</button></span>
<span class="search"><input type="search" id="search" placeholder="Search lines" aria-label="Search lines and functions" spellcheck="false" maxlength="200"><output id="matches" for="search"></output></span>
</div>`;

const MEMORY = `<section id="memory" aria-labelledby="memory-title">
<div class="bar"><h2 id="memory-title">Active memory over time</h2><span class="quiet" id="memory-about"></span></div>
<div id="plot" tabindex="0" role="slider" aria-label="Moment" aria-describedby="keys" aria-valuemin="0" aria-valuemax="0" aria-valuenow="0" aria-valuetext="none yet" aria-busy="true"><canvas id="layers" aria-hidden="true"></canvas><svg id="marks" aria-hidden="true"></svg><div id="layer-tip" class="tip" aria-hidden="true" hidden></div></div>
</section>`;

const STATE = `<section id="state" aria-labelledby="state-title">
<h2 id="state-title">Allocator state</h2>
<p id="state-text"></p>
<div class="bar" id="state-legend"><span class="key"><i class="swatch waiting"></i>Awaiting another stream</span><span class="key"><i class="swatch free"></i>Free</span></div>
<div id="map" tabindex="0" role="application" aria-label="Map of segments, a row each" aria-describedby="map-spot" aria-busy="true"><canvas id="map-canvas"></canvas><div id="map-space"></div></div>
<p id="map-spot" class="quiet" aria-live="polite">Blocks have the colours of their lines. A click, or the arrow keys, choose one.</p>
</section>`;

const STACKS = `<section id="stacks" aria-labelledby="stacks-title">
<div class="bar"><h2 id="stacks-title">Live memory by stack</h2><label class="check" title="Leaves out PyTorch's own C++ functions in stacks that have lines of Python."><input type="checkbox" id="fold" checked> Hide C++ Frames</label></div>
<div id="way"><button id="reset" title="Shows the whole graph (Escape)">Reset Zoom</button><nav aria-label="Zoom path"><ol id="breadcrumb"></ol></nav></div>
<div id="graph" tabindex="0" role="application" aria-label="Flame graph of live bytes" aria-describedby="keys" aria-busy="true"><canvas id="canvas"></canvas><div id="tooltip" class="tip" aria-hidden="true" hidden></div><p id="empty" hidden>Nothing is held at this moment.</p></div>
</section>`;

const KEYS =
  "In the chart, a click chooses the moment and the allocation under the pointer, dragging moves, Ctrl and the wheel zoom. Left and Right go from event to event, with Shift in greater steps, Up and Down through the allocations, Home and End to the ends, M to the maximum, N to the next request that could not be met, + and - zoom, 0 shows all, Enter opens the line. In the flame graph, a double-click or Enter zooms, Escape resets, O opens the line.";

export function snapshotHtml(parts: SnapshotHtmlParts): string {
  return pageHtml(parts, {
    title: "Allocator Snapshot",
    data: ["source", parts.source],
    body: `<header><h1 id="title">Allocator Snapshot</h1><span id="about"></span><details id="notes" hidden><summary id="notes-title"></summary><ul id="notes-list"></ul></details></header>
<div id="status" role="status">Reading the snapshot…</div>
<button id="again" hidden>Try Again</button>
<main id="content" hidden>
<section id="sums" aria-labelledby="sums-title"><h2 id="sums-title">When the snapshot was taken</h2><dl id="totals"></dl></section>
${TOOLBAR}
${MEMORY}
<p id="moment"></p>
<div id="legend"></div>
<div id="split">
${STATE}
${STACKS}
</div>
<section id="chosen" aria-labelledby="chosen-title"><h2 id="chosen-title">Selected</h2><div id="details" aria-live="polite"></div></section>
<details id="largest"><summary>Largest blocks at this moment, as a table</summary><table><caption class="unseen">Largest blocks in use at the chosen moment</caption><thead><tr><th scope="col" class="figure">Size</th><th scope="col">Line</th><th scope="col">State</th></tr></thead><tbody id="largest-rows"></tbody></table></details>
<details id="help"><summary>Mouse and keys</summary><p id="keys">${KEYS}</p></details>
</main>`,
  });
}
