import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { circlesIn, importsBelow, neededBy } from "./importCircles.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

describe("the modules", () => {
  it.each(["src", "webview", "test/workbench/support", "test/integration"])(
    "of %s import each other in no circle",
    (folder) => {
      const circles = circlesIn(importsBelow(path.join(root, folder)));
      expect(circles.map((files) => files.map((file) => path.relative(root, file)))).toEqual([]);
    },
  );
});

describe("neededBy", () => {
  it("takes values and what is passed on, and leaves types, packages and what is loaded on need", () => {
    const source = `
      import "./effect.ts";
      import { a, type A } from "./values.ts";
      import type { B } from "./types.ts";
      import { type C } from "./alsoTypes.ts";
      import * as path from "node:path";
      export { d } from "./passedOn.ts";
      export type { D } from "./passedTypes.ts";
      const late = () => import("./late.ts");
    `;
    expect(neededBy(source)).toEqual(["./effect.ts", "./values.ts", "./passedOn.ts"]);
  });
});

describe("circlesIn", () => {
  it("finds a circle, and one file that imports itself", () => {
    const imports = new Map([
      ["a", ["b"]],
      ["b", ["c"]],
      ["c", ["b"]],
      ["d", ["d", "a"]],
    ]);
    expect(circlesIn(imports)).toEqual([["b", "c"], ["d"]]);
  });

  it("takes two ways to one file for no circle", () => {
    const imports = new Map([
      ["a", ["b", "c"]],
      ["b", ["d"]],
      ["c", ["d"]],
      ["d", []],
    ]);
    expect(circlesIn(imports)).toEqual([]);
  });
});
