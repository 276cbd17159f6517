import { describe, expect, it } from "vitest";
import type { Moment } from "../../moments/model.ts";
import { MIB, RUN_PID } from "../../testing.ts";
import { ALL, advisedBy, FULL, JETSONS, ROOMY, type TestRun } from "../testing.ts";

const SOURCE = "loader = DataLoader(data, num_workers=2, pin_memory=True)  # two\n";
const message = "OSError: [Errno 12] Cannot allocate memory";
const REFUSED: TestRun = { source: SOURCE, ended: "errno-12", report: { message } };
/** Two forked workers whose own memory is known. */
const workers = (mib: number) => (moment: Moment) => ({
  ...moment,
  run: [RUN_PID, 50, 51],
  processes: [...moment.processes, ...[50, 51].map((pid) => ({ pid, name: "python3", rss: 9 ** 9, uss: mib * MIB }))],
});

describe("the DataLoader's workers", () => {
  it.each(ALL)("are given up on %s where one could not be started, by an edit of their line", (release) => {
    expect(advisedBy("loader-workers", { ...REFUSED, release })).toMatchObject({
      evidence: [`The error says: ${message}`, "train.py:1 asks for num_workers=2"],
      steps: [{ kind: "edit", place: { path: "train.py", line: 1 }, find: "num_workers=2", replace: "num_workers=0" }],
    });
  });

  it("are given up where one was killed, at the traceback's line where the source does not tell how many", () => {
    const killed = "RuntimeError: DataLoader worker (pid 50) is killed by signal: Killed.";
    const found = advisedBy("loader-workers", { ended: "killed", report: { message: killed } });
    expect(found).toMatchObject({ place: { path: "train.py", line: 1 }, steps: [], strength: "certain" });
  });

  it("are told with what they held of their own, where memory was short", () => {
    const run: TestRun = { source: SOURCE, loads: FULL, ended: "kernel-out-of-memory" };
    expect(advisedBy("loader-workers", { ...run, change: workers(200) })).toMatchObject({
      evidence: ["2 more processes of the run held 400.0 MiB of their own at the tightest moment", expect.any(String)],
      saves: { bytes: 400 * MIB },
    });
    expect(advisedBy("loader-workers", { ...run, change: workers(20) })).toBeUndefined();
    expect(advisedBy("loader-workers", { source: SOURCE, loads: ROOMY, change: workers(200) })).toBeUndefined();
  });

  it("are no symptom of other errors, and the edit is not offered where the words stand twice", () => {
    expect(advisedBy("loader-workers", { ...REFUSED, ended: "cuda-out-of-memory" })).toBeUndefined();
    expect(advisedBy("loader-workers", { ...REFUSED, source: "subprocess.run(x)\n" })).toBeUndefined();
    const twice = "loader = DataLoader(data, num_workers=2)  # num_workers=2 is best\n";
    expect(advisedBy("loader-workers", { ...REFUSED, source: twice })?.steps).toEqual([]);
    for (const source of ["x = Loader(num_workers=0)\n", "# num_workers=2\n", "x = Loader(num_workers=n)\n"]) {
      expect(advisedBy("loader-workers", { ...REFUSED, source })).toBeUndefined();
    }
  });
});

describe("pinned memory", () => {
  const run: TestRun = { source: SOURCE, loads: FULL, ended: "cuda-out-of-memory" };
  it.each(JETSONS)("is given up on %s, where it shares the RAM with the GPU", (release) => {
    expect(advisedBy("pinned-memory", { ...run, release })?.steps).toEqual([
      {
        kind: "edit",
        label: "Do not pin memory",
        place: { path: "train.py", line: 1 },
        find: "pin_memory=True",
        replace: "pin_memory=False",
      },
    ]);
  });
  it("bypasses the CPU's cache below compute capability 7.2 only", () => {
    expect(advisedBy("pinned-memory", run)?.remedy).toContain("bypasses the CPU's cache");
    expect(advisedBy("pinned-memory", { ...run, release: "JetPack 6" })?.remedy).not.toContain("cache");
  });
  it("is left alone on a PC, without CUDA, and where memory was not short", () => {
    expect(advisedBy("pinned-memory", { ...run, release: "PC" })).toBeUndefined();
    const cpu = [{ t: 9, run: { anon: 16_000, file: 9, shmem: 0 } }];
    expect(advisedBy("pinned-memory", { source: SOURCE, ended: "memory-error", loads: cpu })).toBeUndefined();
    expect(advisedBy("pinned-memory", { source: SOURCE, loads: ROOMY })).toBeUndefined();
  });
});
