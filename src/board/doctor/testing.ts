/** Boards for the tests of Check Board, written by hand after the formats of the kernel and NVIDIA's files. */
import { decodeSurvey, type Survey } from "../survey.ts";

const KB = 1024;
const GIB = 1024 ** 3;

const process = (pid: number, name: string, anon: number) => [pid, name, 1000, anon + 9e6, anon, 9e6, 0, 0, null, null];

function meminfo(total: number, available: number, more = ""): string {
  return `MemTotal: ${total / KB} kB\nMemFree: ${available / 2 / KB} kB\nMemAvailable: ${available / KB} kB\n${more}`;
}

const ZRAM_SWAPS =
  "Filename\tType\tSize\tUsed\tPriority\n/dev/zram0 partition 1014808 40960 5\n/dev/zram1 partition 1014808 0 5\n";
const NO_SWAPS = "Filename\tType\tSize\tUsed\tPriority\n";

/** A Nano as JetPack 4.6.1 leaves it, by an ordinary account. */
export const NANO = {
  schema: 1,
  files: {
    "proc/device-tree/model": "NVIDIA Jetson Nano Developer Kit\0",
    "proc/device-tree/compatible": "nvidia,p3449-0000-b00+p3448-0000-b00\0nvidia,jetson-nano\0nvidia,tegra210\0",
    "etc/nv_tegra_release": "# R32 (release), REVISION: 7.1, GCID: 29818004, BOARD: t210ref\n",
    "etc/os-release": 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="18.04"\nPRETTY_NAME="Ubuntu 18.04.6 LTS"\n',
    "proc/meminfo": meminfo(4059240 * KB, 1_500_000 * KB, "NvMapMemUsed: 244748 kB\n"),
    "proc/buddyinfo": "Node 0, zone Normal 883 210 17 3 0 0 1 1 1 5 0\n",
    "proc/swaps": ZRAM_SWAPS,
    "sys/block/zram0/mm_stat": "41943040 12345678 13631488 0 13631488 12 0",
    "usr/local/cuda/version.txt": "CUDA Version 10.2.300\n",
  },
  unreadable: { "sys/kernel/debug/nvmap/iovmm/clients": "permission-denied" },
  links: { "etc/systemd/system/default.target": "/lib/systemd/system/graphical.target" },
  user: { uid: 1000, name: "nano", groups: ["nano", "sudo", "video"], sudo: "password" },
  programs: {
    tegrastats: { path: "/usr/bin/tegrastats" },
    valgrind: null,
    smem: null,
    jtop: { path: "/usr/local/bin/jtop" },
    "nvidia-smi": null,
  },
  packages: { "nvidia-l4t-core": "32.7.1-20220219090344", valgrind: null },
  pythons: [
    { path: "/usr/bin/python3", version: "3.6.9", torch: "1.10.0", torch_cuda: "10.2", pip: false, used: true },
  ],
  processes: [process(1731, "Xorg", 30e6), process(2831, "gnome-shell", 180e6), process(3000, "python3", 50e6)],
  capabilities: { clear_refs: true, smaps_rollup: false, gil: true },
  kernel: { release: "4.9.253-tegra", machine: "aarch64" },
  disk: { path: "/home/nano", free: 20 * GIB },
};

/** An Orin Nano with JetPack 6, set up well: no desktop, swap on its disk. */
export const ORIN = {
  ...NANO,
  files: {
    "proc/device-tree/model": "NVIDIA Jetson Orin Nano Developer Kit\0",
    "proc/device-tree/compatible": "nvidia,p3768-0000+p3767-0005\0nvidia,p3767-0005\0nvidia,tegra234\0",
    "etc/nv_tegra_release": "# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic\n",
    "etc/os-release": 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="22.04"\nPRETTY_NAME="Ubuntu 22.04.5 LTS"\n',
    "proc/meminfo": meminfo(7_802_880 * KB, 6_000_000 * KB),
    "proc/swaps": `${ZRAM_SWAPS}/ssd/16GB.swap file 16777212 0 -2\n`,
    "usr/local/cuda/version.json": '{"cuda":{"name":"CUDA SDK","version":"12.6.11"}}',
  },
  links: { "etc/systemd/system/default.target": "/lib/systemd/system/multi-user.target" },
  user: { uid: 1000, name: "orin", groups: ["orin", "sudo", "video", "jtop"], sudo: "free" },
  programs: {
    ...NANO.programs,
    valgrind: { path: "/usr/bin/valgrind", version: "3.18.1" },
    smem: { path: "/usr/bin/smem" },
  },
  packages: { "nvidia-l4t-core": "36.4.3-20250107174145" },
  pythons: [
    {
      path: "/usr/bin/python3",
      version: "3.10.12",
      torch: "2.5.0a0+872d972e41.nv24.08",
      memory_profiler: "0.61.0",
      used: true,
    },
  ],
  processes: [process(800, "dockerd", 40e6)],
  capabilities: { clear_refs: true, smaps_rollup: true, gil: true },
  kernel: { release: "5.15.148-tegra", machine: "aarch64" },
};

/** A Raspberry Pi, with nothing of NVIDIA's. */
export const PI = {
  schema: 1,
  files: {
    "proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\0",
    "proc/device-tree/compatible": "raspberrypi,4-model-b\0brcm,bcm2711\0",
    "etc/os-release": 'ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
    "proc/meminfo": meminfo(3_884_000 * KB, 3_200_000 * KB),
    "proc/swaps": NO_SWAPS,
  },
  user: { uid: 1000, name: "pi", groups: ["pi", "sudo"], sudo: "password" },
  programs: { tegrastats: null, valgrind: null, smem: null, jtop: null, "nvidia-smi": null },
  packages: { "nvidia-l4t-core": null },
  pythons: [{ path: "/usr/bin/python3", version: "3.11.2", used: true }],
  processes: [process(1, "systemd", 5e6)],
  capabilities: { clear_refs: true, smaps_rollup: true, gil: true },
  kernel: { release: "6.6.20-v8+", machine: "aarch64" },
  disk: { path: "/home/pi", free: 20 * GIB },
};

/** A survey with some of its parts changed. */
export function surveyOf(board: object, changes: object = {}): Survey {
  return decodeSurvey({ ...board, ...changes });
}
