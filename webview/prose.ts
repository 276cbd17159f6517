/** Texts put together, and sentences in which commands and names stand between backticks. */
import { printable } from "../src/profile/text/text.ts";
import { t } from "../src/words/t.ts";
import { element } from "./dom.ts";

/** `12.0 s, peak`. */
export const withCommas = ([first = "", ...others]: readonly string[]): string =>
  others.reduce((before, text) => t("{0}, {1}", before, text), first);

/** A number and its unit, also a time of two of them, and what it may be off by. */
const FIGURE = /((?:± )?[-+]?[\d.,]+ (?:[KMG]iB|B|ms|s|min|h|%)(?!\w)(?: \d+ (?:min|s)(?!\w))?)/;

/** The text, whose numbers stay in one line with their units. */
export const withWholeFigures = (text: string): readonly (string | HTMLElement)[] =>
  // With a group in the pattern, every second part is what the group took.
  text.split(FIGURE).map((part, i) => (i % 2 === 0 ? part : element("span", part, { class: "whole" })));

/** The element with the text in it, and what stands between backticks as code. */
export function prose<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  text: string,
  attributes: Readonly<Record<string, string>> = {},
): HTMLElementTagNameMap[Tag] {
  const made = element(tag, "", attributes);
  // With a group in the pattern, every second part is what the group took.
  const parts = printable(text).split(/`([^`]+)`/);
  made.append(...parts.map((part, i) => (i % 2 === 0 ? part : element("code", part))));
  return made;
}
