/** That the pages' style sheets keep to the tokens of webview/base/tokens.css. */
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, expect, test } from "vitest";
import { projectRoot } from "../../workbench/support/workbench.ts";

const root = path.join(projectRoot, "webview");
const sheets = fs
  .readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".css"))
  .map((name) => ({
    name,
    text: fs.readFileSync(path.join(root, name), "utf8").replace(/\/\*[\s\S]*?\*\//g, ""),
  }));
const tokens = sheets.find(({ name }) => name === path.join("base", "tokens.css"))?.text ?? "";
const others = sheets.filter(({ text }) => text !== tokens);
/** `property: value` of a sheet, without custom properties. */
const declarations = (text: string): readonly (readonly [property: string, value: string])[] =>
  [...text.matchAll(/(?<![\w-])([a-z][a-z-]*):\s([^;{}]+);/g)].map(([, property = "", value = ""]) => [
    property,
    value,
  ]);
const found = (test: (property: string, value: string) => boolean): readonly string[] =>
  others.flatMap(({ name, text }) =>
    declarations(text)
      .filter(([property, value]) => test(property, value))
      .map(([property, value]) => `${name}: ${property}: ${value}`),
  );

const COLOR = /#[0-9a-f]{3,8}\b|\b(rgb|hsl|lab|lch|oklab|oklch|hwb)a?\(|\b(white|black|red|green|blue|gray|grey)\b/i;
const SPACE = /^(gap|row-gap|column-gap|(padding|margin)(-[a-z]+)?)$/;

describe("the pages’ style sheets", () => {
  test("there are some, and the tokens are among them", () => {
    expect(others.length).toBeGreaterThan(8);
    expect(tokens).toContain("--series-1");
  });

  test("colors are named in the tokens only", () => {
    expect(found((_, value) => COLOR.test(value))).toEqual([]);
  });

  test("the theme’s variables are read by what all pages share only", () => {
    expect(
      others.filter(({ name, text }) => !name.startsWith("base") && text.includes("--vscode-")).map(({ name }) => name),
    ).toEqual([]);
    expect(others.filter(({ text }) => /--vscode-(charts|terminal)/.test(text)).map(({ name }) => name)).toEqual([]);
  });

  test("space, type and corners are of the scale", () => {
    // 1 px is a hair's breadth, and what is calculated follows something else.
    expect(found((property, value) => SPACE.test(property) && /(?<![\w.-])([2-9]|\d{2,})px/.test(value))).toEqual([]);
    expect(found((property, value) => property === "font-size" && !/^(var\(|inherit$)/.test(value))).toEqual([]);
    expect(found((property, value) => property === "border-radius" && !/^(var\(|50%$)/.test(value))).toEqual([]);
  });

  test("what is used is defined", () => {
    const all = sheets.map(({ text }) => text).join("");
    const defined = new Set([...all.matchAll(/(--[\w-]+):/g)].map(([, name]) => name));
    // Those with a comma have a fallback; the theme's come from the editor.
    const used = [...all.matchAll(/var\((--[\w-]+)\)/g)].map(([, name = ""]) => name);
    expect(used.filter((name) => !name.startsWith("--vscode-") && !defined.has(name))).toEqual([]);
  });

  test("nothing moves by itself", () => {
    expect(found((property, value) => /^(transition|animation)/.test(property) && value !== "none")).toEqual([]);
  });
});
