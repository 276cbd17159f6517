/** What a board says of itself: kernel files, tegrastats, NvMap, the survey, moments, error messages. */

import { diagnoseBoard } from "../../../../src/board/doctor/diagnose.ts";
import { outputOfRanks } from "../../../../src/board/ending/failedRank.ts";
import { lastMemoryMessage } from "../../../../src/board/ending/messages.ts";
import { lastTracebacks } from "../../../../src/board/ending/traceback.ts";
import { makeLedger } from "../../../../src/board/ledger/ledger.ts";
import { createMomentTable } from "../../../../src/board/moments/momentTable.ts";
import { largestFreeBlock } from "../../../../src/board/parse/buddyinfo.ts";
import { parseComputeApps } from "../../../../src/board/parse/computeApps.ts";
import { parseCudaVersion } from "../../../../src/board/parse/cudaVersion.ts";
import { deviceTreeStrings } from "../../../../src/board/parse/deviceTree.ts";
import { parseMeminfo } from "../../../../src/board/parse/meminfo.ts";
import { parseNvmapClients } from "../../../../src/board/parse/nvmap.ts";
import { parseOsRelease } from "../../../../src/board/parse/osRelease.ts";
import { parseSwaps } from "../../../../src/board/parse/swaps.ts";
import { parseTegraRelease } from "../../../../src/board/parse/tegraRelease.ts";
import { parseTegrastats } from "../../../../src/board/parse/tegrastats.ts";
import { parseZramStat } from "../../../../src/board/parse/zram.ts";
import { decodeSurvey } from "../../../../src/board/survey.ts";
import { boardLines, training } from "../../../../src/board/testing.ts";
import { parseObject } from "../../../../src/profile/files/jsonRecords.ts";
import { parseCudaOom } from "../../../../src/torch/oomMessage.ts";
import { demand, demandFinite, type FuzzReader } from "../reader.ts";

/** A parser of one text, which gives undefined for what is not its own. */
function parser(reader: Omit<FuzzReader, "read">, parse: (text: string) => unknown): FuzzReader {
  return {
    ...reader,
    read(input) {
      const value = parse(Buffer.from(input).toString("utf8"));
      if (value === undefined) return "refused";
      demandFinite(value);
      return "read";
    },
  };
}

