import { describe, expect, test } from "vitest";
import type { FrameTree } from "../../src/massif/model.ts";
import { layOut } from "../../src/massif/tree/layout.ts";
import { rectangleAt, rectanglesByNode, rowCount, visitRow } from "./rows.ts";

/** A root with children of these sizes. */
function flat(sizes: readonly number[]): FrameTree {
  const all = sizes.reduce((sum, size) => sum + size, 0);
  return {
    frames: [{ kind: "all" }],
    frame: new Uint32Array(sizes.length + 1),
    parent: new Uint32Array(sizes.length + 1),
    self: Float64Array.from([0, ...sizes]),
    total: Float64Array.from([all, ...sizes]),
  };
}

const layoutOf = (sizes: readonly number[]) => layOut(flat(sizes), { minWidth: 0 });

function seen(sizes: readonly number[], view: { from: number; to: number }, size: { least: number; pixel: number }) {
  const rectangles: number[] = [];
  const crumbs: [number, number][] = [];
  visitRow(layoutOf(sizes), 1, view, size, {
    rectangle: (index) => rectangles.push(index),
    crumbs: (x0, x1) => crumbs.push([x0, x1]),
  });
  return { rectangles, crumbs };
}

describe("a row of the graph", () => {
  test("shows only what lies in view", () => {
    expect(seen([4, 3, 2, 1], { from: 0.41, to: 0.69 }, { least: 0, pixel: 0 }).rectangles).toEqual([2]);
    expect(seen([4, 3, 2, 1], { from: 0.39, to: 0.71 }, { least: 0, pixel: 0 }).rectangles).toEqual([1, 2, 3]);
  });

  test("joins what is too narrow within each pixel, and leaves nothing out", () => {
    const sizes = [500, ...Array.from({ length: 500 }, () => 1)];
    const { rectangles, crumbs } = seen(sizes, { from: 0, to: 1 }, { least: 0.005, pixel: 0.01 });
    expect(rectangles).toEqual([1]);
    expect(crumbs).toEqual([[expect.closeTo(0.5), expect.closeTo(1)]]);
  });

  test("does not join over what is wide enough, nor over a gap", () => {
    // Two parents with a narrow child each: between the children there is nothing.
    const tree: FrameTree = {
      frames: [{ kind: "all" }],
      frame: new Uint32Array(6),
      parent: Uint32Array.from([0, 0, 1, 0, 3, 0]),
      self: new Float64Array(6),
      total: Float64Array.from([100, 50, 1, 49, 1, 1]),
    };
    const crumbs: [number, number][] = [];
    const rectangles: number[] = [];
    const visitor = {
      rectangle: (at: number) => rectangles.push(at),
      crumbs: (a: number, b: number) => crumbs.push([a, b]),
    };
    const layout = layOut(tree, { minWidth: 0 });
    visitRow(layout, 2, { from: 0, to: 1 }, { least: 0.02, pixel: 0.02 }, visitor);
    expect(crumbs).toEqual([
      [0, 0.01],
      [0.5, 0.51],
    ]);
    visitRow(layout, 1, { from: 0, to: 1 }, { least: 0.02, pixel: 0.02 }, visitor);
    expect(rectangles).toHaveLength(2);
    expect(crumbs).toHaveLength(3);
  });

  test("its work depends on the pixels, not on the frames", () => {
    const layout = layoutOf(Array.from({ length: 200_000 }, () => 1));
    let reads = 0;
    const counted = new Proxy(layout.x1, {
      get(target, key) {
        reads++;
        return Reflect.get(target, key);
      },
    });
    const visitor = { rectangle: () => undefined, crumbs: () => undefined };
    visitRow({ ...layout, x1: counted }, 1, { from: 0, to: 1 }, { least: 0.0005, pixel: 0.001 }, visitor);
    expect(reads).toBeLessThan(1_000 * 25);
  });

  test("finds what is at a place", () => {
    const layout = layoutOf([4, 3, 2, 1]);
    expect(rowCount(layout)).toBe(2);
    const nodeAt = (x: number) => layout.node[rectangleAt(layout, 1, x) ?? -1];
    expect([0, 0.39, 0.41, 0.95].map(nodeAt)).toEqual([1, 1, 2, 4]);
    expect([rectangleAt(layout, 1, 1), rectangleAt(layout, 2, 0.5), rectangleAt(layout, -1, 0.5)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([...rectanglesByNode(layout, 6)]).toEqual([0, 1, 2, 3, 4, -1]);
  });
});
