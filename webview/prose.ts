/** Sentences in which commands and names stand between backticks. */
import { printable } from "../src/profile/text.ts";
import { element } from "./dom.ts";

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
