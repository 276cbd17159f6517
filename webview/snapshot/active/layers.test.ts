import { describe, expect, test } from "vitest";
import { firstAbove, highestStep, stepAt } from "./curve.ts";
import { LiveSweep, layerAt, placesOf } from "./layers.ts";
import { type LayerColors, paintLayers } from "./raster.ts";

/** Bottom to top: A all the time, B from 2 to 4, C from 3 on. */
const LAYERS = {
  start: Uint32Array.of(0, 2, 3),
  end: Uint32Array.of(99, 4, 99),
  size: Float64Array.of(40, 20, 10),
};

describe("what is live", () => {
  const liveAt = (sweep: LiveSweep, moment: number): number[] => [...placesOf(sweep.at(moment))];

  test("is found moment after moment, from the bottom up", () => {
    const sweep = new LiveSweep(LAYERS);
    expect([0, 1, 2, 3, 4].map((moment) => liveAt(sweep, moment))).toEqual([[0], [0], [0, 1], [0, 1, 2], [0, 2]]);
  });

  test("is found again when one goes back, and when one stays", () => {
    const sweep = new LiveSweep(LAYERS);
    sweep.at(4);
    expect(liveAt(sweep, 2)).toEqual([0, 1]);
    expect(liveAt(sweep, 2)).toEqual([0, 1]);
  });

  test("lies at heights that are the sum of what is below", () => {
    const live = new LiveSweep(LAYERS).at(3);
    expect([...live.top]).toEqual([40, 60, 70]);
    expect([0, 39, 40, 59, 60, 69, 70].map((bytes) => layerAt(live, bytes))).toEqual([0, 0, 1, 1, 2, 2, undefined]);
  });

  test("says how much of it is as it was before", () => {
    const sweep = new LiveSweep(LAYERS);
    expect([0, 2, 3, 4, 4, 2].map((moment) => sweep.at(moment).same)).toEqual([0, 1, 2, 1, 2, 0]);
  });
});

describe("a figure in steps", () => {
  const moments = Float64Array.of(0, 10, 20, 30);
  const values = Float64Array.of(5, 50, 20, 60);

  test("keeps its value until the next step", () => {
    expect([-1, 0, 9, 10, 19, 25, 99].map((moment) => stepAt(moments, moment))).toEqual([0, 0, 0, 1, 1, 2, 3]);
    expect(firstAbove(new Float64Array(), 3)).toBe(0);
  });

  test("has its highest step in a range, whose end is not in it", () => {
    const highest = (from: number, to: number): number => highestStep(moments, values, from, to);
    expect([highest(0, 30), highest(0, 31), highest(12, 30), highest(21, 22), highest(0, 5)]).toEqual([1, 3, 1, 2, 0]);
  });
});

describe("the picture", () => {
  const colors: LayerColors = {
    fill: Uint32Array.of(1, 2, 3),
    edge: Uint32Array.of(11, 12, 13),
    rest: 7,
    background: 0,
  };
  const paint = (moments: readonly number[], rest: readonly number[], height: number, highest: number): number[][] => {
    const width = moments.length;
    const words = new Uint32Array(width * height);
    const columns = { moment: Uint32Array.from(moments), rest: Float64Array.from(rest) };
    paintLayers({ words, width, height }, LAYERS, columns, highest, colors);
    // Each column from the bottom up.
    return moments.map((_, x) =>
      Array.from({ length: height }, (__, row) => words[(height - 1 - row) * width + x] ?? -1),
    );
  };

  test("has each layer as high as its bytes, the rest on top, and the background above", () => {
    expect(paint([0, 3, 4], [10, 0, 20], 8, 80)).toEqual([
      [1, 1, 1, 11, 7, 0, 0, 0],
      [1, 1, 1, 11, 2, 2, 3, 0],
      [1, 1, 1, 11, 3, 7, 7, 0],
    ]);
  });

  test("of many random allocations is, in each column, that of the column alone", () => {
    let seed = 7;
    const random = (limit: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % limit;
    };
    const start = Uint32Array.from({ length: 500 }, () => random(100)).sort();
    const layers = {
      start,
      end: start.map((from) => from + 1 + random(60)),
      size: Float64Array.from(start, () => 1 + random(40)),
    };
    const many = { ...colors, fill: start.map((_, i) => i + 1), edge: start.map((_, i) => i + 1) };
    const width = 80;
    const height = 200;
    const columns = { moment: Uint32Array.from({ length: width }, (_, x) => x), rest: new Float64Array(width) };
    const together = { words: new Uint32Array(width * height), width, height };
    paintLayers(together, layers, columns, 4_000, many);
    for (let x = 0; x < width; x++) {
      const alone = { words: new Uint32Array(height), width: 1, height };
      paintLayers(alone, layers, { moment: Uint32Array.of(x), rest: new Float64Array(1) }, 4_000, many);
      expect(alone.words).toEqual(together.words.filter((_, at) => at % width === x));
    }
  });

  test("shows one moment in as many columns as it takes", () => {
    const [first, second] = paint([2, 2], [0, 0], 8, 80);
    expect(second).toEqual(first);
  });

  test("gives layers below a pixel the room that they have together", () => {
    expect(paint([3], [0], 2, 140)).toEqual([[1, 0]]);
    expect(paint([3], [0], 3, 105)).toEqual([[1, 2, 0]]);
  });
});