const TEGRASTATS = [
  "RAM 2448/3964MB (lfb 4x4MB) SWAP 12/1982MB (cached 1MB) IRAM 0/252kB(lfb 252kB) CPU [12%@1428,off,3%@1428,0%@1428] EMC_FREQ 4%@1600 GR3D_FREQ 99%@921 VIC_FREQ 0%@192 PLL@33C CPU@36.5C PMIC@100C GPU@35C AO@42.5C thermal@36.25C POM_5V_IN 3012/3012 POM_5V_GPU 120/120 POM_5V_CPU 484/484",
  "05-15-2023 14:21:30 RAM 2448/7620MB (lfb 4x4MB) SWAP 0/3810MB (cached 0MB) CPU [2%@729,off,off,0%@729] EMC_FREQ 0%@2133 GR3D_FREQ 0%@[305] VDD_IN 4521mW/4521mW/4600mW cpu@48.25C gpu@-256C",
  "RAM 1/2MB",
] as const;
const OOM = [
  "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 3.87 GiB total capacity; 1.10 GiB already allocated; 12.55 MiB free; 1.21 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory",
  "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacty of 7.44 GiB of which 512.00 MiB is free. Including non-PyTorch memory, this process has 17179869184.00 GiB memory in use. Of the allocated memory 5.10 GiB is allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.",
] as const;
const TORCHRUN_END = `Traceback (most recent call last):
  File "/usr/bin/torchrun", line 8, in <module>
    sys.exit(main())
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
Root Cause (first observed failure):
[0]:
  rank      : 1 (local_rank: 1)
  exitcode  : -9 (pid: 21)
`;
const TRACEBACK = `loading
Traceback (most recent call last):
  File "train.py", line 33, in <module>
    main()
  File "/home/nano/train.py", line 12, in main
    net = net.to(device)
          ^^^^^^^^^^^^^^
  [Previous line repeated 996 more times]
${OOM[0]}

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "x.py", line 2, in f
MemoryError
`;
const SURVEY = {
  schema: 1,
  files: {
    "proc/meminfo": "MemTotal: 4059240 kB\nMemFree: 313692 kB\nMemAvailable: 800000 kB\n",
    "proc/swaps": "Filename Type Size Used Priority\n/dev/zram0 partition 507404 48000 5\n",
    "proc/device-tree/model": "NVIDIA Jetson Nano Developer Kit\0",
    "proc/device-tree/compatible": "nvidia,p3449-0000-b00+p3448-0000-b00\0nvidia,jetson-nano\0nvidia,tegra210\0",
    "etc/nv_tegra_release": "# R32 (release), REVISION: 7.1, GCID: 29818004, BOARD: t210ref, EABI: aarch64",
    "etc/os-release": 'PRETTY_NAME="Ubuntu 18.04.6 LTS"\nVERSION_ID="18.04"\nID=ubuntu\n',
  },
  unreadable: { "sys/kernel/debug/nvmap/iovmm/clients": "permission-denied" },
  links: { "etc/localtime": "../usr/share/zoneinfo/UTC" },
  user: { uid: 1000, name: "nano", groups: ["nano", "sudo"], sudo: "password" },
  programs: { valgrind: { path: "/usr/bin/valgrind", version: "3.13.0" }, tegrastats: null },
  packages: { "nvidia-l4t-core": "32.7.1-20220219090344", "libc6-dbg": null },
  pythons: [{ path: "/usr/bin/python3", version: "3.6.9", torch: "1.10.0", torch_cuda: "10.2", pip: true, used: true }],
  processes: [[2831, "gnome-shell", 1000, 212000000, 180000000, 31000000, 1000000, 0, null, null]],
  capabilities: { ctypes: true, mmap: true },
  kernel: { release: "4.9.253-tegra", machine: "aarch64" },
  disk: { path: "/home/nano", free: 9000000000 },
  memory_limit: 1000000000,
};

const lines = (board: "nano" | "orin" | "pc", seconds: number) =>
  `${boardLines(board, training(seconds)).join("\n")}\n`;

