import { describe, expect, it } from "vitest";
import type { Moment } from "../../moments/model.ts";
import { MIB } from "../../testing.ts";
import { advisedBy, FULL, JETSONS, ROOMY, type TestRun } from "../testing.ts";

const CUDA_OOM: TestRun = { ended: "cuda-out-of-memory", loads: FULL };
const noSwapLeft = (moment: Moment): Moment => ({ ...moment, meminfo: { ...moment.meminfo, SwapFree: 0 } });
const KILLED: TestRun = { ended: "kernel-out-of-memory", loads: FULL, change: noSwapLeft };

describe("a run that was killed", () => {
  it("is told how much was left, and how to get swap on a disk where the swap is in RAM", () => {
    expect(advisedBy("killed", KILLED)).toMatchObject({
      evidence: [
        "It was ended by SIGKILL",
        expect.stringMatching(/MiB of memory were available$/),
        "0 B of 1982.0 MiB of swap were free",
      ],
      remedy: expect.stringContaining("Memory of the GPU cannot be swapped."),
      steps: [
        { command: expect.stringMatching(/^sudo sh -c 'set -e; .*fallocate -l 4G/) },
        { command: expect.stringMatching(/dmesg/) },
      ],
      strength: "certain",
    });
  });

  it("is not told to add swap that is there, nor to read a log that was read", () => {
    const report = { kernelLog: ["Out of memory: Killed process 4242 (python3)"] };
    expect(advisedBy("killed", { ...KILLED, release: "JetPack 6", report })?.steps).toEqual([]);
  });

  it("beside zram has its swap file counted, which zram alone is not", () => {
    const swap = (mib: number) => (moment: Moment) => ({
      ...moment,
      meminfo: { ...moment.meminfo, SwapTotal: mib * MIB, SwapFree: 0 },
      zram: { used: 400 * MIB, stored: 1200 * MIB },
    });
    const stepsOf = (rule: string, mib: number) =>
      advisedBy(rule, { ...KILLED, change: swap(mib) })?.steps.map(({ label }) => label);
    expect(stepsOf("killed", 1982)).toContain("Add 4 GiB of swap on the board's disk");
    expect(stepsOf("killed", 1982 + 4096)).toEqual(["Read what the kernel's log says of it"]);
    expect(stepsOf("zram", 1982 + 4096)).toEqual(["Switch zram off from the next start on"]);
    expect(advisedBy("zram", { ...KILLED, change: swap(1982 + 4096) })?.remedy).toContain("the board has some");
  });

  it("while swap was left is not told to add some, and nothing where nobody knows who killed it", () => {
    const left: TestRun = { ended: "kernel-out-of-memory", loads: FULL };
    expect(advisedBy("killed", left)?.remedy).toMatch(/^Use smaller batches: swap was left,/);
    expect(advisedBy("killed", left)?.steps).toMatchObject([{ command: expect.stringMatching(/dmesg/) }]);
    expect(advisedBy("killed", { ...left, ended: "killed" })).toBeUndefined();
  });

  it("by a limit of its group is told so, and not to add swap", () => {
    const limited: TestRun = { ended: "memory-limit", loads: ROOMY };
    const report = { kernelLog: ["Memory cgroup out of memory: Killed process 4242 (python3)"] };
    expect(advisedBy("memory-limit", { ...limited, report })).toMatchObject({
      evidence: [expect.stringContaining("Memory cgroup"), expect.stringMatching(/MiB of the board's memory were/)],
      strength: "certain",
    });
    expect(advisedBy("memory-limit", { ...limited, report: { evidence: "the kernel's count rose" } })).toMatchObject({
      evidence: ["The kernel's count rose", expect.stringMatching(/available$/)],
      strength: "likely",
    });
    for (const rule of ["killed", "desktop"]) expect(advisedBy(rule, { ...limited, report })).toBeUndefined();
    expect(advisedBy("memory-limit", KILLED)).toBeUndefined();
  });

  it("while there was memory is told nothing of memory", () => {
    expect(advisedBy("killed", { ended: "killed", loads: ROOMY })).toBeUndefined();
    expect(advisedBy("killed", { ...KILLED, ended: "killed" })?.strength).toBe("likely");
    expect(advisedBy("killed", CUDA_OOM)).toBeUndefined();
  });
});

describe("a desktop that runs", () => {
  it("is told with its programs' memory, where memory was short", () => {
    expect(advisedBy("desktop", KILLED)).toMatchObject({
      evidence: [expect.stringMatching(/held 322\.0 MiB \(gnome-shell 182\.0 MiB, /)],
      steps: [{ kind: "command", command: "sudo systemctl isolate multi-user.target" }],
      saves: { bytes: 322 * MIB },
    });
    expect(advisedBy("desktop", { loads: ROOMY })).toBeUndefined();
  });

  it("is not asked of a board without one, nor of a PC", () => {
    expect(advisedBy("desktop", { ...KILLED, release: "JetPack 6" })).toBeUndefined();
    expect(advisedBy("desktop", { ...KILLED, release: "PC" })).toBeUndefined();
  });
});

describe("swap in RAM", () => {
  const zram = (used: number) => (moment: Moment) => ({
    ...moment,
    zram: { used: used * MIB, stored: 3 * used * MIB },
  });
  it("that takes a good part of it is told, with both figures", () => {
    expect(advisedBy("zram", { ...KILLED, change: zram(400) })).toMatchObject({
      evidence: ["At the tightest moment zram held 1200.0 MiB in 400.0 MiB of RAM"],
      saves: { bytes: 400 * MIB },
    });
    expect(advisedBy("zram", { ...KILLED, change: zram(50) })).toBeUndefined();
    expect(advisedBy("zram", { loads: ROOMY, change: zram(400) })).toBeUndefined();
    expect(advisedBy("zram", { ...KILLED, release: "PC", change: zram(900) })).toBeUndefined();
  });
});

describe("another Python process", () => {
  const python = (mib: number) => (moment: Moment) => ({
    ...moment,
    processes: [...moment.processes, { pid: 77, name: "python3", rss: mib * MIB + 9, anon: mib * MIB }],
    nvmap: { clients: [{ pid: 77, process: "python3", client: "user", bytes: 300 * MIB }] },
  });
  it("that held memory before the script is told by its number, with its GPU memory", () => {
    expect(advisedBy("left-over-process", { ...KILLED, change: python(500) })).toMatchObject({
      evidence: ["python3 (process 77) held 500.0 MiB and 300.0 MiB of GPU memory"],
      steps: [{ command: "ps -o pid,user,lstart,rss,args -p 77" }],
      saves: { bytes: 800 * MIB },
    });
  });
  it("that is small, or harmless as there was room, is not", () => {
    const small = (moment: Moment) => ({ ...python(20)(moment), nvmap: { clients: [] } });
    expect(advisedBy("left-over-process", { ...KILLED, change: small })).toBeUndefined();
    expect(advisedBy("left-over-process", { loads: ROOMY, change: python(500) })).toBeUndefined();
    expect(
      advisedBy("left-over-process", { ...CUDA_OOM, loads: ROOMY, release: "PC", change: python(500) }),
    ).toBeUndefined();
  });
});

describe("swap that was free when CUDA ran out of memory", () => {
  it.each(JETSONS)("is told to be of no use to the GPU on %s", (release) => {
    expect(advisedBy("swap-is-not-gpu", { ...CUDA_OOM, release })).toMatchObject({ strength: "certain" });
  });
  it("is not where it was used up, on a PC, or where the CPU's memory ran out", () => {
    const used = [{ t: 9, run: { anon: 16_000, file: 9, shmem: 0 }, swapUsed: 1900 }];
    expect(advisedBy("swap-is-not-gpu", { ...CUDA_OOM, loads: used })).toBeUndefined();
    expect(advisedBy("swap-is-not-gpu", { ...CUDA_OOM, release: "PC" })).toBeUndefined();
    expect(advisedBy("swap-is-not-gpu", KILLED)).toBeUndefined();
  });
});

describe("page cache that CUDA counts as used", () => {
  const cached: TestRun["loads"] = [{ t: 9, run: { anon: 300, file: 90, shmem: 0 }, pageCache: 2200 }];
  it("is told where much could have made room", () => {
    expect(advisedBy("page-cache", { ...CUDA_OOM, loads: cached })).toMatchObject({
      steps: [{ command: "sudo sh -c 'sync && echo 3 > /proc/sys/vm/drop_caches'" }],
      strength: "likely",
    });
  });
  it("is not where it would not have sufficed, on a PC, or where the run ended well", () => {
    const message = "CUDA out of memory. Tried to allocate 3.50 GiB (GPU 0; 3.87 GiB total capacity)";
    expect(advisedBy("page-cache", { ...CUDA_OOM, loads: cached, report: { message } })).toBeUndefined();
    expect(advisedBy("page-cache", CUDA_OOM)).toBeUndefined();
    expect(advisedBy("page-cache", { loads: cached })).toBeUndefined();
    expect(advisedBy("page-cache", { ...CUDA_OOM, loads: cached, release: "PC" })).toBeUndefined();
  });
});
