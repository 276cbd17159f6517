import { describe, expect, it } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { runSettings, viewSettings } from "./settings.ts";

const from = (values: Record<string, unknown>) => (name: string) => values[name];

describe("settings", () => {
  it("has the same defaults as the manifest", () => {
    const properties = new Map<string, { default: unknown }>(
      manifest.contributes.configuration.flatMap((category) => Object.entries(category.properties)),
    );
    const declared = (name: string) => properties.get(`jetsonMemprof.${name}`)?.default;
    expect(runSettings(declared)).toEqual(runSettings(from({})));
    expect(viewSettings(declared)).toEqual(viewSettings(from({})));
  });

  it("takes bytes from MiB and empty text as not set", () => {
    expect(runSettings(from({ outputLimitMiB: 2, target: " ", python: " ~/venv " }))).toMatchObject({
      outputLimit: 2 * 1024 * 1024,
      target: undefined,
      python: "~/venv",
    });
  });

  it("takes the mean of native stacks from KiB", () => {
    expect(runSettings(from({})).nativeStacksMean).toBe(512 * 1024);
    expect(runSettings(from({ "nativeStacks.sampleKiB": 64 })).nativeStacksMean).toBe(65_536);
  });

  it("hands the script's variables on as they are written", () => {
    const environment = { PYTORCH_CUDA_ALLOC_CONF: "max_split_size_mb:128", EMPTY: "", _x1: "a=b c" };
    expect(runSettings(from({ environment })).environment).toEqual(environment);
    expect(runSettings(from({})).environment).toEqual({});
    expect(runSettings(from({ environment: null })).environment).toEqual({});
  });

  it("refuses values of another kind, naming the setting", () => {
    for (const [name, value] of [
      ["target", 3],
      ["exclude", "data/"],
      ["exclude", [1]],
      ["engine", "massif"],
      ["exactMode", "yes"],
      ["outputLimitMiB", 0],
      ["outputLimitMiB", Number.NaN],
      ["watch.intervalMs", 249],
      ["watch.intervalMs", 60_001],
      ["watch.intervalMs", "1000"],
      ["nativeStacks.sampleKiB", 3],
      ["nativeStacks.sampleKiB", "512"],
      ["torch.snapshots", 1],
      ["torch.exactPeaks", "yes"],
      ["torch.snapshotEntries", 999],
      ["torch.snapshotEntries", 1_000_001],
      ["environment", "OMP_NUM_THREADS=2"],
      ["environment", ["OMP_NUM_THREADS=2"]],
      ["environment", { OMP_NUM_THREADS: 2 }],
      ["environment", { "1BAD": "x" }],
      ["environment", { "A B": "x" }],
      ["environment", { "": "x" }],
    ] as const) {
      expect(() => runSettings(from({ [name]: value })), name).toThrow(`The setting jetsonMemprof.${name} must be`);
    }
    expect(viewSettings(from({ "decorations.threshold": -1 })).threshold).toBeGreaterThan(0);
    expect(viewSettings(from({ "decorations.metric": "vram" })).metric).toBe("rss");
    expect(viewSettings(from({ "decorations.position": "left" })).position).toBe("automatic");
  });
});
