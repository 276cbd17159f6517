/** The page "Model Account" without its data, which comes by message only. */
import { type PageParts, pageHtml } from "../pageHtml.ts";

export interface ModelHtmlParts extends PageParts {
  /** The run folder; the page hands it back in its saved state. */
  readonly folder: string;
}

const choice = (name: string, value: string, text: string, checked = ""): string =>
  `<label><input type="radio" name="${name}" value="${value}"${checked}><span>${text}</span></label>`;

const LAYERS = `<section aria-labelledby="layers-title">
<div class="bar"><h2 id="layers-title">Layers</h2>
<fieldset class="choices"><legend>View</legend>${choice("view", "tree", "Tree", " checked")}${choice("view", "table", "Table")}${choice("view", "icicle", "Icicle")}</fieldset>
<fieldset class="choices" id="colors" hidden><legend>Colors</legend>${choice("color", "kind", "By kind of bytes", " checked")}${choice("color", "type", "By type of layer")}</fieldset></div>
<p id="view-words" class="quiet"></p>
<div id="split">
<div>
<div id="grid"></div>
<div id="icicle" hidden>
<div id="icicle-picture" tabindex="0" role="application" aria-label="Icicle of the layers" aria-describedby="icicle-text icicle-keys"></div>
<p id="icicle-text" aria-live="polite"></p>
<ul id="icicle-legend" class="legend" aria-label="Colors, in the order in which they lie in a box"></ul>
<p id="icicle-keys" class="quiet">A click or the arrow keys choose a layer. A double click or Enter zooms to it, Escape shows the whole model again.</p>
</div>
</div>
<aside id="details" aria-label="The chosen layer"></aside>
</div>
</section>`;

const BATCH = `<section id="batch" aria-labelledby="batch-title">
<h2 id="batch-title">Batch size</h2>
<div id="batch-content"></div>
</section>`;

const WHAT_IF = `<section id="whatif" aria-labelledby="whatif-title">
<h2 id="whatif-title">What if</h2>
<p class="quiet">What a change to the training would do to its peak, worked out from the account. An estimate is not a measurement: check it with a real run.</p>
<div id="cards"></div>
</section>`;

const SHARED = `<section id="shared" aria-labelledby="shared-title">
<h2 id="shared-title">Layers that models have in common</h2>
<div id="shared-content"></div>
</section>`;

export function modelHtml(parts: ModelHtmlParts): string {
  return pageHtml(parts, {
    title: "Model Account",
    data: ["folder", parts.folder],
    body: `<header>
<div><h1 id="title">Model Account</h1><span id="simulated" class="badge" hidden></span></div>
<p id="about" class="about"></p>
</header>
<div id="status" role="status">Reading the account…</div>
<main id="content" hidden>
<section aria-label="What the figures are of">
<label id="choose" hidden>Model <select id="models"></select></label>
<dl id="facts"></dl>
<ul id="notes"></ul>
</section>
${LAYERS}
${BATCH}
${WHAT_IF}
${SHARED}
</main>`,
  });
}
