import { describe, expect, test } from "vitest";
import { between, clampTop, panBy, WHOLE, zoomAt } from "./viewport.ts";

describe("the visible part", () => {
  test("zooming keeps what is under the pointer where it is", () => {
    const view = zoomAt({ from: 0.2, to: 0.6, top: 3 }, 0.3, 0.5);
    expect((0.3 - view.from) / (view.to - view.from)).toBeCloseTo(0.25);
    expect(view.to - view.from).toBeCloseTo(0.2);
    expect(view.top).toBe(3);
  });

  test("never leaves the graph, however far it is zoomed or moved", () => {
    expect(zoomAt(WHOLE, 0.5, 10)).toEqual(WHOLE);
    let view = WHOLE;
    for (let i = 0; i < 200; i++) view = zoomAt(view, 1, 0.5);
    expect(view.to).toBe(1);
    expect(view.from).toBeLessThan(view.to);
    expect(panBy({ from: 0.4, to: 0.6, top: 0 }, -9, -9, 100, 10)).toEqual({
      from: 0,
      to: expect.closeTo(0.2),
      top: 0,
    });
    expect(panBy({ from: 0.4, to: 0.6, top: 0 }, 9, 999, 100, 10)).toEqual({
      from: expect.closeTo(0.8),
      to: expect.closeTo(1),
      top: 90,
    });
    expect(clampTop(5, 3, 10)).toBe(0);
  });

  test("moves evenly from one view to another", () => {
    expect(between(WHOLE, { from: 0.5, to: 0.6, top: 4 }, 0.5)).toEqual({ from: 0.25, to: 0.8, top: 2 });
  });
});
