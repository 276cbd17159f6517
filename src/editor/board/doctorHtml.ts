/** The page of Check Board without its data, which comes by message only. */
import { type PageParts, pageHtml } from "../pageHtml.ts";

export function doctorHtml(parts: PageParts): string {
  return pageHtml(parts, {
    title: "Check Board",
    body: `<header>
<div><h1 id="title">Check Board</h1><span id="simulated" class="badge" hidden></span></div>
<div><p id="about" class="about"></p><button id="again" disabled>Check Again</button></div>
</header>
<div id="status" role="status">Waiting for the board's answer…</div>
<ul id="summary" aria-label="Summary"></ul>
<main id="topics"></main>`,
  });
}
