/** The page "Model Account" without its data, which comes by message only. */
import { t } from "../../../words/t.ts";
import { type PageParts, pageHtml } from "../../page/pageHtml.ts";

export interface ModelHtmlParts extends PageParts {
  /** The run folder; the page hands it back in its saved state. */
  readonly folder: string;
}

const choice = (name: string, value: string, text: string, checked = ""): string =>
  `<label><input type="radio" name="${name}" value="${value}"${checked}><span>${text}</span></label>`;

const layers = (): string => `<section aria-labelledby="layers-title">
<div class="bar"><h2 id="layers-title">${t("Layers")}</h2>
<fieldset class="choices"><legend>${t("View")}</legend>${choice("view", "tree", t("Tree"), " checked")}${choice("view", "table", t("Table"))}${choice("view", "icicle", t("Icicle"))}</fieldset>
<fieldset class="choices" id="colors" hidden><legend>${t("Colors")}</legend>${choice("color", "kind", t("By kind of bytes"), " checked")}${choice("color", "type", t("By type of layer"))}</fieldset></div>
<p id="view-words" class="quiet"></p>
<div id="split">
<div>
<div id="grid"></div>
<div id="icicle" hidden>
<div id="icicle-picture" tabindex="0" role="application" aria-label="${t("Icicle of the layers")}" aria-describedby="icicle-text icicle-keys"></div>
<p id="icicle-text" aria-live="polite"></p>
<ul id="icicle-legend" class="legend" aria-label="${t("Colors, in the order in which they lie in a box")}"></ul>
<p id="icicle-keys" class="quiet">${t("A click or the arrow keys choose a layer. A double click or Enter zooms to it, Escape shows the whole model again.")}</p>
</div>
</div>
<aside id="details" aria-label="${t("The chosen layer")}"></aside>
</div>
</section>`;

const batch = (): string => `<section id="batch" aria-labelledby="batch-title">
<h2 id="batch-title">${t("Batch size")}</h2>
<div id="batch-content"></div>
</section>`;

const whatIf = (): string => `<section id="whatif" aria-labelledby="whatif-title">
<h2 id="whatif-title">${t("What if")}</h2>
<p class="quiet">${t("What a change to the training would do to its peak, worked out from the account. An estimate is not a measurement: check it with a real run.")}</p>
<div id="cards"></div>
</section>`;

const shared = (): string => `<section id="shared" aria-labelledby="shared-title">
<h2 id="shared-title">${t("Layers that models have in common")}</h2>
<div id="shared-content"></div>
</section>`;

export function modelHtml(parts: ModelHtmlParts): string {
  return pageHtml(parts, {
    title: t("Model Account"),
    data: ["folder", parts.folder],
    body: `<header>
<div><h1 id="title">${t("Model Account")}</h1><span id="simulated" class="badge" hidden></span></div>
<p id="about" class="about"></p>
</header>
<div id="status" role="status">${t("Reading the account…")}</div>
<main id="content" hidden>
<section aria-label="${t("What the figures are of")}">
<label id="choose" hidden>${t("Model")} <select id="models"></select></label>
<dl id="facts"></dl>
<ul id="notes"></ul>
</section>
${layers()}
${batch()}
${whatIf()}
${shared()}
</main>`,
  });
}
