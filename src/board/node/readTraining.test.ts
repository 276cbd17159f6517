import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openRunFolder } from "../../profile/run/runFolder.ts";
import { jsonLines, MIB, makeProject, runFiles, runJson } from "../../profile/testing.ts";
import { SMALL, step } from "../../torch/model/testing.ts";
import { boardLines, training } from "../testing.ts";
import { newestAccounts, readTraining } from "./readTraining.ts";

const TRAIN = `import torch
x = torch.zeros(1)
data = torch.randn(4096, 4096).to(device)  # moved
loader = DataLoader(data, num_workers=2, pin_memory=True)
`;
const ROWS = [
  { schema: 1, record: "header", run: "20261121-094501-train-3fa9" },
  { record: "file", file: 0, path: "train.py", sha256: "aa", lines: 4, functions: [] },
  { record: "rows", t: 1, pid: 10, rows: [[0, 3, 1, 64 * MIB, 64 * MIB, 64 * MIB, 64 * MIB, 90 * MIB, 0]] },
  { record: "cuda-on", t: 1, pid: 10, noticed_by: "counter", peaks: "bounds" },
  { record: "cuda", t: 1, pid: 10, rows: [[0, 3, ...Array(8).fill(64 * MIB), 64 * MIB, 0]] },
];

let run: string;
let runs: string;
let remove: () => void;
beforeEach(() => {
  const files = runFiles({
    "lines.jsonl": jsonLines(ROWS),
    "sources/train.py": TRAIN,
    "moments.jsonl": `${boardLines("nano", training(5)).join("\n")}\n`,
    "model.10.jsonl": jsonLines(SMALL),
  });
  ({ run, remove } = makeProject(files));
  runs = path.dirname(run);
});
afterEach(() => remove());

/** A further run of the same project. */
function add(id: string, described: object, account: readonly object[]): void {
  fs.mkdirSync(path.join(runs, id));
  fs.writeFileSync(path.join(runs, id, "run.json"), JSON.stringify(runJson({ id, ...described })));
  fs.writeFileSync(path.join(runs, id, "model.10.jsonl"), jsonLines(account));
}

async function read() {
  const reader = openRunFolder(run);
  await reader.refresh();
  return await readTraining(reader);
}

describe("what a run knows of its training", () => {
  it("is what was available before it, what was moved, and how data is loaded", async () => {
    const context = await read();
    expect(context.sharedMemory).toBe(true);
    expect(context.availableBefore).toBeGreaterThan(1000 * MIB);
    const place = { path: "train.py", line: 3 };
    expect(context.moves).toEqual([{ made: place, moved: place, bytes: 64 * MIB }]);
    expect(context.loader).toEqual([{ path: "train.py", line: 4, workers: 2, pinned: true }]);
  });

  it("has the steps of other runs of the same script, with their change and whether the arguments agree", async () => {
    const peak = { measure: "cuda-allocated", memory_before: 0, memory_peak: 5000 };
    const measured = [...SMALL, step(2, 4, peak)];
    add("20261121-100000-train-0001", {}, [
      ...measured,
      { record: "trial", kind: "checkpoint", every: 2, applied: "2 layers", refused: null },
    ]);
    add(
      "20261121-100001-train-0002",
      { command: { python: "python3", script: "train.py", args: ["--bs", "8"] } },
      measured,
    );
    add("20261121-100002-other-0003", { command: { python: "python3", script: "other.py", args: [] } }, measured);
    add("20261121-100003-train-0004", {}, [
      ...measured,
      { record: "trial", kind: "amp", applied: "", refused: "The layers are not …" },
    ]);
    const { others } = await read();
    expect(others).toEqual([
      {
        run: "20261121-100001-train-0002",
        root: "Net",
        batch: 4,
        activations: 1640,
        peak: 5000,
        measure: "cuda-allocated",
        sameArguments: false,
      },
      {
        run: "20261121-100000-train-0001",
        root: "Net",
        trial: { kind: "checkpoint", every: 2 },
        batch: 4,
        activations: 1640,
        peak: 5000,
        measure: "cuda-allocated",
        sameArguments: true,
      },
    ]);
  });
});

describe("the newest model of each script", () => {
  it("is that of the newest run with an account and without a change", async () => {
    const other = { command: { python: "python3", script: "other.py", args: [] } };
    add("20261121-100000-other-0001", other, SMALL);
    add("20261121-110000-other-0002", other, [...SMALL, { record: "trial", kind: "amp", applied: "x", refused: null }]);
    add("20261121-120000-other-0003", other, []);
    fs.mkdirSync(path.join(runs, "20261121-130000-broken-0004"));
    const models = await newestAccounts([runs, path.join(runs, "missing")]);
    expect(models.map(({ model }) => model).sort()).toEqual(["other.py", "train.py"]);
  });
});
