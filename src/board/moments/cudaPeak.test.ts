import { describe, expect, it } from "vitest";
import type { CudaFigures, FileProfile, LineRow } from "../../profile/model.ts";
import { boardLines, MIB } from "../testing.ts";
import { cudaPeak } from "./cudaPeak.ts";
import { createMomentTable, type MomentTable } from "./momentTable.ts";

function moments(...reserved: number[]): MomentTable {
  const table = createMomentTable("moments.jsonl");
  const loads = reserved.map((mib, at) => ({
    t: 1000 * (at + 1),
    run: { anon: 100, file: 20, shmem: 0 },
    cuda: { allocated: 0, reserved: mib, context: 100 },
  }));
  for (const line of boardLines("nano", [{ t: -14, baseline: true }, ...loads])) table.add(line);
  return table;
}

function line(reservedPeak: number, reservedNet = 0): LineRow {
  const none = { net: 0, self: 0, maxIncrement: 0, peak: 0, peakMost: 0, reservedSelf: 0, uncertain: 0 };
  const cuda: CudaFigures = { ...none, reservedPeak: reservedPeak * MIB, reservedNet: reservedNet * MIB };
  return { line: 2, cuda };
}

const file = (...lines: LineRow[]): FileProfile => ({ path: "train.py", sha256: "", lines, functions: [] });
const NOTHING = { files: [], byProcess: new Map(), cuda: new Map(), phases: [] };
const ASKED = new Map([[1, { noticedBy: "counter", peaks: "bounds" } as const]]);
const PHASES = [{ pid: 1, phase: "to-device", t: 0, reserved: 1200 * MIB } as const];

describe("the peak of what PyTorch reserved", () => {
  it.each([
    ["the highest moment", NOTHING, moments(20, 900, 300), 900],
    ["what a line held between two moments", { ...NOTHING, files: [file(line(1900))] }, moments(900), 1900],
    ["what a line gained over its hits", { ...NOTHING, files: [file(line(10, 950))] }, moments(900), 950],
    ["where a phase began", { ...NOTHING, cuda: ASKED, phases: PHASES }, moments(900), 1200],
    ["a phase of a run without CUDA is no reading", { ...NOTHING, phases: PHASES }, undefined, undefined],
    ["nothing read", { ...NOTHING, files: [file({ line: 1 })] }, moments(), undefined],
    ["read, and nothing reserved", { ...NOTHING, files: [file(line(0, -5))] }, undefined, 0],
  ])("is: %s", (_, profile, table, mib) => {
    expect(cudaPeak(profile, table)).toBe(mib === undefined ? undefined : mib * MIB);
  });

  it("of several processes is of one: their lines are not added up", () => {
    const byProcess = new Map([
      [1, [file(line(300))]],
      [2, [file(line(400))]],
    ]);
    expect(cudaPeak({ ...NOTHING, files: [file(line(700))], byProcess }, undefined)).toBe(400 * MIB);
  });
});
