import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { allWrongWays, FLOORS, wrongWays } from "./floors.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

describe("the floors", () => {
  it("import only what they may", () => {
    expect(allWrongWays(root)).toEqual([]);
  });

  it("may import in no circle", () => {
    const reach = (floor: string, above: readonly string[]): void => {
      expect(above).not.toContain(floor);
      for (const next of FLOORS[floor]?.may ?? []) reach(next, [...above, floor]);
    };
    for (const floor of Object.keys(FLOORS)) reach(floor, []);
  });
});

describe("wrongWays", () => {
  it("finds an import by where it leads, whatever the folders on the way are called", () => {
    const source = `
      import { a } from "../../profile/formats/exportJson.ts";
      import type { B } from "../../server/formats/exportRun.ts";
      import { c } from "../formats/exportRun.ts";
    `;
    expect(wrongWays("src/cli/runs/report.ts", source)).toEqual([
      expect.stringContaining("src/cli/runs/report.ts imports ../../server/formats/exportRun.ts: src/cli may import"),
    ]);
  });

  it("finds what is loaded on need, and types", () => {
    expect(wrongWays("src/words/t.ts", 'const a = () => import("../profile/model.ts");')).toHaveLength(1);
    expect(wrongWays("src/words/t.ts", 'let a: import("../profile/model.ts").Run;')).toHaveLength(1);
    expect(wrongWays("src/words/t.ts", 'export type { Run } from "../profile/model.ts";')).toHaveLength(1);
  });

  it("lets a floor that runs in a page have nothing of Node's, but for its tests and its folder for Node", () => {
    const source = 'import * as fs from "node:fs";';
    expect(wrongWays("src/compare/changes.ts", source)).toHaveLength(1);
    expect(wrongWays("src/compare/changes.test.ts", source)).toEqual([]);
    expect(wrongWays("src/compare/node/loadRun.ts", source)).toEqual([]);
    expect(wrongWays("src/profile/run/runFolder.ts", source)).toEqual([]);
  });

  it("lets the editor alone use VS Code, and says where a file of no floor lies", () => {
    const source = 'import * as vscode from "vscode";';
    expect(wrongWays("src/editor/commands.ts", source)).toEqual([]);
    expect(wrongWays("src/server/handlers.ts", source)).toHaveLength(1);
    expect(wrongWays("src/odd/a.ts", "")).toEqual([expect.stringContaining("src/odd/a.ts lies on no floor")]);
  });
});
