/** Signs of the outcomes: told apart by their shape, and colored as well. */
import type { SweepPoint } from "../../src/sweep/model.ts";
import { svgElement } from "../dom.ts";

type State = SweepPoint["state"];

/** Around (0, 0), 10 CSS pixels wide. */
const SHAPES: Readonly<Record<State, string>> = {
  fits: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z",
  running: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z",
  "out-of-memory": "M-5 -5L5 5M-5 5L5 -5",
  failed: "M0 -5.5L5.5 0L0 5.5L-5.5 0Z",
  skipped: "M-4 0H4",
  missing: "M-4 0H4",
};

export const LIMIT_SHAPE = "M-5.5 -6H5.5L0 3Z";

/** @param place of its middle */
export function markPicture(state: State, [x, y]: readonly [number, number]): SVGPathElement {
  return svgElement("path", { class: `mark ${state}`, d: SHAPES[state], transform: `translate(${x},${y})` });
}

/** Beside a word that says the same. */
export function markSign(state: State): SVGSVGElement {
  const picture = svgElement("svg", { class: "key", viewBox: "-8 -8 16 16", "aria-hidden": "true" });
  picture.append(markPicture(state, [0, 0]));
  return picture;
}
