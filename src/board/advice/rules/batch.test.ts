import { describe, expect, it } from "vitest";
import { ALL, advisedBy, FULL, ROOMY, type TestRun } from "../testing.ts";

describe("batches", () => {
  const source = "import torch\nloader = DataLoader(data, batch_size=16)\n";
  const message = "CUDA out of memory. Tried to allocate 50.00 MiB (GPU 0; 3.87 GiB total capacity)";
  const batch = (run: TestRun) => advisedBy("batch-size", { source, loads: FULL, ...run });

  it.each(ALL)("near the limit are told of a run that ended well on %s", (release) => {
    expect(batch({ release })).toMatchObject({
      symptom: expect.stringContaining("nearly used up"),
      evidence: ["train.py:2 has batch_size=16", expect.stringMatching(/^At the tightest moment .* were available$/)],
      place: { path: "train.py", line: 2 },
      steps: [],
      strength: "certain",
    });
  });

  it("that do not fit are told with what was asked for last, and where", () => {
    expect(batch({ ended: "cuda-out-of-memory", report: { message } })?.evidence).toEqual([
      "train.py:2 has batch_size=16",
      expect.stringMatching(/^At the tightest moment/),
      "The last request was for 50.0 MiB",
      "It ended at train.py:1",
    ]);
  });

  it("of a graphics card are not explained by the PC's RAM", () => {
    const found = batch({ release: "PC", loads: ROOMY, ended: "cuda-out-of-memory", report: { message } });
    expect(found?.evidence.join()).not.toContain("available");
  });

  it("are not made less precise for speed on a GPU without tensor cores", () => {
    expect(batch({ ended: "cuda-out-of-memory" })?.remedy).toContain("no tensor cores");
    expect(batch({ ended: "cuda-out-of-memory", release: "JetPack 6" })?.remedy).not.toContain("tensor cores");
  });

  it("are no matter where there was room, or where nothing tells their size", () => {
    expect(batch({ loads: ROOMY })).toBeUndefined();
    expect(batch({ source: "loader = DataLoader(data, batch_size=1)\n" })).toBeUndefined();
    expect(batch({ source: "loader = DataLoader(data, batch_size=n)\n" })).toBeUndefined();
  });
});

describe("an evaluation that keeps gradients", () => {
  const source = "import torch\nmodel.eval()\nfor x in data:\n    y = model(x)\n";
  const evaluation = (run: TestRun) =>
    advisedBy("evaluation-with-gradients", {
      source,
      rows: { 2: {} },
      loads: FULL,
      ended: "cuda-out-of-memory",
      ...run,
    });

  it.each(ALL)("is told where memory was short, on %s", (release) => {
    expect(evaluation({ release })).toMatchObject({ place: { path: "train.py", line: 2 }, strength: "likely" });
  });

  it.each(["with torch.no_grad():", "@torch.inference_mode()", "torch.set_grad_enabled(False)"])(
    "is not told where a measured file has %s",
    (line) => {
      expect(evaluation({ source: `${source}${line}\n` })).toBeUndefined();
    },
  );

  it("is not told where the line did not run, where there was room, or without PyTorch", () => {
    expect(evaluation({ rows: {} })).toBeUndefined();
    expect(advisedBy("evaluation-with-gradients", { source, rows: { 2: {} } })).toBeUndefined();
    expect(evaluation({ source: source.replace("import torch", "pass"), versions: {} })).toBeUndefined();
  });
});
