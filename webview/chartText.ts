/** Words in a chart that must not leave it. */
import { displayWidth } from "../src/profile/text/table.ts";
import { svgElement } from "./dom.ts";

/** Of a Latin letter on average, CSS pixels; a Chinese character is as wide as two. */
const LETTER = 7;

/** About how wide a text will be in a chart, before it is drawn; CSS pixels. */
export const textWidth = (text: string): number => displayWidth(text) * LETTER;

/** The text, or as much of its beginning as there is room for; CSS pixels. */
export const shortened = (text: string, room: number): string => shortenedTo(text, Math.floor(room / LETTER));

/** The text, or as much of its beginning as so many Latin letters are wide. */
export function shortenedTo(text: string, letters: number): string {
  // Nearly all names; a picture may have thousands.
  if (/^[ -~]*$/.test(text)) return text.length <= letters ? text : `${text.slice(0, Math.max(1, letters - 1))}…`;
  if (displayWidth(text) <= letters) return text;
  const characters = [...text];
  while (characters.length > 1 && displayWidth(characters.join("")) + 1 > letters) characters.pop();
  return `${characters.join("")}…`;
}

/**
 * Moves a text that is already drawn so far that it lies within 0…`width`; one that is wider is cut, with all of it on
 * hover.
 */
export function keepInside(text: SVGTextElement, width: number): void {
  const whole = text.textContent;
  let shown = whole.length;
  while (text.getComputedTextLength() > width && shown > 1) {
    shown -= Math.max(1, Math.floor((shown * (text.getComputedTextLength() - width)) / text.getComputedTextLength()));
    text.textContent = `${whole.slice(0, Math.max(1, shown - 1))}…`;
  }
  if (text.textContent !== whole) {
    const title = svgElement("title", {});
    title.textContent = whole;
    text.append(title);
  }
  const { x, width: taken } = text.getBBox();
  const away = x < 0 ? -x : Math.min(0, width - x - taken);
  if (away !== 0) text.setAttribute("x", String(Number(text.getAttribute("x")) + away));
}
