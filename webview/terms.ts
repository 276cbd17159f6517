/**
 * Words of the glossary in headings: dots below them say that there is an explanation, which a card shows to who points
 * at one, taps it or goes there by the keyboard.
 */
import { TERMS, termParts } from "../src/profile/text/glossary.ts";
import { printableLines } from "../src/profile/text/text.ts";
import { element } from "./dom.ts";

const CARD = "term-card";
/** Between the card and the edge of the page. */
const MARGIN = 8;
/** What may hold no further control. */
const CONTROLS = "button, a, label, summary, [aria-hidden=true], [role=grid], [role=treegrid]";

/** A new element in which the names of terms can be asked about. */
export function withTerms<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  text: string,
  attributes: Readonly<Record<string, string>> = {},
): HTMLElementTagNameMap[Tag] {
  const made = element(tag, "", attributes);
  made.append(...nodesOf(printableLines(text)));
  return made;
}

/** Once for a page: its headings as they came with it, and the card for them and for all that is made later. */
export function explainTerms(): void {
  for (const heading of document.querySelectorAll("h2, h3, thead th, legend, .legend")) {
    if (heading.closest(CONTROLS) === null) markTerms(heading);
  }
  installCard();
}

function markTerms(heading: Element): void {
  const texts = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (texts.nextNode()) if (texts.currentNode instanceof Text) found.push(texts.currentNode);
  for (const text of found) {
    if (text.parentElement?.closest(CONTROLS) === null) text.replaceWith(...nodesOf(text.data));
  }
}

const nodesOf = (text: string): readonly Node[] =>
  termParts(text).map((part) =>
    part.id === undefined
      ? document.createTextNode(part.text)
      : element("span", part.text, { class: "term", role: "button", tabindex: "0", "data-term": part.id }),
  );

function installCard(): void {
  // In the top layer, so that no table that scrolls cuts it off.
  const card = element("div", "", { id: CARD, role: "tooltip", popover: "manual" });
  document.body.append(card);
  let explained: HTMLElement | undefined;

  function show(term: HTMLElement): void {
    const { name, sentence } = TERMS.get(term.dataset["term"] ?? "") ?? {};
    if (name === undefined || sentence === undefined) return;
    explained?.removeAttribute("aria-describedby");
    explained = term;
    card.replaceChildren(element("strong", name), element("p", sentence));
    card.togglePopover(true);
    term.setAttribute("aria-describedby", CARD);
    place();
  }

  /** Below the term, above where there is no room for it, and never beyond the page's edge. */
  function place(): void {
    if (explained === undefined) return;
    const { left, top, bottom } = explained.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const { offsetWidth, offsetHeight } = card;
    const above = bottom + offsetHeight > clientHeight && top >= offsetHeight;
    card.style.left = `${Math.max(MARGIN, Math.min(left, clientWidth - offsetWidth - MARGIN))}px`;
    card.style.top = `${above ? top - offsetHeight : bottom}px`;
  }

  function hide(): void {
    explained?.removeAttribute("aria-describedby");
    explained = undefined;
    card.togglePopover(false);
  }

  document.addEventListener("pointerover", ({ target }) => {
    const term = termAt(target);
    if (term !== undefined) show(term);
    // The pointer may go onto the card, to read or to copy.
    else if (!isWithin(card, target) && document.activeElement !== explained) hide();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (termAt(target) === undefined && !isWithin(card, target)) hide();
  });
  document.addEventListener("click", ({ target }) => {
    const term = termAt(target);
    if (term !== undefined) show(term);
  });
  document.addEventListener("focusin", ({ target }) => {
    const term = termAt(target);
    if (term !== undefined) show(term);
  });
  document.addEventListener("focusout", hide);
  document.addEventListener("scroll", place, { capture: true, passive: true });
  window.addEventListener("resize", place);
  document.addEventListener(
    "keydown",
    (event) => {
      const term = termAt(event.target);
      if (event.key === "Escape" && explained !== undefined) hide();
      else if (term !== undefined && (event.key === "Enter" || event.key === " ")) show(term);
      else return;
      // Not for the page's own keys.
      event.preventDefault();
      event.stopPropagation();
    },
    { capture: true },
  );
}

function termAt(target: EventTarget | null): HTMLElement | undefined {
  const term = target instanceof Element ? target.closest(".term") : null;
  return term instanceof HTMLElement ? term : undefined;
}

const isWithin = (card: HTMLElement, target: EventTarget | null): boolean =>
  target instanceof Node && card.contains(target);
