/** The page "Compare Runs" without its data, which comes by message only. */
import type { ComparedFolders } from "../../protocol/compare.ts";
import { t } from "../../words/t.ts";
import { type PageParts, pageHtml } from "../page/pageHtml.ts";

export interface CompareHtmlParts extends PageParts {
  /** The page hands them back in its saved state. */
  readonly folders: ComparedFolders;
}

const lines = (): string => `<section aria-labelledby="lines-title">
<div class="bar"><h2 id="lines-title">${t("Lines")}</h2>
<label class="field">${t("Filter")} <input id="search" type="search" placeholder="${t("file or text")}" spellcheck="false"></label>
<label class="field"><input id="all" type="checkbox"> <span id="all-words">${t("Also what did not change")}</span></label></div>
<p id="lines-words" class="quiet" role="status"></p>
<div id="lines" class="scroller" tabindex="0" role="group" aria-labelledby="lines-title"></div>
<button id="more" hidden></button>
</section>`;

export function compareHtml(parts: CompareHtmlParts): string {
  return pageHtml(parts, {
    title: t("Compare Runs"),
    data: ["folders", JSON.stringify(parts.folders)],
    body: `<header>
<div><h1 id="title">${t("Compare Runs")}</h1><span id="simulated" class="badge" hidden></span></div>
</header>
<div id="status" role="status">${t("Comparing…")}</div>
<main id="content" hidden>
<section aria-label="${t("What is compared")}">
<dl id="sides"></dl>
<div class="buttons"><button id="swap">${t("Swap Before and After")}</button><button id="flame" hidden>${t("Flame Graph of the Difference")}</button></div>
</section>
<section aria-labelledby="totals-title">
<h2 id="totals-title">${t("The runs as a whole")}</h2>
<div id="cards"></div>
</section>
${lines()}
<section id="ledger-section" aria-labelledby="ledger-title">
<h2 id="ledger-title">${t("Where the board’s memory was")}</h2>
<p id="ledger-words" class="quiet"></p>
<div id="ledger" class="scroller" tabindex="0" role="group" aria-labelledby="ledger-title"></div>
</section>
<section id="notes-section" aria-labelledby="notes-title">
<h2 id="notes-title">${t("About this comparison")}</h2>
<ul id="notes"></ul>
</section>
</main>`,
  });
}
