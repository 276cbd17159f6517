/** Small round signs that stand before a word; the word says the same, so nobody needs the picture or its color. */
import { svgElement } from "./dom.ts";

const STROKES = {
  check: "M4.5 8.3 7 10.8 11.6 5.4",
  cross: "M5.2 5.2 10.8 10.8M10.8 5.2 5.2 10.8",
  bang: "M8 4.2V8.6M8 11.4V11.5",
  question: "M6 6.3a2 2 0 1 1 2.9 1.8q-.9.5-.9 1.3M8 11.8V11.9",
} as const;

export type Sign = keyof typeof STROKES;

export function signPicture(sign: Sign): SVGSVGElement {
  const picture = svgElement("svg", { class: "sign", viewBox: "0 0 16 16", "aria-hidden": "true" });
  picture.append(svgElement("circle", { cx: 8, cy: 8, r: 7.5 }), svgElement("path", { d: STROKES[sign] }));
  return picture;
}
