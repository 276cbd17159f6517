/** Small round signs that stand before a word; the word says the same, so nobody needs the picture or its colour. */
const SVG = "http://www.w3.org/2000/svg";

const STROKES = {
  check: "M4.5 8.3 7 10.8 11.6 5.4",
  cross: "M5.2 5.2 10.8 10.8M10.8 5.2 5.2 10.8",
  bang: "M8 4.2V8.6M8 11.4V11.5",
  question: "M6 6.3a2 2 0 1 1 2.9 1.8q-.9.5-.9 1.3M8 11.8V11.9",
} as const;

export type Sign = keyof typeof STROKES;

export function signPicture(sign: Sign): SVGSVGElement {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("class", "sign");
  picture.setAttribute("viewBox", "0 0 16 16");
  picture.setAttribute("aria-hidden", "true");
  const disc = document.createElementNS(SVG, "circle");
  for (const [name, value] of Object.entries({ cx: "8", cy: "8", r: "7.5" })) disc.setAttribute(name, value);
  const stroke = document.createElementNS(SVG, "path");
  stroke.setAttribute("d", STROKES[sign]);
  picture.append(disc, stroke);
  return picture;
}
