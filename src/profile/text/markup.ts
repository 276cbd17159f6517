/** Text that anybody may have written, in HTML and SVG. */
import { printable } from "./text.ts";

/** For content and for attributes in quotation marks; line ends stay, other control characters become `?`. */
export function escapeMarkup(text: string): string {
  return text
    .split("\n")
    .map(printable)
    .join("\n")
    .replace(/[\p{Cs}\uFFFE\uFFFF]/gu, "?")
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
