import { describe, expect, it } from "vitest";
import { advisedBy, FULL, type Release, type TestRun } from "../testing.ts";

const SOURCE = "import torch\nnet = Net()\nnet = net.to(device)\n";
const LOADED: TestRun = { source: SOURCE, rows: { 2: { net: 60 }, 3: { net: 700 } }, loads: FULL };
const lazy = (run: TestRun) => advisedBy("library-load", { ...LOADED, ...run });

describe("memory that CUDA's libraries take at their first use", () => {
  it("is told with the line and what it added", () => {
    expect(lazy({})).toMatchObject({
      evidence: [expect.stringMatching(/^train\.py:3 added 700\.0 MiB/), expect.any(String)],
      place: { path: "train.py", line: 3 },
      strength: "likely",
    });
  });

  it.each<[Release, RegExp]>([
    ["JetPack 4.6", /needs CUDA 11\.7 or later; this board has CUDA 10\.2 \(JetPack 4\.6\)/],
    ["JetPack 5", /needs CUDA 11\.7 or later; this board has CUDA 11\.4 \(JetPack 5\.1\.2\)/],
    ["JetPack 6", /already loaded only when they are used here \(CUDA 12\.6/],
    ["PC", /already loaded only when they are used here \(CUDA 12\.1\)/],
  ])("has no step on %s, and says why", (release, remedy) => {
    // A PC has so much RAM that the same figure counts only while it is short.
    expect(lazy({ release })).toMatchObject({ remedy: expect.stringMatching(remedy), steps: [] });
  });

  it("offers LAZY where every kernel is loaded on purpose, or by an older PyTorch with CUDA 11.7", () => {
    const step = { kind: "environment", name: "CUDA_MODULE_LOADING", value: "LAZY" };
    expect(lazy({ release: "JetPack 6", environment: { CUDA_MODULE_LOADING: "EAGER" } })?.steps).toMatchObject([step]);
    expect(lazy({ release: "PC", versions: { cuda: "11.7", torch: "1.12.1" } })?.steps).toMatchObject([step]);
    expect(lazy({ release: "JetPack 5", environment: { CUDA_MODULE_LOADING: "EAGER" } })?.steps).toEqual([]);
    expect(lazy({ release: "PC", versions: {} })).toMatchObject({
      steps: [],
      remedy: expect.not.stringContaining("11.7"),
    });
  });

  it("is no symptom where it is small, where CUDA was not used, or where there was room for it", () => {
    expect(lazy({ rows: { 3: { net: 100 } } })).toBeUndefined();
    const cpu = [{ t: 1000, run: { anon: 16_000, file: 200, shmem: 10 } }];
    expect(lazy({ loads: cpu })).toBeUndefined();
    const cuda = { allocated: 30, reserved: 40, context: 250 };
    const roomy = [{ t: 1000, run: { anon: 300, file: 200, shmem: 10 }, cuda }];
    expect(lazy({ loads: roomy })).toBeUndefined();
    expect(lazy({ loads: roomy, rows: { 3: { net: 1100 } } })).toBeDefined();
    expect(lazy({ loads: roomy, rows: { 3: { net: 1100 } }, release: "JetPack 6" })).toBeUndefined();
  });
});
