import { describe, expect, it } from "vitest";
import { atOnce } from "../../profile/files/inTurns.ts";
import type { EndingKind } from "../ending/model.ts";
import { advise } from "./advise.ts";
import { ALL, advised, FULL, inputOf, JETSONS, type Release, type TestRun } from "./testing.ts";

/** Does all that the rules look for. */
const SOURCE = `import torch
net = Net()
net = net.to("cuda")
loader = DataLoader(data, batch_size=16, num_workers=4, pin_memory=True)
for batch in loader:
    loss = step(net, batch)
    loss.backward()
    total += loss
net.eval()
x = torch.zeros(1000).cuda()
`;
const EVERYTHING: TestRun = {
  source: SOURCE,
  rows: {
    2: { net: 400 },
    3: { net: 900 },
    4: {},
    5: { hits: 100 },
    6: { hits: 100, net: 300, max: 5 },
    8: { hits: 100, net: 200, max: 4 },
    9: {},
    10: { peak: 200 },
  },
};
const MESSAGE =
  "RuntimeError: CUDA out of memory. Tried to allocate 50.00 MiB (GPU 0; 3.87 GiB total capacity; 1.00 GiB already " +
  "allocated; 20.50 MiB free; 1.90 GiB reserved in total by PyTorch)";
const KINDS: readonly EndingKind[] = [
  "kernel-out-of-memory",
  "killed",
  "cuda-out-of-memory",
  "cuda-driver-out-of-memory",
  "nvml-assert",
  "nvmap-error-12",
  "errno-12",
  "memory-error",
];

/** Every way to end on a board that is full, with everything that the rules look for. */
function everyAdvice(release: Release, loads = FULL) {
  const environment = { PYTORCH_CUDA_ALLOC_CONF: "garbage_collection_threshold:0.8" };
  const stderr = "NvMapMemAllocInternalTagged: 1 error 12\n";
  return KINDS.flatMap((ended) =>
    advised({ ...EVERYTHING, release, loads, ended, report: { message: MESSAGE }, environment, stderr }),
  );
}

describe("a healthy run", () => {
  it.each(ALL)("gets no advice on %s, whatever its source looks like", (release) => {
    const rows = { 4: {}, 5: { hits: 100 }, 8: { hits: 100, net: 1 }, 9: {} };
    expect(advised({ release, source: SOURCE, rows })).toEqual([]);
    const cuda = { allocated: 300, reserved: 340, context: 250 };
    const loads = [
      { t: -9, baseline: true },
      { t: 900, run: { anon: 300, file: 300, shmem: 9 }, cuda },
    ];
    expect(advised({ release, source: SOURCE, rows, loads })).toEqual([]);
  });

  it("gets none under massif: the engine's own warnings say what to do", () => {
    const input = inputOf({ ...EVERYTHING, loads: FULL, ended: "kernel-out-of-memory" });
    const engine = { name: "massif", exact: false, accelerator: false } as const;
    expect(atOnce(advise(input)).length).toBeGreaterThan(0);
    expect(atOnce(advise({ ...input, run: { ...input.run, engine } }))).toEqual([]);
  });
});

describe("all advice", () => {
  it("is ordered: the certain first, then the larger saving, at most one of each rule", () => {
    const found = advised({ ...EVERYTHING, loads: FULL, ended: "cuda-out-of-memory", report: { message: MESSAGE } });
    const keys = found.map(({ strength, saves }) => [strength === "certain" ? 0 : 1, -(saves?.bytes ?? 0)] as const);
    expect(keys).toEqual([...keys].sort((a, b) => a[0] - b[0] || a[1] - b[1]));
    expect(new Set(found.map(({ rule }) => rule)).size).toBe(found.length);
    expect(found.length).toBeGreaterThan(5);
  });

  it.each(ALL)("is whole on %s: figures, sentences and a source by https", (release) => {
    for (const one of [...everyAdvice(release), ...everyAdvice(release, [])]) {
      expect(one.evidence.length, one.rule).toBeGreaterThan(0);
      expect(`${one.symptom} ${one.evidence.join(" ")} ${one.remedy}`, one.rule).not.toMatch(
        /undefined|NaN|Infinity|\[object/,
      );
      expect(one.symptom, one.rule).toMatch(/^[A-Z].*\.$/);
      expect(one.remedy, one.rule).toMatch(/^[A-Z`].*[.]$/s);
      expect(one.source.url, one.rule).toMatch(/^https:\/\//);
      if (one.saves) expect(one.saves.bytes, one.rule).toBeGreaterThan(0);
    }
  });

  it.each(JETSONS)("never switches expandable segments on, on %s", (release) => {
    const steps = everyAdvice(release).flatMap((one) => one.steps);
    expect(JSON.stringify(steps)).not.toMatch(/expandable_segments:True/);
  });

  it("never offers lazy loading below CUDA 11.7 or where CUDA is not known", () => {
    for (const release of ["JetPack 4.6", "JetPack 5"] as const) {
      expect(JSON.stringify(everyAdvice(release).flatMap((one) => one.steps))).not.toContain("CUDA_MODULE_LOADING");
    }
    const unknown = advised({ ...EVERYTHING, release: "PC", loads: FULL, ended: "cuda-out-of-memory", versions: {} });
    expect(JSON.stringify(unknown.flatMap((one) => one.steps))).not.toContain("CUDA_MODULE_LOADING");
  });

  it("says nothing of NvMap, zram, pinned memory or an end of the desktop on a PC", () => {
    const text = JSON.stringify(everyAdvice("PC"));
    expect(text).not.toMatch(/nvmap|nvzram|pin_memory=False|multi-user|Jetson|this board's GPU/i);
  });

  it("says nothing of CUDA to a script that never used it", () => {
    const source = "data = []\nfor i in range(1000):\n    data.append(bytes(1000))\n";
    const rows = { 3: { hits: 1000, net: 900, max: 1 } };
    const loads = [
      { t: -9, baseline: true },
      { t: 900, run: { anon: 16_000, file: 20, shmem: 0 } },
    ];
    for (const release of ALL) {
      const found = advised({ release, source, rows, loads, ended: "memory-error", versions: {} });
      expect(JSON.stringify(found.filter(({ rule }) => rule !== "desktop"))).not.toMatch(/cuda|batch_size|tensor/i);
    }
  });
});
