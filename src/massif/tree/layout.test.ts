import { describe, expect, it } from "vitest";
import type { FrameTree } from "../model.ts";
import { frameTreeOf, viewOf } from "./frameTree.ts";
import { layOut } from "./layout.ts";
import { depths, stackOf } from "./treeShape.ts";
import { at, FACTS, randomTree } from "./treeTesting.ts";

const tree = (seed: number): FrameTree =>
  viewOf(frameTreeOf(randomTree(seed, 300), FACTS), { direction: "callers-first", allFrames: false });

function rectangles(layout: ReturnType<typeof layOut>) {
  return new Map(
    [...layout.node.keys()].map((index) => [
      at(layout.node, index),
      { x0: at(layout.x0, index), x1: at(layout.x1, index), depth: at(layout.depth, index) },
    ]),
  );
}

describe("a layout", () => {
  it("gives every node the width of its bytes, inside its parent and beside its siblings", () => {
    for (let seed = 0; seed < 40; seed++) {
      const subject = tree(seed);
      const layout = layOut(subject, { minWidth: 0 });
      const byNode = rectangles(layout);
      const depth = depths(subject);
      const all = at(subject.total, 0);
      expect(byNode.size).toBe([...subject.total].filter((bytes) => bytes > 0).length);
      for (const [node, { x0, x1, depth: row }] of byNode) {
        expect(x1 - x0).toBeCloseTo(at(subject.total, node) / all, 9);
        expect(row).toBe(depth[node]);
        const parent = byNode.get(at(subject.parent, node));
        expect(x0).toBeGreaterThanOrEqual(parent?.x0 ?? 1);
        expect(x1).toBeLessThanOrEqual((parent?.x1 ?? 0) + 1e-9);
      }
      for (let row = 0; row + 1 < layout.rows.length; row++) {
        for (let index = at(layout.rows, row); index < at(layout.rows, row + 1); index++) {
          expect(layout.depth[index]).toBe(row);
          if (index > at(layout.rows, row))
            expect(at(layout.x0, index)).toBeGreaterThanOrEqual(at(layout.x1, index - 1) - 1e-9);
        }
      }
    }
  });

  it("leaves out what is narrower than asked for, with all below", () => {
    for (let seed = 0; seed < 20; seed++) {
      const subject = tree(seed);
      const all = rectangles(layOut(subject, { minWidth: 0 }));
      const wide = rectangles(layOut(subject, { minWidth: 0.02 }));
      const expected = [...all].filter(([node]) => at(subject.total, node) / at(subject.total, 0) >= 0.02);
      expect(new Map(wide)).toEqual(new Map(expected));
    }
  });

  it("zooms: the node and all above it have the full width, the rest below it is laid out in it", () => {
    for (let seed = 0; seed < 20; seed++) {
      const subject = tree(seed);
      const all = rectangles(layOut(subject, { minWidth: 0 }));
      const [root = 0] = [...all.keys()].filter((node) => stackOf(subject, node).length === 2);
      const frame = all.get(root) ?? { x0: 0, x1: 1 };
      const zoomed = rectangles(layOut(subject, { minWidth: 0, root }));
      for (const [node, { x0, x1 }] of zoomed) {
        if (node <= root) {
          expect({ x0, x1 }).toEqual({ x0: 0, x1: 1 });
          expect([0, ...stackOf(subject, root)]).toContain(node);
          continue;
        }
        expect(stackOf(subject, node)).toContain(root);
        const place = all.get(node) ?? { x0: 0 };
        expect(x0).toBeCloseTo((place.x0 - frame.x0) / (frame.x1 - frame.x0), 6);
      }
      const below = [...all.keys()].filter((node) => stackOf(subject, node).includes(root));
      expect(zoomed.size).toBe(below.length + 2);
    }
  });

  it("has nothing to show where nothing was allocated", () => {
    const empty: FrameTree = {
      frames: [{ kind: "all" }],
      frame: new Uint32Array(1),
      parent: new Uint32Array(1),
      self: new Float64Array(1),
      total: new Float64Array(1),
    };
    expect(layOut(empty, { minWidth: 0 }).node.length).toBe(0);
  });
});
