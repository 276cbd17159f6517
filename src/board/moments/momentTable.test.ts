import { describe, expect, it } from "vitest";
import { boardLines, boardMoment, type Load, MIB, RUN_PID, type TestBoard, training } from "../testing.ts";
import { createMomentTable, type MomentTable } from "./momentTable.ts";

function tableOf(lines: readonly string[]): MomentTable {
  const table = createMomentTable("moments.jsonl");
  for (const line of lines) table.add(line);
  return table;
}

const HEADER = JSON.stringify({
  schema: 1,
  record: "header",
  unix_ms: 1_000_000,
  interval_ms: 1000,
  meminfo: ["MemTotal", "MemFree", "MemAvailable", "SwapTotal", "SwapFree", "HugePages_Total"],
});
const record = (t: number, changes: object = {}): string =>
  JSON.stringify({ t, m: [4000, 1000, 2000, 500, 400, 3], ...changes });
const process = (pid: number, rss: number, name = "python3"): unknown[] => [
  pid,
  name,
  1000,
  rss,
  rss,
  0,
  0,
  0,
  null,
  null,
];

describe("the moments of a run", () => {
  it("are what was written, moment by moment", () => {
    const loads = training(30);
    const table = tableOf(boardLines("nano", loads));
    expect(table.size).toBe(31);
    expect(table.unreadable).toBe(0);
    for (const [index, load] of loads.entries()) expect(table.moment(index)).toEqual(boardMoment("nano", load));
  });

  it("have the moment before the run, and the one at which it held the most", () => {
    const table = tableOf(boardLines("nano", training(40)));
    expect(table.baseline).toBe(0);
    const peak = table.peak();
    expect(peak === undefined ? undefined : table.moment(peak).t).toBe(30_000);
    expect(table.peakKind()).toBe("held");
  });

  it("are bytes, and pages where the kernel counts pages", () => {
    const { meminfo } = tableOf([HEADER, record(0)]).moment(0);
    expect(meminfo).toEqual({
      MemTotal: 4000 * 1024,
      MemFree: 1000 * 1024,
      MemAvailable: 2000 * 1024,
      SwapTotal: 500 * 1024,
      SwapFree: 400 * 1024,
      HugePages_Total: 3,
    });
  });

  it("keep a process until it changes or is gone, over more moments than are kept whole", () => {
    const lines = [HEADER];
    for (let n = 0; n < 300; n++) {
      lines.push(
        record(n * 1000, {
          p: [
            process(RUN_PID, n),
            ...(n === 0 ? [process(1, 7), process(2, 8)] : []),
            ...(n === 150 ? [process(3, 9)] : []),
          ],
          run: [RUN_PID],
          ...(n === 100 ? { gone: [2] } : {}),
        }),
      );
    }
    const table = tableOf(lines);
    const rss = (index: number) => table.moment(index).processes.map(({ pid, rss: bytes }) => [pid, bytes]);
    expect(rss(0)).toEqual([
      [RUN_PID, 0],
      [1, 7],
      [2, 8],
    ]);
    expect(rss(99)).toEqual([
      [RUN_PID, 99],
      [1, 7],
      [2, 8],
    ]);
    expect(rss(100)).toEqual([
      [RUN_PID, 100],
      [1, 7],
    ]);
    expect(rss(128)).toEqual([
      [RUN_PID, 128],
      [1, 7],
    ]);
    expect(rss(299)).toEqual([
      [RUN_PID, 299],
      [1, 7],
      [3, 9],
    ]);
  });

  it("share what did not change, so that a day's moments fit into memory", () => {
    const idle = Array.from({ length: 200 }, (_, n) => process(n + 10, 5));
    const lines = Array.from({ length: 200 }, (_, n) => record(n * 1000, { p: n === 0 ? idle : [process(9, n)] }));
    const table = tableOf([HEADER, ...lines]);
    const first = table.moment(0).processes;
    const last = new Set(table.moment(199).processes);
    expect(first.filter((each) => last.has(each))).toHaveLength(200);
  });

  it("take a process that has the number of one that is gone for another", () => {
    const table = tableOf([
      HEADER,
      record(0, { p: [process(5, 1, "old")] }),
      record(1, { gone: [5], p: [process(5, 2, "new")] }),
    ]);
    expect(table.moment(1).processes).toMatchObject([{ pid: 5, name: "new", rss: 2 }]);
  });

  it("say how old the figures of other processes are", () => {
    const table = tableOf([HEADER, record(1000, { p_t: 950 }), record(4000), record(9000, { p_t: 9000 })]);
    expect([0, 1, 2].map((index) => table.moment(index).processesAgeMs)).toEqual([50, 3050, 0]);
  });

  it("keep NvMap's table until the next, or until it can be read no longer", () => {
    const nvmap = "CLIENT PROCESS PID SIZE\nuser python3 4242 2048K\ntotal 2048K\n";
    const table = tableOf([HEADER, record(0, { nvmap }), record(1), record(2, { nvmap: "" }), record(3)]);
    expect(table.moment(1).nvmap?.total).toBe(2 * MIB);
    expect(table.moment(1).nvmap?.clients).toEqual([{ client: "user", process: "python3", pid: 4242, bytes: 2 * MIB }]);
    expect(table.moment(2).nvmap).toBeUndefined();
    expect(table.moment(3).nvmap).toBeUndefined();
  });

  it("keep the driver's list of processes the same way, and none that cannot be read", () => {
    const lists = ["4242, 650\n", undefined, "", "Failed\n"];
    const table = tableOf([HEADER, ...lists.map((list, t) => record(t, list === undefined ? {} : { gpu_apps: list }))]);
    const apps = [{ pid: 4242, bytes: 650 * MIB }];
    expect(lists.map((_, index) => table.moment(index).gpuApps)).toEqual([apps, apps, undefined, undefined]);
  });

  it("keep what servers say until they say something else, and nothing that cannot be read", () => {
    const said = [[7, "log", [["weights", "CUDA0", 5]]]];
    const lists = [said, undefined, [], said, [[7, "log", [["weights", "CUDA0", -5]]]], [[7, "rumour", []]], [7]];
    const table = tableOf([HEADER, ...lists.map((list, t) => record(t, list === undefined ? {} : { servers: list }))]);
    expect(lists.map((_, index) => table.moment(index).servers)).toEqual([said, said, [], said, said, said, said]);
  });

  it("know that the driver has no memory of the GPU's own, once it was asked", () => {
    const table = tableOf([HEADER, record(0), record(1, { gpu_memory: "[N/A]\n" }), record(2)]);
    expect([0, 1, 2].map((index) => table.moment(index).noGpuMemory)).toEqual([true, true, true]);
    expect(tableOf([HEADER, record(0, { gpu_memory: "8192\n" })]).moment(0).noGpuMemory).toBeUndefined();
  });

  it("have tegrastats, the GPU, zram, pagesets, PyTorch and the line where they were read", () => {
    const table = tableOf([
      HEADER,
      record(0, {
        tegrastats: "RAM 613/3964MB (lfb 634x4MB) SWAP 0/1982MB (cached 0MB) GR3D_FREQ 12%",
        gpu_load: 120,
        zram: [8192, 16384],
        pagesets: 4096,
        container: [8192, null],
        cuda: { pid: 7, age_ms: 120, allocated: 5, reserved: 9, allocated_peak: 6 },
        at: ["pkg/train.py", 33],
      }),
    ]);
    const moment = table.moment(0);
    expect(moment.tegrastats?.ramUsed).toBe(613 * MIB);
    expect(moment).toMatchObject({
      gpuLoad: 0.12,
      zram: { used: 8192, stored: 16384 },
      pagesets: 4096,
      container: { used: 8192 },
      cuda: { pid: 7, ageMs: 120, allocated: 5, reserved: 9, allocatedPeak: 6 },
      at: { path: "pkg/train.py", line: 33 },
    });
  });

  it("are found by their time", () => {
    const table = tableOf([HEADER, record(-14), record(1000), record(2000)]);
    expect([-100, 0, 600, 1499, 1501, 99_000].map((t) => table.at(t))).toEqual([0, 0, 1, 1, 2, 2]);
    expect(createMomentTable("x").at(5)).toBeUndefined();
  });

  it("name what is simulated, and the clock", () => {
    expect(createMomentTable("x").header()).toBeUndefined();
    const table = tableOf(boardLines("nano", [], { simulated: "Jetson Nano" }));
    expect(table.header()).toEqual({ unixMs: 1795254301123, intervalMs: 1000, simulated: "Jetson Nano" });
  });
});

