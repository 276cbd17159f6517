/** The colors of data, for every kind of sight and on every ground. */
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, expect, test } from "vitest";
import { contrast, mix, parseColor, type Rgb } from "../../../webview/flame/color.ts";
import { projectRoot } from "../../workbench/support/workbench.ts";
import { THEMES } from "./page.ts";
import { difference, SIGHTS, type Sight } from "./sight.ts";

/** Two kinds that may lie anywhere beside each other. CIE 1976: about ten times what can just be seen. */
const APART = 20;
/** Taken and given back are opposites. */
const OPPOSITE = 60;
/** WCAG 2.2: parts of pictures, and text. */
const PICTURE = 3;
const TEXT = 4.5;

const [darkPart = "", lightPart = ""] = fs
  .readFileSync(path.join(projectRoot, "webview/base/tokens.css"), "utf8")
  .split("body.vscode-light");

function token(part: string, name: string): Rgb {
  const color = parseColor(new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(part)?.[1] ?? "", [0, 0, 0]);
  if (color === undefined) throw new Error(`tokens.css has no color --${name}.`);
  return color;
}

const PALETTES = [
  ["dark", darkPart, ["dark", "hc-dark"]],
  ["light", lightPart, ["light", "hc-light"]],
] as const;
const sights = Object.keys(SIGHTS) as Sight[];
const groundOf = (theme: keyof typeof THEMES): Rgb =>
  parseColor(THEMES[theme].variables["editor-background"], [0, 0, 0]) ?? [0, 0, 0];
const pairs = <Item>(items: readonly Item[]): [Item, Item][] =>
  items.flatMap((a, i) => items.slice(i + 1).map((b): [Item, Item] => [a, b]));

describe.each(PALETTES)("the colors on %s themes", (_, part, themes) => {
  const series = [1, 2, 3, 4, 5, 6].map((place) => token(part, `series-${place}`));
  const said = ["taken", "given-back", "good", "warning", "error"] as const;

  test.each(sights)("any two of the six kinds are apart, as seen with %s sight", (sight) => {
    const nearest = Math.min(...pairs(series).map(([a, b]) => difference(a, b, sight)));
    expect(nearest).toBeGreaterThanOrEqual(APART);
  });

  test.each(sights)("taken and given back are opposites, as seen with %s sight", (sight) => {
    expect(difference(token(part, "taken"), token(part, "given-back"), sight)).toBeGreaterThanOrEqual(OPPOSITE);
  });

  test.each(themes)("stand out from the ground of the %s theme", (theme) => {
    const ground = groundOf(theme);
    for (const color of series) expect(contrast(color, ground), color.join()).toBeGreaterThanOrEqual(PICTURE);
    for (const name of said)
      expect(contrast(token(part, name), ground), name).toBeGreaterThanOrEqual(name === "warning" ? PICTURE : TEXT);
  });

  // As memory.css mixes them, from the run up to the cache.
  test.each(sights)("groups of the ledger that lie side by side are apart, as seen with %s sight", (sight) => {
    const groups = [2, 3, 1, 5, 4].map((place) => mix(token(part, `series-${place}`), groundOf(themes[0]), 0.75));
    const beside = groups.slice(1).map((color, i) => difference(color, groups[i] ?? color, sight));
    expect(Math.min(...beside)).toBeGreaterThanOrEqual(APART);
  });
});

interface ContributedColor {
  readonly id: string;
  readonly defaults: Readonly<Record<string, string>>;
}
const contributed: readonly ContributedColor[] = JSON.parse(
  fs.readFileSync(path.join(projectRoot, "package.json"), "utf8"),
).contributes.colors;
const KINDS = [
  ["dark", "dark"],
  ["light", "light"],
  ["highContrast", "hc-dark"],
  ["highContrastLight", "hc-light"],
] as const;
/** Between two steps of the ramp, which differ in weight and in the look of their line as well. */
const STEP = 14;

describe.each(KINDS)("figures beside lines in %s themes", (kind, theme) => {
  const ground = groundOf(theme);
  const color = (name: string, under: Rgb): Rgb =>
    parseColor(contributed.find(({ id }) => id === `jetsonMemprof.${name}`)?.defaults[kind] ?? "", under) ?? under;
  const ink = (name: string): Rgb => color(`${name}Foreground`, ground);

  test("can be read, on the tint of their line too", () => {
    for (const name of ["none", "low", "medium", "high", "freed", "stale"])
      expect(contrast(ink(name), ground), name).toBeGreaterThanOrEqual(TEXT);
    for (const name of ["medium", "high"])
      expect(contrast(ink(name), color(`${name}Background`, ground)), name).toBeGreaterThanOrEqual(TEXT);
  });

  test.each(sights)("are steps of one ramp, and what is given back is far from it, with %s sight", (sight) => {
    expect(difference(ink("low"), ink("medium"), sight)).toBeGreaterThanOrEqual(STEP);
    expect(difference(ink("medium"), ink("high"), sight)).toBeGreaterThanOrEqual(STEP);
    for (const name of ["low", "medium", "high"])
      expect(difference(ink(name), ink("freed"), sight), name).toBeGreaterThanOrEqual(2 * STEP);
  });
});
