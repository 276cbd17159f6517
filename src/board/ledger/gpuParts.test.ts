import { describe, expect, it } from "vitest";
import { readGpuProcess, summaryOf } from "../../profile/gpu/gpuMemory.ts";
import { gpuRecord } from "../../profile/gpu/testing.ts";
import { boardMoment, MIB, RUN_PID, type TestBoard } from "../testing.ts";
import { withGpuParts } from "./gpuParts.ts";
import { makeLedger } from "./ledger.ts";

const process = readGpuProcess(JSON.stringify(gpuRecord(RUN_PID)));
const summaries = process === undefined ? [] : [summaryOf(process)];

function contextRow(context: number, board: TestBoard = "nano", gpu = summaries) {
  const cuda = { allocated: 100, reserved: 128, context };
  const moment = boardMoment(board, { run: { anon: 900, file: 420, shmem: 24 }, cuda });
  const ledger = makeLedger(moment, boardMoment(board, { baseline: true }));
  const opened = withGpuParts(ledger, moment, gpu);
  expect(opened.rows.map(({ bytes }) => bytes)).toEqual(ledger.rows.map(({ bytes }) => bytes));
  return opened.rows.find(({ id }) => id === "gpu.context");
}
const parts = (row: ReturnType<typeof contextRow>) => row?.parts?.map(({ label, bytes }) => [label, bytes / MIB]);

describe("what CUDA holds beside PyTorch, by a record made by hand", () => {
  it("opens into who asked for it at the GPU's peak, and what the driver took by itself", () => {
    const row = contextRow(420);
    expect(parts(row)).toEqual([
      ["CUDA context", 300],
      ["cuDNN", 72],
      ["CUDA modules", 20],
      ["Pinned memory", 16],
      ["Taken by the driver itself", 12],
    ]);
    expect(row?.parts?.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(row?.bytes);
    expect(row?.how).toContain("as at the GPU peak of the run's processes");
  });

  it("is as at the end where the peak's does not fit, and unknown where neither does", () => {
    expect(parts(contextRow(340))).toEqual([
      ["CUDA context", 300],
      ["CUDA modules", 20],
      ["Taken by the driver itself", 8],
      ["cuDNN", 8],
      ["Pinned memory", 4],
    ]);
    const row = contextRow(200);
    expect(row).not.toHaveProperty("parts");
    expect(row?.how).toContain("What the driver took by itself is unknown");
  });

  it("says that it is unknown where a call's library is, which may be PyTorch's own", () => {
    const nobodys = { name: "library unknown", pinned: false, peak: MIB, live: MIB };
    const row = contextRow(420, "nano", [{ pid: RUN_PID, parts: [...(summaries[0]?.parts ?? []), nobodys] }]);
    expect(row).not.toHaveProperty("parts");
    expect(row?.how).toContain("held 408.0 MiB at their peaks. What the driver took by itself is unknown");
  });

  it("has PyTorch's among them where PyTorch says nothing of itself", () => {
    const moment = boardMoment("nano", {
      run: { anon: 900, file: 420, shmem: 24 },
      cuda: { allocated: 0, reserved: 0, context: 600 },
    });
    const { cuda: _, ...silent } = moment;
    const ledger = makeLedger(silent, boardMoment("nano", { baseline: true }));
    const row = withGpuParts(ledger, silent, summaries).rows.find(({ id }) => id === "gpu.context");
    expect(parts(row)).toContainEqual(["Reserved by PyTorch", 128]);
  });

  it("stays as it is where no call of the run's processes is known", () => {
    expect(contextRow(420, "nano", [])).not.toHaveProperty("parts");
    expect(
      contextRow(
        420,
        "nano",
        summaries.map((one) => ({ ...one, pid: 1 })),
      ),
    ).not.toHaveProperty("parts");
    expect(contextRow(420, "orin")).toBeUndefined();
  });
});