export const readers: readonly FuzzReader[] = [
  parser(
    {
      name: "tegrastats lines",
      short: 6_000,
      samples: TEGRASTATS,
      fixtures: ["tegrastats"],
      pieces: ["RAM ", "/", "MB", "(lfb ", "CPU [", "off", "%@", "GR3D_FREQ ", "@[", "C ", "mW/"],
    },
    (text) => {
      const all = text.split("\n").flatMap((line) => parseTegrastats(line) ?? []);
      return all.length === 0 ? undefined : all;
    },
  ),
  parser(
    {
      name: "NvMap's table of clients",
      short: 20_000,
      samples: [
        "CLIENT                        PROCESS      PID        SIZE\nuser                          python3     4242     612344K\ngralloc               Web Content tab     1731        512\ntotal                                              614900K\n",
      ],
      fixtures: ["nvmap"],
      pieces: ["CLIENT", "total", "K", "M", "G"],
    },
    parseNvmapClients,
  ),
  parser(
    {
      name: "nvidia-smi's list of processes",
      short: 20_000,
      samples: ["4242, 650\n1500, 120\n31, [N/A]\n"],
      pieces: [", ", "[N/A]", "\r\n"],
    },
    parseComputeApps,
  ),
  parser(
    {
      name: "/proc/meminfo",
      short: 20_000,
      samples: [
        "MemTotal:        4059240 kB\nMemFree:          313692 kB\nActive(anon):    2153756 kB\nHugePages_Total:       3\n",
      ],
      fixtures: ["meminfo"],
      pieces: [": ", " kB\n", "MemTotal", "MemAvailable"],
    },
    parseMeminfo,
  ),
  parser(
    {
      name: "small files of the kernel and the system",
      short: 20_000,
      samples: [
        "Node 0, zone      DMA   1103    401     92      8      1      0      0      0      2      0      0 \nNode 0, zone   Normal    883    210     17\n",
        "Filename\t\t\t\tType\t\tSize\tUsed\tPriority\n/dev/zram0                              partition\t507404\t48000\t5\n/mnt/my\\040swap                         file\t\t4194300\t0\t-2\n",
        SURVEY.files["etc/os-release"],
        SURVEY.files["etc/nv_tegra_release"],
        " 41943040 12345678 13631488        0 13631488      12        0        3\n",
        '{\n "cuda" : {\n "name" : "CUDA SDK",\n "version" : "11.4.19"\n }}',
        "CUDA Version 10.2.300\n",
      ],
      fixtures: ["board"],
      pieces: ["Node 0, zone ", "\\040", "ID=", '"cuda"'],
    },
    (text) => [
      largestFreeBlock(text),
      parseSwaps(text),
      parseOsRelease(text),
      parseTegraRelease(text),
      parseZramStat(text),
      parseCudaVersion(text),
      deviceTreeStrings(text),
    ],
  ),
  parser(
    {
      name: "PyTorch's out-of-memory messages",
      short: 20_000,
      samples: OOM,
      fixtures: ["oom"],
      pieces: ["out of memory. Tried to allocate ", " GiB", " MiB", " bytes", "(GPU 0;", ". GPU 0", " total capacity"],
    },
    parseCudaOom,
  ),
  parser(
    {
      name: "tracebacks in what a script printed",
      short: 20_000,
      samples: [
        TRACEBACK,
        "Killed\n",
        "double free or corruption (out)\nMemoryError: Unable to allocate 3.00 GiB for an array\n",
      ],
      pieces: [
        "Traceback (most recent call last):\n",
        '  File "',
        '", line ',
        "During handling of the above exception",
        "MemoryError",
      ],
    },
    (text) => [lastTracebacks(text), lastMemoryMessage(text)],
  ),
  parser(
    {
      name: "what launchers say of the rank that failed",
      short: 20_000,
      samples: [
        `[rank1]: ${TRACEBACK.replaceAll("\n", "\n[rank1]: ")}${TORCHRUN_END}`,
        "mpirun noticed that process rank 1 with PID 21 on node nano exited on \nsignal 9 (Killed).\n",
        "  Process name: [[40318,1],1]\n  Exit code:    1\nsrun: error: nano: tasks 1-3: Out Of Memory\n",
      ],
      pieces: ["[rank0]: ", "Process name: [", "noticed that process rank ", "  rank      : 1 (local_rank: 1)\n", "\n"],
    },
    (text) => outputOfRanks(text, { processes: [{ pid: 21, kind: "spawn", label: "rank 1", rank: 1, ranks: 2 }] }),
  ),
  {
    name: "a board's answer to Check Board",
    short: 4_000,
    samples: [JSON.stringify(SURVEY)],
    pieces: Object.keys(SURVEY).map((key) => `"${key}":`),
    read(input) {
      const value = parseObject(Buffer.from(input).toString("utf8"));
      if (value === undefined) return "refused";
      const survey = decodeSurvey(value);
      demandFinite(survey);
      demandFinite(diagnoseBoard(survey));
      return "read";
    },
  },
  {
    name: "a board's moments (moments.jsonl)",
    short: 1_500,
    samples: [lines("nano", 3), lines("orin", 2), lines("pc", 2)],
    pieces: ['"m":[', '"p":[', '"gone":[4242]', '"run":[', '"record":"header"', '"t":'],
    read(input, random) {
      const table = createMomentTable("moments.jsonl");
      for (const line of Buffer.from(input).toString("utf8").split("\n")) table.add(line);
      if (table.size === 0) return "refused";
      const moment = table.moment(random.below(table.size));
      const baseline = table.baseline === undefined ? undefined : table.moment(table.baseline);
      demandFinite([moment, table.peak(), table.leastAvailable(), table.at(moment.t), table.series(16)]);
      demand(table.series(16).length <= 16, "a series has more points than were asked for");
      demandFinite(makeLedger(moment, baseline));
      return "read";
    },
  },
];
