import { describe, expect, it } from "vitest";
import { createThinning, MOST_SAMPLES, thinned } from "./thinned.ts";

const thinning = (figures: Iterable<number>) => {
  const made = createThinning<string>();
  let item = 0;
  for (const figure of figures) made.add(figure, String(item++));
  return made;
};

function* walk(count: number): Generator<number> {
  for (let at = 0, state = 7; at < count; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    yield 1_000_000 + (state % 1_000);
  }
}

describe("a timeline that is thinned as it comes", () => {
  it("keeps every measurement up to its limit", () => {
    const made = thinning(walk(MOST_SAMPLES));
    expect(made.kept()).toHaveLength(MOST_SAMPLES);
    expect(made.kept().map(({ rss }) => rss)).toEqual([...walk(MOST_SAMPLES)]);
    expect(thinning([]).kept()).toEqual([]);
  });

  it.each([MOST_SAMPLES + 1, MOST_SAMPLES + 2, 250_001, 600_001])("stays below it after %i", (count) => {
    const made = thinning(walk(count));
    const kept = made.kept();
    expect(made.count()).toBe(count);
    expect(kept.length).toBeLessThanOrEqual(MOST_SAMPLES);
    expect(kept.length).toBeGreaterThan(MOST_SAMPLES / 4);
    expect(kept[0]?.position).toBe(0);
    expect(kept.at(-1)?.position).toBe(count - 1);
    expect(kept.every(({ position, item }) => item === String(position))).toBe(true);
    expect(kept.every(({ position }, at) => position > (kept[at - 1]?.position ?? -1))).toBe(true);
  });

  it("keeps the lowest and the highest of each stretch, wherever a single spike stands", () => {
    for (const at of [0, 99_999, 100_000, 133_333, 249_999]) {
      for (const spike of [1, 9_000_000]) {
        const figures = Array.from(walk(250_000), (figure, position) => (position === at ? spike : figure));
        const kept = thinning(figures).kept();
        expect(kept.find(({ rss }) => rss === spike)).toEqual({ position: at, rss: spike, item: String(at) });
      }
    }
  });

  it("leaves no long stretch out", () => {
    const positions = thinning(walk(300_000))
      .kept()
      .map(({ position }) => position);
    const gaps = positions.map((position, at) => position - (positions[at - 1] ?? 0));
    // Two neighbors that are both at the outer ends of their stretches.
    expect(gaps.reduce((a, b) => Math.max(a, b))).toBeLessThanOrEqual(2 * 8);
  });
});

it("says how many were kept, and of each sample the highest figure up to it", () => {
  const all = Array.from(walk(200_000), (rss, t) => ({ t, rss }));
  const { samples, notes } = thinned(all);
  expect(notes).toEqual([expect.stringMatching(/^Of 200,000 measurements [\d,]+ were kept/)]);
  expect(samples.at(-1)?.rssPeak).toBe(all.reduce((most, { rss }) => Math.max(most, rss), 0));
  expect(thinned(all.slice(0, 3)).notes).toEqual([]);
});
