import { describe, expect, it } from "vitest";
import { bytesOf, contextOf, MIB } from "../testing.ts";
import { importScalene } from "./scalene.ts";

const line = (lineno: number, figures: object, text = "x = 1\n") => ({
  lineno,
  line: text,
  n_avg_mb: 0,
  n_gpu_peak_memory_mb: 0,
  ...figures,
});
const PROFILE = {
  alloc_samples: 91,
  args: ["train.py", "--epochs", "2"],
  elapsed_time_sec: 0.8,
  files: {
    "/home/nano/train.py": {
      functions: [],
      lines: [
        line(1, { n_peak_mb: 30.5, n_growth_mb: 30.5, n_malloc_mb: 50 }),
        line(2, { n_peak_mb: 0, n_malloc_mb: 0 }),
        { lineno: "no" },
        line(3, { n_peak_mb: 9, n_malloc_mb: 45 }, "y = 2\n"),
      ],
    },
  },
  max_footprint_mb: 68,
  memory: true,
  program: "/home/nano/train.py",
  samples: [
    [2_000_000, 20],
    [5_500_000, 60],
    [3_000_000, "no"],
  ],
  start_time_absolute: 1795327336,
};
const imported = (profile: object) => importScalene(bytesOf(JSON.stringify(profile)), contextOf("sc.json"));

describe("importScalene", () => {
  it("takes lines' peaks and the footprint over time, in MiB, and nothing for what lines kept", () => {
    const { profile, samples, notes, sources } = imported(PROFILE);
    expect(profile.files[0]).toMatchObject({
      path: "train.py",
      lines: [
        { line: 1, peak: 30.5 * MIB },
        { line: 3, peak: 9 * MIB },
      ],
    });
    expect(profile.files[0]?.lines[0]).not.toHaveProperty("net");
    expect(sources.get("train.py")).toBe("x = 1\nx = 1\ny = 2\n");
    expect(samples).toEqual([
      { t: 2, rss: 20 * MIB, rssPeak: 20 * MIB },
      { t: 5.5, rss: 60 * MIB, rssPeak: 68 * MIB },
    ]);
    expect(profile.run).toMatchObject({
      command: { script: "train.py", args: ["--epochs", "2"] },
      elapsedMs: 800,
      started: "2026-11-22T06:02:16.000Z",
      imported: { timeline: "memory allocated, as Scalene saw it" },
    });
    expect(notes).toEqual([
      "1 line of the profile has no line number or no figures, and was left out.",
      expect.stringMatching(/n_malloc_mb/),
      expect.stringMatching(/how often/),
    ]);
  });

  it("takes no average for a peak, as old versions have", () => {
    const old = { ...PROFILE, files: { "train.py": { lines: [line(1, { n_growth_mb: 10, n_malloc_mb: 50 })] } } };
    const { profile, notes } = imported(old);
    expect(profile.files).toEqual([]);
    expect(notes.join()).toMatch(/does not report lines' peaks/);
  });

  it("reads NaN and Infinity, which Python writes, as unknown", () => {
    const text = JSON.stringify(PROFILE).replace('"n_peak_mb":30.5', '"n_peak_mb": NaN').replace("0.8", "Infinity");
    const { profile } = importScalene(bytesOf(text), contextOf("sc.json"));
    expect(profile.files[0]?.lines).toEqual([{ line: 3, peak: 9 * MIB }]);
    expect(profile.run).not.toHaveProperty("elapsedMs");
  });

  it.each([
    ["it ends in the middle", JSON.stringify(PROFILE).slice(0, -20)],
    ["it is not JSON", '{"files": nonsense}'],
    ['no table "files"', "{}"],
    ["--cpu-only", JSON.stringify({ ...PROFILE, memory: false, files: {}, samples: [] })],
  ])("refuses a file with words: %s", (words, text) => {
    expect(() => importScalene(bytesOf(text), contextOf("sc.json"))).toThrow(words);
  });
});
