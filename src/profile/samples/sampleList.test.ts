import { describe, expect, it } from "vitest";
import { createSampleList } from "./sampleList.ts";

const line = (t: number, rss: number): string => JSON.stringify({ t, rss });

describe("the samples of a timeline", () => {
  it("are all kept while they are few", () => {
    const list = createSampleList("f", { samples: 4, samplesRead: 100 });
    list.add('{"record":"header","schema":1}');
    for (let t = 0; t < 4; t++) list.add(line(t, 10 * t));
    expect(list.samples()).toEqual([0, 1, 2, 3].map((t) => ({ t, rss: 10 * t })));
    expect([list.rssPeak(), list.cut()]).toEqual([30, false]);
  });

  it("stand for their neighbors where they are many: in order, with every peak of the RSS among them", () => {
    const list = createSampleList("f", { samples: 64, samplesRead: 100_000 });
    const peaks = new Map([
      [777, 900],
      [5_000, 950],
      [9_999, 980],
    ]);
    for (let t = 0; t < 10_000; t++) list.add(line(t, peaks.get(t) ?? t % 7));
    const kept = list.samples();
    expect(kept.length).toBeLessThanOrEqual(64);
    expect(kept.length).toBeGreaterThan(30);
    expect(kept.map(({ t }) => t)).toEqual(kept.map(({ t }) => t).sort((a, b) => a - b));
    expect(list.last()).toEqual({ t: 9_999, rss: 980 });
    for (const [t, rss] of peaks) expect(kept).toContainEqual({ t, rss });
    // Each stretch has one.
    const gaps = kept.slice(1).map(({ t }, at) => t - (kept[at]?.t ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(2 * 256);
    expect(list.rssPeak()).toBe(980);
  });

  it("end where there are more than are looked at, and say so", () => {
    const list = createSampleList("f", { samples: 10, samplesRead: 20 });
    for (let t = 0; t < 25; t++) list.add(line(t, t));
    expect(list.cut()).toBe(true);
    expect(list.rssPeak()).toBe(19);
    expect(list.samples().at(-1)).toEqual({ t: 19, rss: 19 });
  });

  it.each([
    '{"t":-1}',
    '{"t":1,"rss":"1"}',
    '{"t":1,"rss":-5}',
    '{"t":1,"at":[1]}',
    '{"t":1,"at":[1.5,2]}',
    '{"t":1e300}',
    "[]",
    "",
    '{"t":1,"hits":true}',
  ])("%j is no sample", (text) => {
    const list = createSampleList("f");
    list.add(text);
    expect(list.samples()).toEqual([]);
  });

  it("leave out what could not be read", () => {
    const list = createSampleList("f");
    list.add('{"t":1,"hits":null,"rss":null,"rss_peak":7,"mem_available":0,"at":[0,3],"more":1}');
    expect(list.samples()).toEqual([{ t: 1, rssPeak: 7, memAvailable: 0, at: [0, 3] }]);
  });
});
