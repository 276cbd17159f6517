/**
 * Boards for tests, written by hand: the records of moments.jsonl as the helper writes them, and the same moments
 * decoded. The figures are made of one another the way the kernel makes them, so a ledger of them is plausible.
 */
import { defined } from "../profile/defined.ts";
import type { GpuSummary } from "../profile/gpu/gpuMemory.ts";
import type { RunInfo } from "../profile/model.ts";
import type { Meminfo, Moment, ProcessMemory } from "./moments/model.ts";

export const KIB = 1024;
export const MIB = 1024 * KIB;

/**
 * `nano`: JetPack 4, whose meminfo tells NvMap, with a desktop and the root-only table of NvMap's clients.
 * `orin`: JetPack 6 as an ordinary user sees it: no NvMap figures at all. `spark`: as a DGX Spark, no Tegra, but CUDA says
 * that it uses the RAM. `pc`: no Tegra; its GPU has its own memory.
 */
export type TestBoard = "nano" | "orin" | "spark" | "pc";

/** What goes on at a moment. Sizes in MiB; what is left out is as on the idle board. */
export interface Load {
  readonly t?: number;
  readonly baseline?: boolean;
  /** Of the script's main process; no run where absent. */
  readonly run?: { readonly anon: number; readonly file: number; readonly shmem: number };
  /** `context` is what the run's NvMap has beyond what PyTorch reserved. */
  readonly cuda?: { readonly allocated: number; readonly reserved: number; readonly context: number };
  readonly pageCache?: number;
  readonly swapUsed?: number;
  readonly gpuLoad?: number;
  readonly at?: readonly [path: string, line: number];
}

export const RUN_PID = 4242;
const PAGE_CACHE = 220;

interface BoardFigures {
  readonly total: number;
  readonly swapTotal: number;
  /** `absent`: the GPU uses the RAM all the same; `none`: it does not. */
  readonly nvmap: "meminfo" | "hidden" | "absent" | "none";
  /** Of the desktop's clients; RAM where the GPU shares it. */
  readonly nvmapOthers: number;
  readonly unattributed: number;
  readonly processes: readonly (readonly [pid: number, name: string, uid: number, anon: number, file: number])[];
}

const SERVICES = [
  [1, "systemd", 0, 4, 5],
  [212, "systemd-journal", 0, 2, 9],
  [640, "NetworkManager", 0, 4, 9],
  [655, "dockerd", 0, 38, 30],
] as const;

const BOARDS: Readonly<Record<TestBoard, BoardFigures>> = {
  nano: {
    total: 3964,
    swapTotal: 1982,
    nvmap: "meminfo",
    nvmapOthers: 34,
    unattributed: 140,
    processes: [
      ...SERVICES,
      [1012, "nvargus-daemon", 0, 6, 12],
      [1731, "Xorg", 1000, 26, 40],
      [2831, "gnome-shell", 1000, 182, 60],
      [2950, "gnome-software", 1000, 96, 34],
      [3100, "gnome-terminal-", 1000, 18, 30],
      [3120, "bash", 1000, 2, 3],
      [3500, "code-server", 1000, 130, 38],
    ],
  },
  orin: {
    total: 7620,
    swapTotal: 3810,
    nvmap: "hidden",
    nvmapOthers: 21,
    unattributed: 260,
    processes: [...SERVICES, [980, "nvargus-daemon", 0, 8, 14], [2000, "sshd", 1000, 2, 5], [2001, "bash", 1000, 2, 3]],
  },
  spark: {
    total: 122570,
    swapTotal: 2048,
    nvmap: "absent",
    nvmapOthers: 0,
    unattributed: 1900,
    processes: [...SERVICES, [1500, "gnome-shell", 1000, 240, 90]],
  },
  pc: {
    total: 15860,
    swapTotal: 2048,
    nvmap: "none",
    nvmapOthers: 0,
    unattributed: 190,
    processes: [...SERVICES, [1500, "gnome-shell", 1000, 240, 90], [1800, "firefox", 1000, 900, 210]],
  },
};

/** A moment decoded, as `createMomentTable` gives it. */
export function boardMoment(board: TestBoard, load: Load = {}): Moment {
  const nvmap = nvmapOf(board, load);
  const gpuLoad = gpuLoadOf(board, load);
  return {
    t: load.t ?? 1000,
    baseline: load.baseline ?? false,
    meminfo: meminfoOf(board, load),
    processes: processesOf(board, load),
    processesAgeMs: 0,
    run: load.run === undefined ? [] : [RUN_PID],
    ...defined({ nvmap, gpuLoad }),
    ...(board === "nano" ? { zram: zramOf(load) } : {}),
    ...defined({
      cuda:
        load.cuda === undefined
          ? undefined
          : { pid: RUN_PID, ageMs: 120, ...cudaBytes(load.cuda), ...integratedOf(board) },
      at: load.at === undefined ? undefined : { path: load.at[0], line: load.at[1] },
    }),
  };
}

