/** The theme's colors, for lines and for the states of blocks. */

import { mix, parseColor, type Rgb } from "../flame/color.ts";
import { LINE_COLORS, type LineColor } from "./lines.ts";

export type Shades = readonly [Rgb, Rgb];

export interface Colors {
  readonly background: Rgb;
  readonly foreground: Rgb;
  readonly focus: Rgb;
  /** By the line's place; two shades, so that neighbors of one line can be told apart. */
  readonly lines: readonly Shades[];
  /** Lines that have no color of their own. */
  readonly other: Shades;
  /** What has no stack. */
  readonly none: Shades;
  /** Allocations too small to be drawn for themselves. */
  readonly rest: Rgb;
  /** Blocks that were freed but await another stream. */
  readonly waiting: Rgb;
  readonly free: Rgb;
  readonly font: string;
}

/** Tokens of base/tokens.css, in an order in which neighbors differ most. */
const LINES = ["--series-1", "--series-2", "--series-4", "--series-3", "--series-5", "--series-6"] as const;
const SHADES = [0.88, 0.72] as const;
const OTHER_SHADES = [0.66, 0.58] as const;
const NONE_SHADES = [0.42, 0.37] as const;

export function colorsOf(body: HTMLElement): Colors {
  const style = getComputedStyle(body);
  // Of the body itself, not of its variables: in forced colors these are the system's.
  const background = parseColor(style.backgroundColor, [0, 0, 0]) ?? [0, 0, 0];
  const foreground = parseColor(style.color, background) ?? [128, 128, 128];
  const read = (token: string): Rgb => parseColor(style.getPropertyValue(token), background) ?? foreground;
  const shades = (color: Rgb, [first, second]: readonly [number, number]): Shades => [
    mix(color, background, first),
    mix(color, background, second),
  ];
  return {
    background,
    foreground,
    focus: read("--focus"),
    lines: LINES.slice(0, LINE_COLORS).map((token) => shades(read(token), SHADES)),
    other: shades(foreground, OTHER_SHADES),
    none: shades(foreground, NONE_SHADES),
    rest: mix(foreground, background, 0.22),
    waiting: mix(foreground, background, 0.3),
    free: mix(foreground, background, 0.08),
    font: `12px ${style.getPropertyValue("--vscode-font-family").trim() || "sans-serif"}`,
  };
}

export function shadesOf({ lines, other, none }: Colors, color: LineColor): Shades {
  if (color === "none") return none;
  return color === "other" ? other : (lines[color] ?? other);
}

/** As a word of ImageData, on the little-endian machines that there are. */
export const pixelOf = ([red, green, blue]: Rgb): number => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
