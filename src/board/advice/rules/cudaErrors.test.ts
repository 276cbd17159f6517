import { describe, expect, it } from "vitest";
import type { Moment } from "../../moments/model.ts";
import { ALL, advised, advisedBy, FULL, JETSONS, ROOMY, type TestRun } from "../testing.ts";

describe("an assert on NVML", () => {
  it.each(ALL)("is called what it is on %s", (release) => {
    expect(advisedBy("nvml-assert", { release, ended: "nvml-assert", loads: FULL })).toMatchObject({
      symptom: expect.stringContaining("out of memory in disguise"),
      strength: "certain",
    });
    expect(advisedBy("nvml-assert", { release, ended: "cuda-out-of-memory" })).toBeUndefined();
  });
});

describe("NvMap's error 12", () => {
  const stderr = "NvMapMemAllocInternalTagged: 1075072515 error 12\nNvMapMemHandleAlloc: error 0\n";
  const failed: TestRun = { ended: "nvmap-error-12", stderr };
  const lfb = (moment: Moment): Moment => ({
    ...moment,
    tegrastats: {
      ramUsed: 1,
      ramTotal: 2,
      lfb: { count: 12, bytes: 4 * 2 ** 20 },
      cpus: [],
      temperatures: {},
      power: [],
    },
  });

  it("with memory left is told as memory in pieces, with the largest free blocks", () => {
    expect(advisedBy("nvmap-error-12", { ...failed, loads: ROOMY, change: lfb })).toMatchObject({
      evidence: [
        expect.any(String),
        expect.stringMatching(/available$/),
        "The largest free blocks were 12 of 4.0 MiB (tegrastats)",
      ],
      remedy: expect.stringMatching(/^There was memory, .*restart the board/),
      strength: "certain",
    });
  });
  it("without any left is told as memory used up", () => {
    expect(advisedBy("nvmap-error-12", { ...failed, loads: FULL })).toMatchObject({
      remedy: expect.stringMatching(/^Memory was used up/),
      strength: "likely",
    });
  });
  it("names the update for the release that is known for it, and for no other", () => {
    const remedy = (release: TestRun["release"]) =>
      advisedBy("nvmap-error-12", { ...failed, ...(release && { release }) })?.remedy;
    expect(remedy("JetPack 6")).toContain("L4T 36.4.7 is known for this error");
    expect(remedy("JetPack 5")).not.toContain("36.4.7");
    expect(remedy("JetPack 4.6")).not.toContain("36.4.7");
    expect(remedy("PC")).toBeUndefined();
  });
  it("that was only printed by a run that ended well is left alone", () => {
    expect(advised({ stderr })).toEqual([]);
  });
});

describe("expandable segments", () => {
  const environment = { PYTORCH_CUDA_ALLOC_CONF: "expandable_segments:True,garbage_collection_threshold:0.8" };
  const failed: TestRun = { ended: "cuda-driver-out-of-memory", environment };

  it.each(JETSONS)("are taken out on %s, whose PyTorch may not know them, and the other options stay", (release) => {
    expect(advisedBy("expandable-segments", { ...failed, release })).toMatchObject({
      steps: [
        {
          kind: "environment",
          name: "PYTORCH_CUDA_ALLOC_CONF",
          value: "garbage_collection_threshold:0.8",
        },
      ],
      strength: "certain",
    });
  });
  it("are pointed at where the script itself switches them on", () => {
    const source = 'import os\nos.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"\n';
    expect(advisedBy("expandable-segments", { ended: "cuda-driver-out-of-memory", source })).toMatchObject({
      place: { path: "train.py", line: 2 },
      steps: [],
    });
  });
  it("are left alone on a PC, where they are off, and where nothing went wrong", () => {
    expect(advisedBy("expandable-segments", { ...failed, release: "PC" })).toBeUndefined();
    expect(advisedBy("expandable-segments", { ended: "cuda-driver-out-of-memory" })).toBeUndefined();
    expect(advised({ environment })).toEqual([]);
  });
});

describe("an error that the script got over", () => {
  const stderr = `Traceback (most recent call last):
  File "/p/train.py", line 12, in step
    y = net(x)
RuntimeError: CUDA out of memory. Tried to allocate 50.00 MiB
`;
  it("is told, with its line, when the run ended well", () => {
    expect(advised({ stderr })).toMatchObject([
      { rule: "caught-out-of-memory", place: { path: "train.py", line: 12 }, strength: "certain" },
    ]);
  });
  it("is not told of a run that failed, nor of words that are none", () => {
    expect(advised({ stderr, exit: { kind: "exited", code: 1 } })).toEqual([]);
    expect(advised({ stderr: "tip: MemoryError and [Errno 12] are common\n" })).toEqual([]);
  });
});