/** A run of train.py that is over, whose main process is `RUN_PID`. */
export function finishedRun(changes: Partial<RunInfo> = {}): RunInfo {
  return {
    id: "20261121-094501-train-3fa9",
    state: "finished",
    engine: { name: "line", exact: false, accelerator: true },
    command: { python: "python3", script: "train.py", args: [] },
    lastLines: [],
    environment: {},
    board: {},
    versions: {},
    processes: [{ pid: RUN_PID, kind: "main", label: "main" }],
    warnings: [],
    ...changes,
  };
}

/** The lines of a moments.jsonl: a header and a record for each load. */
export function boardLines(board: TestBoard, loads: readonly Load[], header: object = {}): string[] {
  const names = Object.keys(meminfoOf(board, {}));
  const first = { schema: 1, record: "header", unix_ms: 1795254301123, interval_ms: 1000, meminfo: names, ...header };
  return [first, ...loads.map((load) => recordOf(board, load))].map((record) => JSON.stringify(record));
}

/** Who asked for what CUDA holds beside PyTorch at the peak of the training below, made by hand. */
export const TRAINING_GPU: readonly GpuSummary[] = [
  {
    pid: RUN_PID,
    parts: [
      { name: "PyTorch", pytorch: true, pinned: false, live: 340 * MIB, peak: 340 * MIB },
      { name: "CUDA context", pytorch: false, pinned: false, live: 190 * MIB, peak: 190 * MIB },
      { name: "cuDNN", pytorch: false, pinned: false, live: 8 * MIB, peak: 64 * MIB },
      { name: "cuBLAS", pytorch: false, pinned: false, live: 28 * MIB, peak: 28 * MIB },
      { name: "Pinned memory", pytorch: false, pinned: true, live: 8 * MIB, peak: 8 * MIB },
    ],
  },
];

/**
 * A training as moments: the idle board, imports, the first `.to("cuda")` with its libraries, batches up to a peak at
 * three quarters, and what is left at the end. One load a second.
 */
export function training(seconds = 40): Load[] {
  const loads: Load[] = [{ t: -14, baseline: true }];
  for (let second = 1; second <= seconds; second++) {
    const share = second / seconds;
    const grown = share <= 0.75 ? share / 0.75 : 0.6;
    const onGpu = share >= 0.25;
    loads.push({
      t: second * 1000,
      run: { anon: 40 + Math.round(900 * grown), file: onGpu ? 420 : 110, shmem: onGpu ? 24 : 0 },
      ...(onGpu
        ? { cuda: { allocated: Math.round(260 * grown), reserved: Math.round(320 * grown) + 20, context: 310 } }
        : {}),
      pageCache: PAGE_CACHE + Math.round(60 * share),
      gpuLoad: onGpu ? 0.2 + 0.6 * grown : 0,
      swapUsed: Math.round(20 * grown),
      at: onGpu ? ["train.py", 33] : ["train.py", 4],
    });
  }
  return loads;
}

function recordOf(board: TestBoard, load: Load): object {
  const cuda = load.cuda && cudaBytes(load.cuda);
  const nvmap = nvmapTable(board, load);
  const gpuLoad = gpuLoadOf(board, load);
  const t = load.t ?? 1000;
  return {
    t,
    ...(load.baseline ? { baseline: true } : {}),
    m: Object.entries(meminfoOf(board, load)).map(([name, value]) =>
      name.startsWith("HugePages_") ? value : value / KIB,
    ),
    p: processesOf(board, load).map((p) => [
      p.pid,
      p.name,
      p.uid,
      p.rss,
      p.anon,
      p.file,
      p.shmem,
      p.swap,
      p.pss ?? null,
      p.uss ?? null,
    ]),
    p_t: t,
    ...(load.run === undefined ? {} : { run: [RUN_PID] }),
    ...defined({ nvmap, gpu_load: gpuLoad === undefined ? undefined : Math.round(gpuLoad * 1000) }),
    ...(board === "nano" ? { zram: Object.values(zramOf(load)) } : {}),
    ...defined({
      cuda:
        cuda === undefined
          ? undefined
          : {
              pid: RUN_PID,
              age_ms: 120,
              allocated: cuda.allocated,
              reserved: cuda.reserved,
              allocated_peak: cuda.allocatedPeak,
              ...integratedOf(board),
            },
      at: load.at,
    }),
  };
}

/** Only a Jetson's sysfs tells it. */
function gpuLoadOf(board: TestBoard, load: Load): number | undefined {
  if (["none", "absent"].includes(BOARDS[board].nvmap) || load.gpuLoad === undefined) return undefined;
  return Math.round(load.gpuLoad * 1000) / 1000;
}

function cudaBytes(cuda: { readonly allocated: number; readonly reserved: number }) {
  return { allocated: cuda.allocated * MIB, reserved: cuda.reserved * MIB, allocatedPeak: cuda.allocated * MIB };
}

/** As the helper tells it since it asks CUDA; the Jetsons stand for runs of before. */
function integratedOf(board: TestBoard): Pick<NonNullable<Moment["cuda"]>, "integrated"> {
  if (board === "nano" || board === "orin") return {};
  return { integrated: BOARDS[board].nvmap !== "none" };
}

