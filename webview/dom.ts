/** Small helpers over the document. Texts are always set as text, never as markup. */
import { printableLines } from "../src/profile/text/text.ts";

export function byId<Type extends Element>(id: string, type: new () => Type): Type {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`The page has no #${id}.`);
  return element;
}

/** Attributes that are read or spoken. */
const WORDS = new Set(["title", "aria-label"]);

/** A new element with its text and attributes; characters that hide or turn what stands beside them are shown as `?`. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  text = "",
  attributes: Readonly<Record<string, string>> = {},
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  made.textContent = printableLines(text);
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, WORDS.has(name) ? printableLines(value) : value);
  }
  return made;
}

/** The same for a part of a picture. */
export function svgElement<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number>>,
): SVGElementTagNameMap[Tag] {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

export function button(text: string, onClick: () => void, attributes?: Readonly<Record<string, string>>): HTMLElement {
  const made = element("button", text, attributes);
  made.addEventListener("click", onClick);
  return made;
}
