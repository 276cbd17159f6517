/** The massif page without its data, which comes by message only. */

import { type PageParts, pageHtml } from "../pageHtml.ts";

export interface MassifHtmlParts extends PageParts {
  /** What the page shows, for the editor's own use; the page hands it back in its saved state. */
  readonly source: string;
}

const swatch = (part: string): string =>
  `<svg width="14" height="10" aria-hidden="true"><rect class="band ${part}" width="14" height="10"/></svg>`;

interface Choice {
  readonly value: string;
  readonly text: string;
  readonly title: string;
}

/** Radio buttons that look like one row of buttons; the first is the default. */
const choices = (name: string, legend: string, options: readonly Choice[]): string =>
  `<fieldset class="choices"><legend>${legend}</legend>${options
    .map(
      ({ value, text, title }, i) =>
        `<label title="${title}"><input type="radio" name="${name}" value="${value}"${i === 0 ? " checked" : ""}><span>${text}</span></label>`,
    )
    .join("")}</fieldset>`;

const tab = (name: string, text: string): string =>
  `<button role="tab" id="tab-${name}" aria-controls="panel-${name}" data-tab="${name}">${text}</button>`;

const panel = (name: string): string =>
  `<div role="tabpanel" id="panel-${name}" aria-labelledby="tab-${name}" tabindex="0" hidden></div>`;

const save = (format: string, text: string): string => `<button data-format="${format}">${text}</button>`;

const SNAPSHOTS = `<section id="snapshots" aria-label="Snapshots">
<div class="bar">
<label id="file-choice">Process <select id="file"></select></label>
<label title="Shows what changed between two snapshots. Shift and a click on the chart choose it as well.">Compare with <select id="compare"></select></label>
<span class="key">${swatch("heap")}<span id="heap-name">Heap</span></span>
<span class="key" title="What the allocator itself needs beside the memory that was asked for, as massif estimates it.">${swatch("extra")}Allocator overhead</span>
<span class="key" id="stacks-key">${swatch("stacks")}Stacks</span>
<span class="key" title="Massif keeps the call stacks of some snapshots only. Those can be chosen; of the others only the sizes are known."><span class="dot" aria-hidden="true"></span>Has call stacks</span>
</div>
<div id="plot" tabindex="0" role="slider" aria-label="Snapshot" aria-valuemin="1" aria-valuemax="1" aria-valuenow="1"><svg id="chart" aria-hidden="true"></svg></div>
<div id="readout"></div>
</section>`;

const EXPORT = `<details class="menu" id="export"><summary>Export</summary><div class="items">
${save("svg", "Picture (SVG)")}${save("png", "Picture of This View (PNG)")}${save("folded", "Folded Stacks")}${save("speedscope", "Speedscope JSON")}${save("heapprofile", "Heap Profile (.heapprofile)")}
</div></details>`;

const TOOLBAR = `<div class="bar" id="tools">
${choices("shape", "Shape", [
  { value: "icicle", text: "Icicle", title: "The stacks grow downwards." },
  { value: "flame", text: "Flame", title: "The stacks grow upwards." },
])}
${choices("direction", "Order", [
  {
    value: "callers-first",
    text: "Callers First",
    title: "Begins where the program began and ends where the memory was allocated.",
  },
  {
    value: "allocators-first",
    text: "Allocators First",
    title: "Begins where the memory was allocated and ends where the program began.",
  },
])}
<label class="check" title="Leaves out the functions by which Python calls itself between two lines of your code."><input type="checkbox" id="fold" checked> Hide Python Internals</label>
<span class="search"><input type="search" id="search" placeholder="Search frames" aria-label="Search frames; a regular expression may be used" aria-describedby="matches" spellcheck="false" maxlength="200"><button id="next-match" title="Next match (N)" disabled>Next</button><output id="matches" for="search"></output></span>
</div>`;

const GRAPH = `<section id="stacks" aria-label="Call stacks">
${TOOLBAR}
<div id="scope" hidden><span id="scope-text"></span> <button id="scope-clear">Show All Stacks</button></div>
<div id="way"><button id="reset" title="Shows the whole graph (Escape)">Reset Zoom</button><nav aria-label="Zoom path"><ol id="breadcrumb"></ol></nav>${EXPORT}</div>
<div id="split">
<div id="graph-box">
<div id="graph" tabindex="0" role="application" aria-label="Flame graph" aria-describedby="details keys"><canvas id="canvas"></canvas><div id="tooltip" aria-hidden="true" hidden></div><p id="empty" hidden></p></div>
<div id="details" aria-live="polite"></div>
<div id="actions"><button id="open-line" hidden></button><button id="zoom-in" disabled>Zoom In</button><button id="copy-stack" disabled>Copy Stack</button><button id="only-line" hidden>Only This Line</button></div>
<div id="legend"></div>
<details id="help"><summary>Mouse and keys</summary><p id="keys">Click selects a frame and opens its Python line, double-click or Enter zooms, dragging moves, Ctrl and the wheel zoom, Escape resets. Arrow keys move between frames, O opens the line, N goes to the next match of a search. In the chart, a click or the arrow keys choose a snapshot, together with Shift one to compare it with; P is the peak.</p></details>
</div>
<div id="side">
<div role="tablist" aria-label="Figures">${tab("tree", "Tree")}${tab("libraries", "By Library")}${tab("allocators", "Top Allocators")}${tab("python", "Python Lines")}${tab("measured", "Measured Lines")}</div>
${panel("tree")}${panel("libraries")}${panel("allocators")}${panel("python")}${panel("measured")}
</div>
</div>
</section>`;

export function massifHtml(parts: MassifHtmlParts): string {
  return pageHtml(parts, {
    title: "Massif Flame View",
    data: ["source", parts.source],
    // The worker's code is part of the page's script: VS Code lets a webview start workers from blob addresses only.
    alsoAllowed: "worker-src blob:",
    body: `<header><h1 id="title">Massif Flame View</h1><span id="about"></span><details id="notes" hidden><summary id="notes-title"></summary><ul id="notes-list"></ul></details></header>
<div id="status" role="status">Reading the file…</div>
<main id="content" hidden>
${SNAPSHOTS}
${GRAPH}
</main>`,
  });
}