function zramOf(load: Load): { readonly used: number; readonly stored: number } {
  const stored = (load.swapUsed ?? 0) * MIB;
  return { used: Math.round(stored / 3), stored };
}

function processesOf(board: TestBoard, load: Load): ProcessMemory[] {
  const { run } = load;
  const others = BOARDS[board].processes.map(([pid, name, uid, anon, file]) => memoryOf(pid, name, uid, anon, file, 0));
  return run === undefined ? others : [...others, memoryOf(RUN_PID, "python3", 1000, run.anon, run.file, run.shmem)];
}

function memoryOf(pid: number, name: string, uid: number, anon: number, file: number, shmem: number): ProcessMemory {
  return {
    pid,
    name,
    uid,
    rss: (anon + file + shmem) * MIB,
    anon: anon * MIB,
    file: file * MIB,
    shmem: shmem * MIB,
    swap: 0,
    // Only of the user's own processes; half of the libraries are other programs' too.
    ...(uid === 0 ? {} : { pss: (anon + file / 2 + shmem) * MIB, uss: anon * MIB }),
  };
}

function nvmapOfRun(load: Load): number {
  return load.cuda === undefined ? 0 : load.cuda.reserved + load.cuda.context;
}

function nvmapOf(board: TestBoard, load: Load): Moment["nvmap"] {
  if (BOARDS[board].nvmap !== "meminfo") return undefined;
  const run = nvmapOfRun(load);
  const clients = [
    ...(run === 0 ? [] : [{ client: "user", process: "python3", pid: RUN_PID, bytes: run * MIB }]),
    { client: "user", process: "gnome-shell", pid: 2831, bytes: 12 * MIB },
    { client: "user", process: "Xorg", pid: 1731, bytes: 22 * MIB },
  ];
  return { clients, total: clients.reduce((sum, client) => sum + client.bytes, 0) };
}

function nvmapTable(board: TestBoard, load: Load): string | undefined {
  const table = nvmapOf(board, load);
  if (table === undefined) return undefined;
  const rows = table.clients.map(({ client, process, pid, bytes }) =>
    [client.padEnd(16), process.padStart(20), String(pid).padStart(8), `${bytes / KIB}K`.padStart(11)].join(" "),
  );
  const total = `total${`${(table.total ?? 0) / KIB}K`.padStart(53)}`;
  return `${["CLIENT                        PROCESS      PID        SIZE", ...rows, total].join("\n")}\n`;
}

function meminfoOf(board: TestBoard, load: Load): Meminfo {
  const { total, swapTotal, nvmap, nvmapOthers, unattributed, processes } = BOARDS[board];
  const run = load.run ?? { anon: 0, file: 0, shmem: 0 };
  const swapUsed = load.swapUsed ?? 0;
  const anon = run.anon + 30 + processes.reduce((sum, process) => sum + process[3], 0);
  const shmem = 30 + run.shmem;
  // Programs share most of their libraries.
  const mappedFiles = run.file + 150;
  const cached = (load.pageCache ?? PAGE_CACHE) + mappedFiles + shmem;
  const gpu = nvmap === "none" ? 0 : nvmapOthers + nvmapOfRun(load);
  const kernel = { SReclaimable: 62, SUnreclaim: 71, KernelStack: 9, PageTables: 18 };
  const known = cached + 40 + anon + gpu + kernel.SReclaimable + kernel.SUnreclaim + 27;
  const pool = nvmap === "meminfo" ? 2 : 0;
  const zram = board === "nano" ? zramOf(load).used : 0;
  const free = Math.max(0, (total - known - unattributed - pool) * MIB - Math.ceil(zram / KIB) * KIB);
  return {
    MemTotal: total * MIB,
    MemFree: free,
    MemAvailable: free + Math.round(((load.pageCache ?? PAGE_CACHE) * MIB * 0.8) / KIB) * KIB,
    Buffers: 40 * MIB,
    Cached: cached * MIB,
    SwapCached: 0,
    "Active(anon)": (anon + shmem) * MIB,
    "Inactive(anon)": 0,
    SwapTotal: swapTotal * MIB,
    SwapFree: (swapTotal - swapUsed) * MIB,
    AnonPages: anon * MIB,
    Mapped: (mappedFiles + run.shmem) * MIB,
    Shmem: shmem * MIB,
    ...(board === "nano" ? {} : { KReclaimable: kernel.SReclaimable * MIB }),
    Slab: (kernel.SReclaimable + kernel.SUnreclaim) * MIB,
    SReclaimable: kernel.SReclaimable * MIB,
    SUnreclaim: kernel.SUnreclaim * MIB,
    KernelStack: kernel.KernelStack * MIB,
    PageTables: kernel.PageTables * MIB,
    ...(nvmap === "meminfo" ? { NvMapMemFree: pool * MIB, NvMapMemUsed: gpu * MIB } : {}),
    HugePages_Total: 0,
    HugePages_Free: 0,
    Hugepagesize: 2 * MIB,
  };
}