describe("the peak", () => {
  const run = (anon: number) => ({ anon, file: 100, shmem: 0 });
  const cuda = (reserved: number) => ({ allocated: reserved, reserved, context: 300 });
  const peakOf = (board: TestBoard, loads: readonly Load[]) => {
    const table = tableOf(boardLines(board, loads));
    return [table.peak(), table.peakKind()];
  };

  it("is the run's own, whatever other programs take", () => {
    // The page cache stands for others: it swings, and MemAvailable with it.
    const loads = [{ run: run(300) }, { run: run(900) }, { run: run(100), pageCache: 2500 }];
    expect(peakOf("pc", loads)).toEqual([1, "held"]);
  });

  it("is not the tightest moment of the run, at which the least memory was available", () => {
    const loads = [{ pageCache: 2900 }, { run: run(900) }, { run: run(100), pageCache: 2500 }, { run: run(100) }];
    const table = tableOf(boardLines("pc", loads));
    const available = (index: number) => table.moment(index).meminfo["MemAvailable"] ?? 0;
    const ofRun = [1, 2, 3].sort((a, b) => available(a) - available(b));
    expect(table.leastAvailable()).toBe(ofRun[0]);
    expect(tableOf(boardLines("pc", [{}])).leastAvailable()).toBeUndefined();
  });

  it("is the first that is not just being reached, where the run stays as high", () => {
    const highs = (...anon: readonly number[]) =>
      peakOf(
        "pc",
        anon.map((each) => ({ run: run(each) })),
      )[0];
    expect(highs(300, 900, 900, 900, 100)).toBe(2);
    expect(highs(300, 900, 100, 900, 900)).toBe(1);
  });

  it("counts what the run has on the GPU where that can be read", () => {
    const loads = [{ run: run(900) }, { run: run(700), cuda: cuda(600) }, { run: run(800), cuda: cuda(100) }];
    expect(peakOf("nano", loads)).toEqual([1, "held"]);
    expect(peakOf("pc", loads)).toEqual([0, "held"]);
  });

  it("is when the least memory was available on a Jetson whose GPU memory cannot be read", () => {
    const loads = [
      { run: run(900), gpuLoad: 0 },
      { run: run(700), cuda: cuda(600) },
      { run: run(800), cuda: cuda(100) },
    ];
    expect(peakOf("orin", loads)).toEqual([1, "available"]);
  });

  it("is by NvMap's table of clients where meminfo does not tell NvMap", () => {
    const nvmap = (kilobytes: number) => `CLIENT PROCESS PID SIZE\nuser x 1 ${kilobytes}K\ntotal ${kilobytes}K\n`;
    const at = (t: number, rss: number, changes: object) => record(t, { run: [5], p: [process(5, rss)], ...changes });
    const table = tableOf([
      HEADER,
      at(0, 9000, { nvmap: nvmap(1) }),
      at(1, 5000, { nvmap: nvmap(90) }),
      at(2, 8000, {}),
    ]);
    expect(table.peak()).toBe(2);
  });

  it("is there where no process of the run could be read, and nowhere where no run was on", () => {
    const table = tableOf([HEADER, record(0, { run: [5] }), '{"t":1,"run":[5],"m":[4000,1000,1999]}']);
    expect([table.peak(), table.peakKind()]).toEqual([1, "available"]);
    const idle = tableOf([HEADER, record(0), record(1000)]);
    expect([idle.peak(), idle.peakKind()]).toEqual([undefined, undefined]);
  });
});

