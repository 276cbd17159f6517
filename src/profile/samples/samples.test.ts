import { expect, it } from "vitest";
import { decodeSample, peakStretch, type Sample, thinAround, thinSamples } from "./samples.ts";

it("leaves out what could not be read", () => {
  expect(decodeSample('{"t":200,"hits":3,"rss":null,"mem_available":5,"at":null}', "f")).toEqual({
    t: 200,
    hits: 3,
    memAvailable: 5,
  });
});

it.each(["", "{", "[]", '{"t":"x"}', '{"rss":1}'])("passes over %s", (line) => {
  expect(decodeSample(line, "f")).toBeUndefined();
});

it("thins a long timeline to its extremes", () => {
  const samples = Array.from(
    { length: 10_000 },
    (_, t): Sample => ({ t, rss: 1000 + (t % 7), memAvailable: 500 - (t % 3) }),
  );
  samples[5432] = { t: 5432, rss: 9999 };
  samples[7654] = { t: 7654, memAvailable: 1 };
  const thin = thinSamples(samples, 200);
  expect(thin.length).toBeLessThanOrEqual(200);
  expect(thin[0]?.t).toBe(0);
  expect(thin.at(-1)?.t).toBe(9999);
  expect(thin).toContainEqual({ t: 5432, rss: 9999 });
  expect(thin).toContainEqual({ t: 7654, memAvailable: 1 });
  expect(thin.map((sample) => sample.t)).toEqual(thin.map((sample) => sample.t).sort((a, b) => a - b));
});

it("leaves those of a part of the time as they are, with some around them", () => {
  const samples = Array.from({ length: 10_000 }, (_, t): Sample => ({ t, rss: 1000 + (t % 7) }));
  const thin = thinAround(samples, 200, { from: 4_000, until: 4_099 });
  expect(thin.filter(({ t }) => t >= 4_000 && t < 4_100)).toEqual(samples.slice(4_000, 4_100));
  expect(thin.length).toBeLessThanOrEqual(200);
  expect([thin[0]?.t, thin.at(-1)?.t]).toEqual([0, 9_999]);
  const times = thin.map(({ t }) => t);
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
});

it("keeps a short timeline as it is", () => {
  const samples: Sample[] = [{ t: 0 }, { t: 1, rss: 5 }];
  expect(thinSamples(samples, 100)).toEqual(samples);
});

it("knows between which samples the peak was reached", () => {
  const samples: Sample[] = [
    { t: 0, rss: 5 },
    { t: 10, rss: 6, rssPeak: 9 },
    { t: 20, rss: 7, rssPeak: 9 },
  ];
  expect(peakStretch(samples)).toEqual({ after: 0, until: 10 });
  expect(peakStretch(samples.slice(1))).toEqual({ after: 0, until: 10 });
  expect(peakStretch([{ t: 3 }])).toBeUndefined();
});
