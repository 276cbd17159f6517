/** The massif page without its data, which comes by message only. */

import { t } from "../../words/t.ts";
import { type PageParts, pageHtml } from "../page/pageHtml.ts";

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
  `<div role="tabpanel" id="panel-${name}" aria-labelledby="tab-${name}" hidden></div>`;

const save = (format: string, text: string): string => `<button data-format="${format}">${text}</button>`;

const snapshots = (): string => `<section id="snapshots" aria-label="${t("Snapshots")}">
<div class="bar">
<label id="file-choice">${t("Process")} <select id="file"></select></label>
<label title="${t("Shows what changed between two snapshots. Shift and a click on the chart choose it as well.")}">${t("Compare with")} <select id="compare"></select></label>
<span class="key">${swatch("heap")}<span id="heap-name">${t("Heap")}</span></span>
<span class="key" id="extra-key" title="${t("What the allocator itself needs beside the memory that was asked for, as massif estimates it.")}">${swatch("extra")}${t("Allocator overhead")}</span>
<span class="key" id="stacks-key">${swatch("stacks")}${t("Stacks")}</span>
<span class="key" title="${t("The call stacks of some snapshots only are kept. Those can be chosen; of the others only the sizes are known.")}"><span class="dot" aria-hidden="true"></span>${t("Has call stacks")}</span>
</div>
<div id="plot" tabindex="0" role="slider" aria-label="${t("Snapshot")}" aria-valuemin="1" aria-valuemax="1" aria-valuenow="1" aria-valuetext="${t("none yet")}"><svg id="chart" aria-hidden="true"></svg></div>
<div id="readout"></div>
</section>`;

const exportMenu = (): string => `<details class="menu" id="export"><summary>${t("Export")}</summary><div class="items">
${save("svg", t("Picture (SVG)"))}${save("png", t("Picture of This View (PNG)"))}${save("folded", t("Folded Stacks"))}${save("speedscope", "Speedscope JSON")}${save("heapprofile", t("Heap Profile (.heapprofile)"))}
</div></details>`;

const toolbar = (): string => `<div class="bar" id="tools">
${choices("shape", t("Shape"), [
  { value: "icicle", text: t("Icicle"), title: t("The stacks grow downwards.") },
  { value: "flame", text: t("Flame"), title: t("The stacks grow upwards.") },
])}
${choices("direction", t("Order"), [
  {
    value: "callers-first",
    text: t("Callers First"),
    title: t("Begins where the program began and ends where the memory was allocated."),
  },
  {
    value: "allocators-first",
    text: t("Allocators First"),
    title: t("Begins where the memory was allocated and ends where the program began."),
  },
])}
<label class="check" title="${t("Leaves out the functions by which Python calls itself between two lines of your code.")}"><input type="checkbox" id="fold" checked> ${t("Hide Python Internals")}</label>
<span class="search"><input type="search" id="search" placeholder="${t("Search frames")}" aria-label="${t("Search frames; a regular expression may be used")}" aria-describedby="matches" spellcheck="false" maxlength="200"><button id="next-match" title="${t("Type what to search for.")}" disabled>${t("Next")}</button><output id="matches" for="search"></output></span>
</div>`;

const graph = (): string => `<section id="stacks" aria-label="${t("Call stacks")}">
${toolbar()}
<div id="scope" hidden><span id="scope-text"></span> <button id="scope-clear">${t("Show All Stacks")}</button></div>
<div id="way"><button id="reset" title="${t("Shows the whole graph (Escape)")}">${t("Reset Zoom")}</button><nav aria-label="${t("Zoom path")}"><ol id="breadcrumb"></ol></nav><button id="hide-side"></button>${exportMenu()}</div>
<div id="split">
<div id="graph" tabindex="0" role="application" aria-label="${t("Flame graph")}" aria-describedby="details keys"><canvas id="canvas" aria-hidden="true"></canvas><div id="tooltip" aria-hidden="true" hidden></div><p id="empty" hidden></p></div>
<div id="below">
<div id="details" aria-live="polite"></div>
<div id="actions"><button id="open-line" hidden></button><button id="zoom-in" title="${t("Select a frame first.")}" disabled>${t("Zoom In")}</button><button id="copy-stack" title="${t("Select a frame first.")}" disabled>${t("Copy Stack")}</button><button id="only-line" hidden>${t("Only This Line")}</button></div>
<div id="legend"></div>
</div>
<div id="side">
<div role="tablist" aria-label="${t("Figures")}">${tab("tree", t("Tree"))}${tab("libraries", t("By Library"))}${tab("allocators", t("Top Allocators"))}${tab("python", t("Python Lines"))}${tab("measured", t("Measured Lines"))}</div>
${panel("tree")}${panel("libraries")}${panel("allocators")}${panel("python")}${panel("measured")}
</div>
</div>
</section>`;

const help = (): string =>
  `<details id="help"><summary>${t("Mouse and keys")}</summary><p id="keys">${t("Click selects a frame and opens its Python line, double-click or Enter zooms, dragging moves, Ctrl and the wheel zoom, Escape resets. Arrow keys move between frames, O opens the line, N goes to the next match of a search. In the chart, a click or the arrow keys choose a snapshot, together with Shift one to compare it with; P is the peak.")}</p></details>`;

export function massifHtml(parts: MassifHtmlParts): string {
  return pageHtml(parts, {
    title: t("Flame View"),
    data: ["source", parts.source],
    // The worker's code is part of the page's script: VS Code lets a webview start workers from blob addresses only.
    alsoAllowed: "worker-src blob:",
    body: `<header><h1 id="title">${t("Flame View")}</h1><span id="about"></span><details id="notes" hidden><summary id="notes-title"></summary><ul id="notes-list"></ul></details>${help()}</header>
<div id="status" role="status">${t("Reading the file…")}</div>
<main id="content" hidden>
${snapshots()}
${graph()}
</main>`,
  });
}
