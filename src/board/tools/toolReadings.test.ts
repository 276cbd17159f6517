import { describe, expect, it } from "vitest";
import type { Moment } from "../moments/model.ts";
import { boardMoment, KIB, MIB, RUN_PID } from "../testing.ts";
import type { ToolReading } from "./model.ts";
import { type ToolExtras, toolReadings } from "./toolReadings.ts";

/** Of no real board; kB. */
const MEMINFO = {
  MemTotal: 4_000_000,
  MemFree: 300_000,
  MemAvailable: 600_000,
  Buffers: 50_000,
  Cached: 400_000,
  SReclaimable: 80_000,
  Shmem: 40_000,
  AnonPages: 2_500_000,
  Mapped: 160_000,
  SwapTotal: 2_000_000,
  SwapFree: 1_800_000,
  NvMapMemUsed: 250_000,
};

function momentOf(kB: Record<string, number>, changes: Partial<Moment> = {}): Moment {
  const meminfo = Object.fromEntries(Object.entries(kB).map(([name, value]) => [name, value * KIB]));
  return { t: 0, baseline: false, meminfo, processes: [], processesAgeMs: 0, run: [], ...changes };
}
function tool(id: ToolReading["id"], moment: Moment, extra: ToolExtras = {}): ToolReading {
  const found = toolReadings(moment, extra).find((reading) => reading.id === id);
  if (found === undefined) throw new Error(`no ${id}`);
  return found;
}
const kB = (id: ToolReading["id"], moment = momentOf(MEMINFO)): number => (tool(id, moment).bytes ?? Number.NaN) / KIB;

describe("what a tool calls used", () => {
  it("is told for each tool once, with bytes or with the reason why there are none", () => {
    for (const moment of [momentOf({}), momentOf(MEMINFO), boardMoment("nano"), boardMoment("pc")]) {
      const readings = toolReadings(moment, {});
      expect(new Set(readings.map(({ id }) => id)).size).toBe(12);
      for (const { bytes, missing, reason, formula } of readings) {
        expect(bytes === undefined).toBe(missing !== undefined);
        expect(reason).toMatch(/\.$/);
        expect(formula).not.toBe("");
      }
    }
  });

  it("is without page cache in jtop, htop and free, which differ by what else they leave out", () => {
    expect(kB("jtop")).toBe(3_250_000);
    expect(kB("htop")).toBe(3_210_000);
    expect(kB("htop-3.1")).toBe(3_170_000);
    expect(kB("free")).toBe(3_170_000);
    expect(tool("free", momentOf(MEMINFO)).reason).toContain("here 3320.3 MiB");
  });

  it("is what programs have mapped in smem -w, with the kernel's part said", () => {
    const reading = tool("smem-w", momentOf(MEMINFO));
    expect((reading.bytes ?? 0) / KIB).toBe(2_660_000);
    expect(reading.reason).toContain("here 1015.6 MiB");
  });

  it("is of the readable processes in smem's sums, and says how many are not", () => {
    const processes = [
      { pid: 1, name: "a", rss: 9, pss: 5, uss: 3 },
      { pid: 2, name: "b", rss: 9, pss: 7, uss: 4 },
      { pid: 3, name: "c", rss: 9 },
    ];
    const moment = momentOf(MEMINFO, { processes });
    expect(tool("smem-pss", moment)).toMatchObject({ bytes: 12 });
    expect(tool("smem-uss", moment)).toMatchObject({ bytes: 7 });
    expect(tool("smem-pss", moment).reason).toContain("1 of 3 processes are left out");
    expect(tool("smem-pss", moment).reason).not.toContain("This run's own");
    expect(tool("smem-pss", { ...moment, run: [3] }).reason).toContain("This run's own figures are among them.");
    expect(tool("smem-uss", momentOf(MEMINFO, { processes: [{ pid: 3, name: "c", rss: 9 }] })).missing).toContain(
      "Of none",
    );
  });

  it("is NVIDIA's own figure in tegrastats, of which nothing is promised", () => {
    const moment = momentOf(MEMINFO, {
      tegrastats: { ramUsed: 613 * MIB, ramTotal: 3964 * MIB, cpus: [], temperatures: {}, power: [] },
    });
    expect(tool("tegrastats", moment)).toMatchObject({ bytes: 613 * MIB, origin: "reported" });
    expect(tool("tegrastats", momentOf(MEMINFO)).missing).toContain("tegrastats");
  });

  it("is the main process's RSS in memory_profiler", () => {
    const moment = boardMoment("nano", { run: { anon: 900, file: 420, shmem: 24 } });
    expect(tool("memory_profiler", moment).bytes).toBe(1344 * MIB);
    expect(tool("memory_profiler", boardMoment("nano")).missing).toBe("No script was running.");
    expect(tool("memory_profiler", { ...moment, run: [RUN_PID + 1] }).missing).toContain("could not be read");
  });

  it("is massif's peak where the run was made under it", () => {
    expect(tool("massif", momentOf(MEMINFO)).missing).toBe(
      "The run was not made under massif, or massif wrote no profile of it.",
    );
    const heap = tool("massif", momentOf(MEMINFO), { massif: { bytes: 5, pages: false } });
    const pages = tool("massif", momentOf(MEMINFO), { massif: { bytes: 5, pages: true } });
    expect([heap.bytes, pages.bytes]).toEqual([5, 5]);
    expect(heap.formula).not.toBe(pages.formula);
  });

  it("is the tensors in torch.cuda, with what the allocator reserved", () => {
    const moment = boardMoment("nano", { cuda: { allocated: 260, reserved: 340, context: 310 } });
    expect(tool("torch.cuda", moment).bytes).toBe(260 * MIB);
    expect(tool("torch.cuda", moment).reason).toContain("reserved 340.0 MiB");
  });

  it("is all that is not free in mem_get_info, where GPU and CPU share the RAM", () => {
    expect(kB("mem_get_info")).toBe(3_700_000);
    // Host 3,450,000 kB, of which 1,800,000 could be swapped.
    expect(tool("mem_get_info", momentOf(MEMINFO)).reason).toContain("up to 2294.9 MiB could be on the GPU");
    const roomy = momentOf({ ...MEMINFO, SwapFree: 9_000_000 });
    expect(tool("mem_get_info", roomy).reason).toContain("up to 3662.1 MiB");
    const { NvMapMemUsed: _none, ...pc } = MEMINFO;
    expect(tool("mem_get_info", momentOf(pc)).missing).toContain("Only where GPU and CPU share");
  });
});
