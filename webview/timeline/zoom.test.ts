import { describe, expect, it } from "vitest";
import { including, STEP, zoomed } from "./zoom.ts";

const WHOLE = { from: 0, until: 1_000 };

describe("zooming", () => {
  it("leaves the moment that it is about where it stands", () => {
    expect(zoomed(WHOLE, WHOLE, STEP, 200)).toEqual({ from: 100, until: 600 });
    expect(zoomed({ from: 100, until: 600 }, WHOLE, STEP, 200)).toEqual({ from: 150, until: 400 });
  });

  it("stays within the whole, and is about the nearest end where the moment is out of sight", () => {
    expect(zoomed(WHOLE, WHOLE, STEP, -50)).toEqual({ from: 0, until: 500 });
    expect(zoomed({ from: 800, until: 1_000 }, WHOLE, 2, 1_000)).toEqual({ from: 600, until: 1_000 });
    expect(zoomed({ from: 0, until: 200 }, WHOLE, 2, 200)).toEqual({ from: 0, until: 400 });
  });

  it("ends at the whole on the way out, and at a thousandth of it on the way in", () => {
    expect(zoomed({ from: 0, until: 500 }, WHOLE, 1 / STEP, 0)).toBeUndefined();
    expect(zoomed({ from: 0, until: 1.5 }, WHOLE, STEP, 0)).toEqual({ from: 0, until: 1 });
    expect(zoomed({ from: 0, until: 0 }, { from: 0, until: 0 }, STEP, 0)).toBeUndefined();
  });

  it("follows a moment that leaves what is shown", () => {
    const shown = { from: 100, until: 200 };
    expect(including(shown, WHOLE, 150)).toBe(shown);
    expect(including(shown, WHOLE, 90)).toEqual({ from: 90, until: 190 });
    expect(including(shown, WHOLE, 990)).toEqual({ from: 890, until: 990 });
  });
});