describe("a file that is not as it should be", () => {
  it("loses the lines that cannot be read, and says how many", () => {
    const bad = [
      "",
      "nonsense",
      '{"m":[1]}',
      '{"t":"1","m":[1]}',
      '{"t":1,"m":[-1]}',
      '{"t":1,"m":["1"]}',
      '{"t":5,"m":[1,2',
      "[]",
    ];
    const table = tableOf([HEADER, record(0), ...bad, record(1000)]);
    expect(table.size).toBe(2);
    expect(table.unreadable).toBe(bad.length);
  });

  it("passes over records of a kind that it does not know", () => {
    const table = tableOf([HEADER, '{"record":"something-new","t":1}', record(0)]);
    expect([table.size, table.unreadable]).toEqual([1, 0]);
  });

  it("keeps a moment at which meminfo could not be read", () => {
    const table = tableOf([
      HEADER,
      record(0),
      '{"t":1000,"run":[1],"p":[[1,"python3",0,5,null,null,null,null,null,null]]}',
    ]);
    expect(table.moment(1)).toMatchObject({ meminfo: {}, processes: [{ pid: 1, rss: 5 }] });
    expect(table.series(10)[1]).toMatchObject({ runRss: 5 });
  });

  it("loses a key that is damaged, not the moment", () => {
    const moment = tableOf([
      HEADER,
      record(0, {
        run: "x",
        p: [process(1, 5), [2], "x", null],
        nvmap: 7,
        cuda: { pid: 1 },
        at: ["../x", 1],
        gpu_load: -1,
        zram: [1],
        pagesets: -1,
      }),
    ]).moment(0);
    expect(moment).toMatchObject({ run: [], processes: [{ pid: 1, rss: 5 }] });
    expect(Object.keys(moment).sort()).toEqual(["baseline", "meminfo", "processes", "processesAgeMs", "run", "t"]);
  });

  it("reads no moment before a header", () => {
    const table = tableOf([record(0), HEADER, record(1)]);
    expect([table.size, table.unreadable]).toEqual([1, 1]);
  });

  it("refuses a format that is newer", () => {
    expect(() => tableOf(['{"schema":2,"record":"header","meminfo":[]}'])).toThrow(
      expect.objectContaining({ code: "schema-too-new" }),
    );
  });

  it("takes names such as __proto__ for names", () => {
    const header = '{"schema":1,"record":"header","meminfo":["__proto__","MemTotal"]}';
    const { meminfo } = tableOf([header, '{"t":0,"m":[5,6]}']).moment(0);
    expect(meminfo["MemTotal"]).toBe(6 * 1024);
    expect(Object.getPrototypeOf(meminfo)).toBe(Object.prototype);
  });

  it("goes on with other fields after another header", () => {
    const other = '{"schema":1,"record":"header","unix_ms":1000000,"interval_ms":1000,"meminfo":["MemFree"]}';
    const table = tableOf([HEADER, record(0), other, '{"t":1000,"m":[77]}']);
    expect(table.moment(0).meminfo["MemFree"]).toBe(1000 * 1024);
    expect(table.moment(1).meminfo).toEqual({ MemFree: 77 * 1024 });
    expect(table.moment(1).t).toBe(1000);
  });

  it("goes on by the clock after a lost connection, where times begin again and old processes hold no longer", () => {
    const again = HEADER.replace("1000000", "1060000");
    const table = tableOf([
      HEADER,
      record(0, { p: [process(1, 5), process(2, 6)], p_t: 0 }),
      record(2000),
      again,
      record(0, { p: [process(2, 6)], p_t: 0 }),
    ]);
    expect(table.moment(2)).toMatchObject({ t: 60_000, processesAgeMs: 0, processes: [{ pid: 2 }] });
    expect(table.moment(2).processes).toHaveLength(1);
  });

  it("goes on where it was when the clock was set back or years ahead", () => {
    for (const clock of ["5", "99999999999999"]) {
      const table = tableOf([HEADER, record(0), record(2000), HEADER.replace("1000000", clock), record(500)]);
      expect(table.moment(2).t).toBe(2500);
    }
  });

  it("keeps times that go backwards as they are", () => {
    const table = tableOf([HEADER, record(0), record(2000), record(1500)]);
    expect([0, 1, 2].map((index) => table.moment(index).t)).toEqual([0, 2000, 1500]);
    expect(table.at(1600)).toBe(2);
  });
});

