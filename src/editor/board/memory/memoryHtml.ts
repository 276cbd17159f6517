/** The memory page without its data, which comes by message only. */
import { PHASES_NOTE, PHASES_TITLE } from "../../../profile/torch/phases.ts";
import { say, t } from "../../../words/t.ts";
import { type PageParts, pageHtml } from "../../page/pageHtml.ts";

export interface MemoryHtmlParts extends PageParts {
  /** The run folder, absent for a board that is watched; the page hands it back in its saved state. */
  readonly folder?: string;
}

/** Tiles that tell the groups apart without color; the run is plain and what is free is empty. */
const STRIPES: Readonly<Record<string, string>> = {
  gpu: "M-1 1 1 -1M0 8 8 0M7 9 9 7",
  others: "M0 2H8M0 6H8",
  kernel: "M0 0 8 8M0 8 8 0",
  cache: "M2 1V3M6 5V7",
};

const patterns = Object.entries(STRIPES)
  .map(
    ([group, path]) =>
      `<pattern id="stripes-${group}" width="8" height="8" patternUnits="userSpaceOnUse"><path class="stripes ${group}" d="${path}"/></pattern>`,
  )
  .join("");

const head = (): string => `<header>
<div class="bar"><h1 id="title">${t("Board Memory")}</h1><span id="board"></span><span id="simulated" hidden></span><span id="state"></span></div>
<dl id="newest" hidden></dl>
</header>
<div id="status" role="status">${t("Reading the records…")}</div>`;

const chart = (): string => `<section id="time" aria-labelledby="time-title">
<div class="bar"><h2 id="time-title">${t("Memory over time")}</h2>
<span class="buttons"><button id="go-to-baseline" title="${t("The moment right before the script was started (B)")}">${t("Baseline")}</button><button id="go-to-peak">${t("Peak")}</button><button id="follow" aria-pressed="false" title="${t("Shows the newest moment as it comes")}">${t("Follow Newest")}</button></span></div>
<div id="over-time">
<div id="charts">
<div id="plot" tabindex="0" role="slider" aria-label="${t("Moment")}" aria-describedby="keys" aria-valuemin="0" aria-valuemax="0" aria-valuenow="0" aria-valuetext="${t("none yet")}"><svg id="chart" aria-hidden="true"></svg></div>
<p id="not-read" class="quiet" hidden></p>
</div>
<div id="reading"><h3 id="reading-title"></h3><table id="legend" class="compact"><caption class="unseen">${t("Memory at this moment")}</caption><tbody id="legend-rows"></tbody></table><button id="open-line" disabled></button></div>
</div>
<p id="keys" class="quiet">${t("A click or the arrow keys choose a moment. Home and End go to the ends{0}.", runKeys())}</p>
</section>`;

const runKeys = (): string =>
  `<span id="run-keys">${t(", B to the baseline, P to the peak, Enter opens the line")}</span>`;

const shape = (value: string, text: string, checked: string): string =>
  `<label><input type="radio" name="picture" value="${value}"${checked}><span>${text}</span></label>`;

const ledger = (): string => `<section id="ledger" aria-labelledby="ledger-title">
<div class="bar"><h2 id="ledger-title">${t("Where the memory is")}</h2><span id="ledger-moment" class="quiet"></span>
<span class="buttons"><fieldset class="choices"><legend class="unseen">${t("Picture")}</legend>${shape("bar", t("Bar"), " checked")}${shape("icicle", t("Icicle"), "")}</fieldset><button id="copy" title="${t("Copies the ledger and the tools’ figures of this moment")}">${t("Copy as Text")}</button></span></div>
<div id="picture" tabindex="0" role="application" aria-label="${t("Picture of the memory at this moment")}" aria-describedby="picture-text picture-keys"><svg id="picture-svg" aria-hidden="true"></svg></div>
<p id="picture-text" aria-live="polite"></p>
<p id="picture-keys" class="unseen">${t("Arrow keys move between the parts, Enter shows the part in the table.")}</p>
<div class="sideways"><table id="ledger-table" class="wide"><caption class="unseen">${t("Every part of the memory at this moment")}</caption>
<thead><tr><th scope="col">${t("What")}</th><th scope="col" class="number">${t("Size")}</th><th scope="col" class="number share">${t("Share")}</th><th scope="col" class="unheard" aria-hidden="true"></th><th scope="col" class="number since">${t("Since baseline")}</th><th scope="col" class="sureness"><span class="word">${t("Certainty")}</span></th></tr></thead>
<tfoot id="ledger-sum"></tfoot></table></div>
<ul id="ledger-notes"></ul>
<details id="sureness"><summary>${t("What “exact” and “estimated” mean")}</summary><dl>
<dt>● ${t("exact")}</dt><dd>${t("The kernel counts it.")}</dd>
<dt>◐ ${t("estimated")}</dt><dd>${t("Made of counts that overlap a little. The row says in which direction it may be wrong.")}</dd>
<dt>○ ${t("inferred")}</dt><dd>${t("What remains when all else is taken away, or what changed since the baseline.")}</dd>
<dt>? ${t("not readable")}</dt><dd>${t("It could not be read. The row says which other row holds it.")}</dd></dl></details>
</section>`;

const tools = (): string => `<section id="tools" aria-labelledby="tools-title">
<h2 id="tools-title">${t("Why the tools disagree")}</h2>
<p class="quiet">${t("Each figure is for this same moment. The tools count different things, so none of them has to be wrong.")}</p>
<table id="tools-table" class="wide"><caption class="unseen">${t("What each tool calls used at this moment")}</caption>
<thead><tr><th scope="col">${t("Tool")}</th><th scope="col" class="number">${t("Says")}</th><th scope="col" class="unheard" aria-hidden="true"></th><th scope="col">${t("What it counts")}</th></tr></thead>
<tbody id="tools-rows"></tbody></table>
</section>`;

const phaseFigures = (): readonly string[] => [
  "RSS",
  t("Board in use"),
  t("Allocated"),
  t("Reserved"),
  t("Outside (○ inferred)"),
];

const number = (text: string): string => `<th scope="col" class="number">${text}</th>`;

const phases = (): string => `<section id="phases" hidden>
<details open><summary><h2>${say(PHASES_TITLE)}</h2></summary>
<p class="quiet">${say(PHASES_NOTE)}</p>
<div class="sideways"><table id="phases-table" class="wide"><caption class="unseen">${t("What each phase of the run took")}</caption>
<thead><tr><th scope="col">${t("Phase")}</th>${number(t("Began at"))}<th scope="col">${t("Line")}</th>${phaseFigures().map(number).join("")}</tr></thead>
<tbody id="phases-rows"></tbody></table></div></details>
</section>`;

export function memoryHtml(parts: MemoryHtmlParts): string {
  return pageHtml(parts, {
    title: t("Board Memory"),
    data: ["folder", parts.folder ?? ""],
    body: `<svg id="patterns" width="0" height="0" aria-hidden="true"><defs>${patterns}</defs></svg>
${head()}
<main id="content" hidden>
${chart()}
${ledger()}
${phases()}
${tools()}
</main>`,
  });
}
