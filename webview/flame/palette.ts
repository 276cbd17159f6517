/** How each kind of frame is painted in the theme that is on. */

import { cssColor, mix, parseColor, type Rgb, readableOn } from "./color.ts";

export type Pattern = "plain" | "hatched" | "rising" | "falling";

export interface Paint {
  readonly fill: string;
  readonly text: string;
  /** Of the bar that marks Python frames, and of the outline in high contrast themes. */
  readonly edge: string;
  readonly pattern: Pattern;
  /** Of the pattern's strokes. */
  readonly stroke: string;
}

export interface Palette {
  readonly background: string;
  readonly outline: string;
  readonly focus: string;
  readonly font: string;
  readonly highContrast: boolean;
  readonly python: Paint;
  /** By the library's place in the legend; places beyond the last share `other`. */
  readonly libraries: readonly Paint[];
  /** Libraries beyond the legend, and frames whose library is not known. */
  readonly other: Paint;
  readonly belowThreshold: Paint;
  readonly root: Paint;
  readonly grown: Paint;
  readonly shrunk: Paint;
  readonly unchanged: Paint;
  readonly crumbs: string;
}

/** The tokens (base/tokens.css) of libraries: all kinds but that of Python. */
const LIBRARY_COLORS = ["--series-1", "--series-4", "--series-3", "--series-6", "--series-5"] as const;

/** How many libraries have a color of their own. */
export const LIBRARY_PLACES = LIBRARY_COLORS.length;

/** Pixels that fit a row. */
const LARGEST_FONT = 13;

/** Shares of the color over the background; high contrast themes keep to the background and color the edges. */
const STRENGTH = { python: 0.5, library: 0.3, other: 0.16, change: 0.42 };
const HIGH_CONTRAST_STRENGTH = { python: 0.26, library: 0.14, other: 0.05, change: 0.2 };

export function paletteOf(body: HTMLElement): Palette {
  const style = getComputedStyle(body);
  const highContrast =
    body.classList.contains("vscode-high-contrast") ||
    body.classList.contains("vscode-high-contrast-light") ||
    matchMedia("(forced-colors: active)").matches;
  const strength = highContrast ? HIGH_CONTRAST_STRENGTH : STRENGTH;
  // Of the body itself, not of its variables: in forced colors these are the system's.
  const background = parseColor(style.backgroundColor, [0, 0, 0]) ?? [0, 0, 0];
  const foreground = parseColor(style.color, background) ?? readableOn(background, [255, 255, 255]);
  const color = (token: string): Rgb => parseColor(style.getPropertyValue(token), background) ?? foreground;
  const paint = (edge: Rgb, share: number, pattern: Pattern = "plain"): Paint => {
    const fill = mix(edge, background, share);
    return {
      fill: cssColor(fill),
      text: cssColor(readableOn(fill, foreground)),
      edge: cssColor(edge),
      pattern,
      stroke: cssColor(mix(edge, background, pattern === "plain" ? 0 : Math.min(1, share + 0.22))),
    };
  };
  const size = Number.parseFloat(style.getPropertyValue("--vscode-editor-font-size")) || LARGEST_FONT;
  return {
    background: cssColor(background),
    outline: cssColor(foreground),
    focus: cssColor(color("--focus")),
    font: `${Math.min(LARGEST_FONT, size)}px ${style.getPropertyValue("--vscode-editor-font-family").trim() || "monospace"}`,
    highContrast,
    python: paint(color("--python"), strength.python),
    libraries: LIBRARY_COLORS.map((name) => paint(color(name), strength.library)),
    other: paint(foreground, strength.other),
    belowThreshold: paint(foreground, strength.other, "hatched"),
    root: paint(foreground, strength.other),
    grown: paint(color("--taken"), strength.change, "rising"),
    shrunk: paint(color("--given-back"), strength.change, "falling"),
    unchanged: paint(foreground, strength.other),
    crumbs: cssColor(mix(foreground, background, highContrast ? 0.5 : 0.24)),
  };
}