describe("any bytes", () => {
  it("in the place of records are passed over or read, and every moment can be shown", () => {
    const lines = boardLines("nano", training(20), { simulated: "x" });
    let state = 7;
    const below = (limit: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((state / 2 ** 32) * limit);
    };
    const pieces = ["null", "-1", '"', "[", "}", "1e999", "{}", "0.5", ",", "\\u0000", "9".repeat(40)];
    const damaged = (line: string) => {
      const at = below(line.length);
      return line.slice(0, at) + (pieces[below(pieces.length)] ?? "") + line.slice(at + below(12));
    };
    for (let trial = 0; trial < 60; trial++) {
      const table = createMomentTable("x");
      const [header = "", ...records] = lines;
      table.add(header);
      for (const line of records) table.add(below(3) === 0 ? damaged(line) : line);
      expect(table.size + table.unreadable).toBe(records.length);
      for (let index = 0; index < table.size; index++) table.moment(index);
      expect(table.series(16).length).toBeLessThanOrEqual(16);
    }
  });
});

describe("the points of a chart", () => {
  const busy = (n: number): Load => ({
    t: n * 1000,
    run: { anon: 100 + ((n * 37) % 500), file: 100, shmem: 0 },
    gpuLoad: (n % 11) / 10,
    swapUsed: (n * 13) % 70,
  });
  const spike: Load = { ...busy(777), run: { anon: 1900, file: 100, shmem: 0 } };

  it("are all there where they fit, with the groups of the ledger", () => {
    const points = tableOf(boardLines("nano", training(20))).series(100);
    expect(points).toHaveLength(21);
    expect(points[20]).toMatchObject({ index: 20, t: 20_000, swapUsed: 12 * MIB, at: { path: "train.py", line: 33 } });
    const { groups } = points[20] ?? {};
    expect(Object.values(groups ?? {}).reduce((sum, bytes = 0) => (sum ?? 0) + bytes, 0)).toBe(3964 * MIB);
    expect(points[20]?.runRss).toBe((40 + 540 + 420 + 24) * MIB);
  });

  it("keep every extreme and the ends where they are thinned", () => {
    const loads = Array.from({ length: 2000 }, (_, n) => (n === 777 ? spike : busy(n)));
    const table = tableOf(boardLines("nano", loads));
    const points = table.series(200);
    expect(points.length).toBeLessThanOrEqual(200);
    expect(points.map(({ t }) => t)).toEqual([...points.map(({ t }) => t)].sort((a, b) => a - b));
    const has = (index: number) => points.some((point) => point.index === index);
    expect([0, 777, 1999].map(has)).toEqual([true, true, true]);
    expect(Math.max(...points.map(({ runRss = 0 }) => runRss))).toBe(2000 * MIB);
    expect(Math.min(...points.map(({ swapUsed = 0 }) => swapUsed))).toBe(0);
    expect(table.peak()).toBe(777);
  });

  it("stay the same ones while new moments come", () => {
    const loads = Array.from({ length: 1100 }, (_, n) => busy(n));
    const lines = boardLines("nano", loads);
    const table = tableOf(lines.slice(0, 1001));
    const before = table.series(200).map(({ index }) => index);
    table.add(lines[1001] ?? "");
    const after = new Set(table.series(200).map(({ index }) => index));
    const lost = before.filter((index) => !after.has(index));
    // Only the newest stretch, which is not full yet, may choose again.
    expect(lost.every((index) => index >= 960)).toBe(true);
  });

  it("keep both sides of a hole in time", () => {
    const loads = Array.from({ length: 1500 }, (_, n) => ({ ...busy(n), t: n * 1000 + (n >= 611 ? 30_000 : 0) }));
    const points = tableOf(boardLines("nano", loads)).series(100);
    expect(points.length).toBeLessThanOrEqual(100);
    expect(points.filter(({ index }) => index === 610 || index === 611)).toHaveLength(2);
  });
});
