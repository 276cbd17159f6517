import { describe, expect, it } from "vitest";
import { seeded } from "../../../test/faults/support/random.ts";
import type { Moment, ProcessMemory } from "../moments/model.ts";
import { boardMoment, type Load, MIB, RUN_PID, type TestBoard, training } from "../testing.ts";
import { compareLedgers, GROUP_ORDER, groupLabel, groupTotals, makeLedger } from "./ledger.ts";
import type { Ledger, LedgerRow } from "./model.ts";

const BUSY: Load = {
  run: { anon: 900, file: 420, shmem: 24 },
  cuda: { allocated: 260, reserved: 340, context: 310 },
  swapUsed: 90,
  gpuLoad: 0.8,
};

const row = (ledger: Ledger, id: string): LedgerRow | undefined => ledger.rows.find((candidate) => candidate.id === id);
const mebibytes = (ledger: Ledger, id: string): number | undefined => {
  const bytes = row(ledger, id)?.bytes;
  return bytes === undefined ? undefined : bytes / MIB;
};
const sum = (ledger: Ledger): number => ledger.rows.reduce((total, { bytes }) => total + (bytes ?? 0), 0);

describe("a ledger", () => {
  it.each<TestBoard>(["nano", "orin", "spark", "pc"])(
    "adds up to MemTotal exactly at every moment of a training (%s)",
    (board) => {
      const moments = training(40).map((load) => boardMoment(board, load));
      for (const moment of moments) {
        const ledger = makeLedger(moment, moments[0]);
        expect(sum(ledger)).toBe(moment.meminfo["MemTotal"]);
        expect(ledger.total).toBe(moment.meminfo["MemTotal"]);
        expect(ledger.notes.filter((note) => note.includes("were counted"))).toEqual([]);
      }
    },
  );

  it("tells a Nano's run, its tensors and its libraries apart", () => {
    const ledger = makeLedger(boardMoment("nano", BUSY), boardMoment("nano", { baseline: true }));
    expect(mebibytes(ledger, "run.anon")).toBe(900);
    expect(mebibytes(ledger, "run.files")).toBe(420);
    expect(mebibytes(ledger, "run.shmem")).toBe(24);
    expect(mebibytes(ledger, "gpu.tensors")).toBe(260);
    expect(mebibytes(ledger, "gpu.slack")).toBe(80);
    expect(mebibytes(ledger, "gpu.context")).toBe(310);
    expect(mebibytes(ledger, "gpu.others")).toBe(34);
    expect(row(ledger, "gpu.others")?.parts).toEqual([
      { label: "Xorg", bytes: 22 * MIB },
      { label: "gnome-shell", bytes: 12 * MIB },
    ]);
    expect(mebibytes(ledger, "kernel.zram")).toBe(30);
    expect(mebibytes(ledger, "kernel.nvmapPool")).toBe(2);
    expect(mebibytes(ledger, "kernel.unattributed")).toBe(140);
    expect(mebibytes(ledger, "cache.unmapped")).toBe(220 + 40);
    expect(mebibytes(ledger, "others.shmem")).toBe(30);
    expect(mebibytes(ledger, "others.files")).toBe(150);
    expect(mebibytes(ledger, "others.unreadable")).toBe(30);
  });

  it("has what a server says itself beside its row, which it changes nothing of", () => {
    const moment = boardMoment("orin", BUSY);
    const server = { pid: 900, name: "llama-server", anon: 40 * MIB, rss: 60 * MIB };
    const processes = [...moment.processes, server];
    const plain = makeLedger({ ...moment, processes });
    const servers: Moment["servers"] = [
      [
        900,
        "log",
        [
          ["weights", "CUDA0", 2376 * MIB],
          ["kv_cache", null, 1152 * MIB],
        ],
      ],
      [655, "log", [["weights", null, MIB]]],
      [901, "api", [["whole", "gone", MIB]]],
    ];
    const told = makeLedger({ ...moment, processes, servers });
    const { said, how } = row(told, "others.servers") ?? {};
    expect(said).toEqual([
      {
        label: "llama-server: weights (CUDA0)",
        bytes: 2376 * MIB,
        program: "llama-server",
        pid: 900,
        kind: "weights",
        where: "CUDA0",
      },
      { label: "llama-server: KV cache", bytes: 1152 * MIB, program: "llama-server", pid: 900, kind: "kv_cache" },
    ]);
    expect(how).toContain("is not added up");
    const withoutSaid = (ledger: Ledger) => ledger.rows.map(({ said: _, how: __, ...others }) => others);
    expect(withoutSaid(told)).toEqual(withoutSaid(plain));
  });

  it("has the limit of the run's container below it, as it is no part of the RAM", () => {
    const moment = boardMoment("nano", BUSY);
    const container = { used: 900 * MIB, limit: 2048 * MIB };
    expect(makeLedger({ ...moment, container }).notes).toContain(
      "The run's container uses 900.0 MiB of its memory limit of 2048.0 MiB.",
    );
    expect(makeLedger({ ...moment, container: { used: 5 * MIB } }).notes).toContain(
      "The run's container uses 5.0 MiB and has no memory limit.",
    );
    expect(makeLedger({ ...moment, container }).rows).toEqual(makeLedger(moment).rows);
  });

  it("counts what the cores keep of the free pages as free, and the rest alike", () => {
    const moment = boardMoment("nano", BUSY);
    const ledger = makeLedger({ ...moment, pagesets: 90 * MIB });
    expect(row(ledger, "free.pagesets")).toMatchObject({ group: "free", bytes: 90 * MIB, sureness: "exact" });
    expect(mebibytes(makeLedger(moment), "kernel.unattributed")).toBe(140);
    expect(mebibytes(ledger, "kernel.unattributed")).toBe(50);
    expect(sum(ledger)).toBe(moment.meminfo["MemTotal"]);
  });

  it("names the other programs by kind", () => {
    const desktop = row(makeLedger(boardMoment("nano")), "others.desktop");
    expect(desktop?.label).toBe("Desktop");
    expect(desktop?.bytes).toBe((26 + 182 + 96 + 18) * MIB);
    expect(desktop?.parts?.map(({ label }) => label)).toEqual([
      "gnome-shell",
      "gnome-software",
      "Xorg",
      "gnome-terminal-",
    ]);
    expect(row(makeLedger(boardMoment("nano")), "others.editors")?.parts).toEqual([
      { label: "code-server", bytes: 130 * MIB },
    ]);
  });

  it("adds up each row's parts to the row", () => {
    for (const { bytes, parts } of makeLedger(boardMoment("nano", BUSY)).rows) {
      if (parts !== undefined) expect(parts.reduce((total, part) => total + part.bytes, 0)).toBe(bytes);
    }
  });

  it("says of GPU memory that is not readable that it is not, and where it hides", () => {
    const ledger = makeLedger(boardMoment("orin", { gpuLoad: 0 }));
    const gpu = row(ledger, "gpu.others");
    expect(gpu?.sureness).toBe("unknown");
    expect(gpu).not.toHaveProperty("bytes");
    expect(gpu?.how).toMatch(/^Not readable without root/);
    expect(row(ledger, "kernel.unattributed")?.how).toContain("GPU memory");
    expect(groupTotals(ledger).gpu).toBeUndefined();
  });

  it("takes PyTorch's own figures out of what no count explains where NvMap is hidden", () => {
    const before = boardMoment("orin", { baseline: true, gpuLoad: 0 });
    const ledger = makeLedger(boardMoment("orin", BUSY), before);
    expect(mebibytes(ledger, "gpu.tensors")).toBe(260);
    expect(mebibytes(ledger, "gpu.slack")).toBe(80);
    expect(mebibytes(ledger, "gpu.context")).toBe(310);
    expect(row(ledger, "gpu.context")?.sureness).toBe("inferred");
    // The desktop's 21 MiB, which nobody but root can tell.
    expect(mebibytes(ledger, "kernel.unattributed")).toBe(260 + 21);
    const alone = makeLedger(boardMoment("orin", BUSY));
    expect(row(alone, "gpu.context")?.sureness).toBe("unknown");
    expect(mebibytes(alone, "kernel.unattributed")).toBe(260 + 21 + 310);
  });

  it("does not believe an NvMap that counts nothing while PyTorch holds GPU memory, as on Thor", () => {
    const table = { nvmap: { total: 0, clients: [{ pid: RUN_PID, process: "python3", client: "user", bytes: 0 }] } };
    const before = { ...boardMoment("orin", { baseline: true, gpuLoad: 0 }), ...table };
    const ledger = makeLedger({ ...boardMoment("orin", BUSY), ...table }, before);
    expect(["tensors", "slack", "context"].map((part) => mebibytes(ledger, `gpu.${part}`))).toEqual([260, 80, 310]);
    expect(row(ledger, "gpu.context")?.how).toMatch(/^NvMap counts nothing on this board: /);
    expect(row(ledger, "gpu.others")).toMatchObject({
      sureness: "unknown",
      how: expect.stringMatching(/^NvMap counts/),
    });
    expect(ledger.notes.join()).not.toContain("less than");
    expect(sum(ledger)).toBe(ledger.total);
  });

  it("has no GPU rows where the GPU has a memory of its own", () => {
    const ledger = makeLedger(boardMoment("pc", BUSY));
    expect(ledger.rows.filter(({ group }) => group === "gpu")).toEqual([]);
    expect(ledger.notes).toEqual(["PyTorch's 340.0 MiB on the GPU are in the GPU's own memory, not in this RAM."]);
  });

  it("says what the driver lists where the GPU has a memory of its own, or may have one", () => {
    const gpuApps = [
      { pid: RUN_PID, bytes: 650 * MIB },
      { pid: 1500, bytes: 120 * MIB },
    ];
    const card: Moment = { ...boardMoment("pc", BUSY), gpuApps };
    const listed =
      "nvidia-smi lists 650.0 MiB of GPU memory for the run and 120.0 MiB for other programs. No row has them.";
    expect(makeLedger(card).notes[1]).toBe(listed);
    const { cuda: _, ...withoutPyTorch } = card;
    expect(makeLedger(withoutPyTorch).notes).toEqual([listed]);
    const watched = makeLedger({ ...withoutPyTorch, run: [] });
    expect(watched.notes).toEqual(["nvidia-smi lists 770.0 MiB of GPU memory for all programs. No row has them."]);
    expect(watched.rows.filter(({ group }) => group === "gpu")).toEqual([]);
  });

  it("finds GPU memory in a RAM that only CUDA says it uses, as on a DGX Spark", () => {
    const ledger = makeLedger(boardMoment("spark", BUSY), boardMoment("spark", { baseline: true }));
    expect(["tensors", "slack", "context"].map((part) => mebibytes(ledger, `gpu.${part}`))).toEqual([260, 80, 310]);
    expect(row(ledger, "gpu.context")?.how).toMatch(/^Nothing on this board counts/);
    expect(mebibytes(ledger, "kernel.unattributed")).toBe(1900);
    expect(ledger.notes).toEqual([]);
    expect(sum(ledger)).toBe(ledger.total);
  });

  describe("with the driver's list of who uses the GPU", () => {
    const listed = (apps: NonNullable<Moment["gpuApps"]>) =>
      makeLedger({ ...boardMoment("spark", BUSY), gpuApps: apps }, boardMoment("spark", { baseline: true }));
    it("has what the run and the others hold", () => {
      const ledger = listed([
        { pid: RUN_PID, bytes: 650 * MIB },
        { pid: 1500, bytes: 120 * MIB },
        { pid: 99, bytes: 8 * MIB },
      ]);
      expect(["tensors", "slack", "context"].map((part) => mebibytes(ledger, `gpu.${part}`))).toEqual([260, 80, 310]);
      expect(row(ledger, "gpu.others")?.parts).toEqual([
        { label: "gnome-shell", bytes: 120 * MIB },
        { label: "99", bytes: 8 * MIB },
      ]);
      expect(row(ledger, "gpu.context")?.how).toMatch(/^nvidia-smi's list/);
      expect(mebibytes(ledger, "kernel.unattributed")).toBe(1900 - 128);
      expect(sum(ledger)).toBe(ledger.total);
    });

    it("has them without PyTorch too, where the driver knows no memory of the GPU's own", () => {
      const { cuda: _, ...moment } = boardMoment("spark", BUSY);
      const gpuApps = [
        { pid: RUN_PID, bytes: 650 * MIB },
        { pid: 1500, bytes: 120 * MIB },
      ];
      const ledger = makeLedger({ ...moment, gpuApps, noGpuMemory: true });
      expect(["tensors", "slack", "context", "others"].map((part) => mebibytes(ledger, `gpu.${part}`))).toEqual([
        undefined,
        undefined,
        650,
        120,
      ]);
      expect(sum(ledger)).toBe(ledger.total);
      expect(makeLedger({ ...moment, gpuApps }).rows.filter(({ group }) => group === "gpu")).toEqual([]);
    });

    it.each([
      ["lacks sizes", [{ pid: RUN_PID }]],
      ["lacks the run, as in a container", [{ pid: 7, bytes: 650 * MIB }]],
    ])("does not believe one that %s", (_, apps) => {
      const ledger = listed(apps);
      expect(row(ledger, "gpu.context")?.how).toMatch(/^Nothing on this board counts/);
      expect(row(ledger, "gpu.others")?.sureness).toBe("unknown");
    });
  });

  it("does not guess where PyTorch's GPU memory is: runs of before did not ask CUDA", () => {
    const { cuda, ...moment } = boardMoment("pc", BUSY);
    const { integrated: _, ...figures } = cuda ?? { pid: 0, ageMs: 0, allocated: 0, reserved: 0 };
    const ledger = makeLedger({ ...moment, cuda: figures });
    expect(ledger.rows.filter(({ group }) => group === "gpu")).toEqual([]);
    expect(ledger.notes).toEqual([expect.stringMatching(/^Whether PyTorch's 340\.0 MiB .* is unknown\./)]);
  });

  it("infers the run's GPU memory from the growth where the table of clients may not be read", () => {
    const { nvmap: _table, cuda: _cuda, ...moment } = boardMoment("nano", BUSY);
    const { nvmap: _before, ...before } = boardMoment("nano", { baseline: true });
    const ledger = makeLedger(moment, before);
    expect(mebibytes(ledger, "gpu.context")).toBe(650);
    expect(row(ledger, "gpu.context")?.sureness).toBe("inferred");
    expect(row(ledger, "gpu.context")?.label).toBe("GPU memory of the run");
    expect(mebibytes(ledger, "gpu.others")).toBe(34);
    expect(mebibytes(makeLedger(moment), "gpu.undivided")).toBe(684);
  });

  it("never shows a negative context: what disagrees is said", () => {
    const moment = boardMoment("nano", { ...BUSY, cuda: { allocated: 300, reserved: 400, context: -150 } });
    const ledger = makeLedger(moment);
    expect(row(ledger, "gpu.context")).toBeUndefined();
    expect(mebibytes(ledger, "gpu.tensors")).toBe(284);
    expect(sum(ledger)).toBe(ledger.total);
    expect(ledger.notes.join()).toContain("less than the 400.0 MiB that PyTorch reserved");
  });

  it("says how old PyTorch's figures are where they are not fresh", () => {
    const moment = boardMoment("nano", BUSY);
    const stale: Moment = { ...moment, cuda: { pid: RUN_PID, allocated: 0, reserved: 0, ageMs: 42_000 } };
    const fresh = makeLedger(moment).rows.find(({ id }) => id === "gpu.tensors");
    expect(fresh?.how).not.toContain("before this moment");
    const old = makeLedger({ ...stale, cuda: { pid: RUN_PID, allocated: MIB, reserved: MIB, ageMs: 42_000 } });
    expect(row(old, "gpu.tensors")?.how).toContain("42.0 s before this moment");
  });
});

describe("a run of several processes", () => {
  const worker = (pid: number, changes: Partial<ProcessMemory>): ProcessMemory => ({
    pid,
    name: "python3",
    rss: 620 * MIB,
    anon: 500 * MIB,
    file: 100 * MIB,
    shmem: 20 * MIB,
    ...changes,
  });
  function moment(processes: readonly ProcessMemory[], anonPages: number): Moment {
    const board = boardMoment("nano", { run: { anon: 0, file: 100, shmem: 20 } });
    const others = board.processes.filter(({ pid }) => pid !== RUN_PID);
    return {
      ...board,
      meminfo: { ...board.meminfo, AnonPages: anonPages * MIB },
      processes: [...others, ...processes],
      run: processes.map(({ pid }) => pid),
    };
  }
  const othersAnon = 508;

  it("counts pages that forked processes share once, by their PSS", () => {
    // 500 MiB shared by four, and 10 MiB of each one's own; libraries shared by the four too.
    const pss = (500 / 4 + 10 + 120 / 4) * MIB;
    const run = [1, 2, 3, 4].map((n) => worker(9000 + n, { anon: 510 * MIB, pss, uss: 10 * MIB }));
    const ledger = makeLedger(moment(run, othersAnon + 540));
    expect(mebibytes(ledger, "run.anon")).toBe(540);
    expect(row(ledger, "run.anon")?.sureness).toBe("estimated");
    expect(mebibytes(ledger, "run.files")).toBe(100);
    expect(mebibytes(ledger, "run.shmem")).toBe(20);
  });

  it("is inferred from what anonymous memory grew by, as PSS may be old", () => {
    // From before the others were forked.
    const stale = { pss: 620 * MIB, uss: 600 * MIB };
    const run = [1, 2, 3, 4].map((n) => worker(9000 + n, n === 1 ? stale : { pss: 160 * MIB, uss: 10 * MIB }));
    const before = moment([], othersAnon + 30);
    const ledger = makeLedger(moment(run, othersAnon + 30 + 570), { ...before, run: [] });
    expect(mebibytes(ledger, "run.anon")).toBe(570);
    expect(row(ledger, "run.anon")?.sureness).toBe("inferred");
    // Others that shrank since do not make the run smaller than its largest process.
    const shrunk = makeLedger(moment(run, othersAnon), { ...before, run: [] });
    expect(mebibytes(shrunk, "run.anon")).toBe(500);
  });

  it("leaves the others what is theirs where no PSS is known", () => {
    const run = [1, 2, 3, 4].map((n) => worker(9000 + n, {}));
    const ledger = makeLedger(moment(run, othersAnon + 540));
    expect(mebibytes(ledger, "run.anon")).toBe(540);
    expect(row(ledger, "run.anon")?.how).toContain("Too large by what forked processes still share");
    expect(mebibytes(ledger, "others.desktop")).toBe(322);
  });

  it("is said to be unreadable where its processes are not listed", () => {
    const ledger = makeLedger({ ...moment([], 900), run: [77] });
    expect(row(ledger, "run.anon")).toMatchObject({ sureness: "unknown" });
    expect(row(ledger, "run.anon")).not.toHaveProperty("bytes");
    expect(sum(ledger)).toBe(ledger.total);
  });

  it("counts a process whole on a kernel that does not split RSS", () => {
    const bare: ProcessMemory = { pid: 9001, name: "python3", rss: 300 * MIB };
    const ledger = makeLedger(moment([bare], othersAnon + 320));
    expect(mebibytes(ledger, "run.anon")).toBe(300);
    expect(row(ledger, "run.anon")?.sureness).toBe("estimated");
    expect(row(ledger, "run.files")?.sureness).toBe("unknown");
  });

  it("has its libraries and its shared memory in one on a kernel that tells only anonymous memory apart", () => {
    const old: ProcessMemory = { pid: 9001, name: "python3", rss: 300 * MIB, anon: 220 * MIB };
    const ledger = makeLedger(moment([old], othersAnon + 240));
    expect(mebibytes(ledger, "run.anon")).toBe(220);
    expect(mebibytes(ledger, "run.files")).toBe(80);
    expect(row(ledger, "run.files")?.sureness).toBe("estimated");
    expect(row(ledger, "run.shmem")?.sureness).toBe("unknown");
  });
});

describe("the kernel's rows", () => {
  const withMeminfo = (changes: Record<string, number>, base: TestBoard = "pc"): Ledger => {
    const moment = boardMoment(base);
    return makeLedger({ ...moment, meminfo: { ...moment.meminfo, ...changes } });
  };
  it("count huge pages once, by Hugetlb where the kernel prints it", () => {
    expect(mebibytes(withMeminfo({ HugePages_Total: 8, Hugepagesize: 2 * MIB }), "kernel.hugePages")).toBe(16);
    expect(
      mebibytes(withMeminfo({ HugePages_Total: 8, Hugepagesize: 2 * MIB, Hugetlb: 20 * MIB }), "kernel.hugePages"),
    ).toBe(20);
  });
  it("count of the swap cache only what no program has mapped", () => {
    const anon = boardMoment("pc").meminfo["Active(anon)"] ?? 0;
    const changes = { SwapCached: 9 * MIB, "Active(anon)": anon + 4 * MIB };
    expect(mebibytes(withMeminfo(changes), "kernel.swapCache")).toBe(4);
    expect(mebibytes(withMeminfo({ ...changes, "Active(anon)": anon + 40 * MIB }), "kernel.swapCache")).toBe(9);
    expect(row(withMeminfo({ SwapCached: 9 * MIB }), "kernel.swapCache")).toBeUndefined();
  });
  it("take kernel stacks out of VmallocUsed, and SReclaimable out of KReclaimable", () => {
    expect(mebibytes(withMeminfo({ VmallocUsed: 30 * MIB }), "kernel.vmalloc")).toBe(21);
    expect(mebibytes(withMeminfo({ KReclaimable: 70 * MIB }), "kernel.reclaimable")).toBe(8);
  });
  it("say so where a count does not fit", () => {
    const ledger = withMeminfo({ AnonPages: 20_000 * MIB });
    expect(sum(ledger)).toBe(ledger.total);
    expect(ledger.notes[0]).toMatch(/^Anonymous memory \(AnonPages\): 19\.5 GiB were counted, but only/);
  });
  it("say that a moment without MemTotal cannot be divided", () => {
    const ledger = makeLedger({ ...boardMoment("pc"), meminfo: {} });
    expect(ledger.total).toBe(0);
    expect(sum(ledger)).toBe(0);
    expect(ledger.notes[0]).toContain("MemTotal");
  });
});

describe("comparing ledgers", () => {
  it("gives what the run added, row by row, and the changes add up to nothing", () => {
    const before = makeLedger(boardMoment("nano", { baseline: true }));
    const changes = compareLedgers(before, makeLedger(boardMoment("nano", BUSY)));
    const tensors = changes.find(({ id }) => id === "gpu.tensors");
    expect(tensors).toEqual({
      id: "gpu.tensors",
      group: "gpu",
      label: "Tensors on the GPU (PyTorch)",
      before: 0,
      now: 260 * MIB,
      change: 260 * MIB,
    });
    expect(changes.reduce((total, { change = 0 }) => total + change, 0)).toBe(0);
  });
  it("keeps rows that are gone, and leaves the change of unknown ones open", () => {
    const busy = makeLedger(boardMoment("orin", BUSY));
    const idle = makeLedger(boardMoment("orin", { gpuLoad: 0 }));
    const changes = compareLedgers(busy, idle);
    expect(changes.find(({ id }) => id === "run.anon")).toMatchObject({
      before: 900 * MIB,
      now: 0,
      change: -900 * MIB,
    });
    expect(changes.find(({ id }) => id === "gpu.others")).not.toHaveProperty("change");
  });
});

describe("groups", () => {
  it("have each a label of its own", () => {
    expect(new Set(GROUP_ORDER.map(groupLabel)).size).toBe(6);
  });
  it("add up to MemTotal", () => {
    const totals = groupTotals(makeLedger(boardMoment("nano", BUSY)));
    expect(Object.values(totals).reduce((total = 0, bytes = 0) => total + bytes, 0)).toBe(3964 * MIB);
    expect(totals.run).toBe((900 + 420 + 24) * MIB);
  });
});

const NAMES = [
  "MemTotal MemFree MemAvailable Buffers Cached SwapCached Active(anon) Inactive(anon) SwapTotal SwapFree AnonPages",
  "Mapped Shmem KReclaimable Slab SReclaimable SUnreclaim KernelStack ShadowCallStack PageTables SecPageTables Percpu",
  "VmallocUsed Zswap NvMapMemFree NvMapMemUsed HugePages_Total Hugepagesize Hugetlb",
].flatMap((names) => names.split(" "));
const STRANGE = [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1e300, -1e300];

function anyMoment(random: () => number): Moment {
  const integer = (below: number) => Math.floor(random() * below);
  const size = (scale: number) => (random() < 0.06 ? (STRANGE[integer(STRANGE.length)] ?? 0) : integer(scale));
  const maybe = (scale: number, p = 0.8) => (random() < p ? size(scale) : undefined);
  const given = <T extends object>(value: T) =>
    Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as T;
  const scale = 2 ** (20 + integer(20));
  const meminfo = Object.fromEntries(
    NAMES.flatMap((name) => (random() < 0.85 ? [[name, size(name === "MemTotal" ? scale * 6 : scale)]] : [])),
  );
  const names = ["Xorg", "python3", "bash", "chrome", "weird one", "dockerd"];
  const processes = Array.from({ length: integer(14) }, (_, pid) =>
    given({
      pid,
      name: names[integer(names.length)] ?? "",
      rss: size(scale),
      anon: maybe(scale),
      file: maybe(scale),
      shmem: maybe(scale),
      pss: maybe(scale, 0.5),
      uss: maybe(scale, 0.5),
    } as ProcessMemory),
  );
  const clients = Array.from({ length: integer(5) }, () => ({
    pid: integer(14),
    process: names[integer(names.length)] ?? "",
    client: "user",
    bytes: size(scale),
  }));
  return given({
    t: integer(1e6),
    baseline: false,
    meminfo,
    processes,
    processesAgeMs: 0,
    run: Array.from({ length: integer(5) }, () => integer(16)),
    nvmap: random() < 0.5 ? given({ clients, total: maybe(scale) as number }) : undefined,
    gpuLoad: random() < 0.5 ? random() : undefined,
    zram: random() < 0.5 ? { used: size(scale), stored: size(scale) } : undefined,
    pagesets: maybe(scale, 0.5),
    cuda: random() < 0.5 ? { pid: 1, ageMs: size(1e4), allocated: size(scale), reserved: size(scale) } : undefined,
  } as Moment);
}

function faults({ rows, total, ...rest }: Ledger): string[] {
  const found: string[] = [];
  if (sum({ rows, total, ...rest }) !== total) found.push("does not add up");
  if (new Set(rows.map(({ id }) => id)).size !== rows.length) found.push("an id stands twice");
  for (const { id, bytes, sureness, parts, how, label } of rows) {
    if (how === "" || label === "") found.push(`${id}: no words`);
    if ((bytes === undefined) !== (sureness === "unknown")) found.push(`${id}: ${bytes} is ${sureness}`);
    if (bytes !== undefined && !(Number.isSafeInteger(bytes) && bytes >= 0)) found.push(`${id}: ${bytes}`);
    const inParts = parts?.reduce((all, part) => all + part.bytes, 0) ?? bytes;
    if (inParts !== bytes) found.push(`${id}: parts of ${inParts}`);
  }
  return found;
}

describe("whatever a moment says", () => {
  it("rows never are negative or broken, their ids are unique, and they add up to MemTotal with error 0", () => {
    const random = seeded(20261121).next;
    for (let trial = 0; trial < 5000; trial++) {
      const moment = anyMoment(random);
      const ledger = makeLedger(moment, random() < 0.5 ? anyMoment(random) : undefined);
      expect(faults(ledger)).toEqual([]);
      const told = moment.meminfo["MemTotal"] ?? -1;
      if (Number.isSafeInteger(told) && told >= 0) expect(ledger.total).toBe(told);
    }
  });
});
