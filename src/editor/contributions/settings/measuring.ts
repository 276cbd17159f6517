/** Settings of how lines are measured. */
import { MOST_SNAPSHOT_ENTRIES, TORCH_DEFAULTS } from "../../../profile/torch/torchDefaults.ts";
import type { SettingCategory, SettingValue } from "../model.ts";

export const MEASURING_VALUES = {
  engine: { kind: "choice", of: ["line", "memory_profiler"], default: "line" },
  exactMode: { kind: "flag", default: false },
  accelerator: { kind: "flag", default: true },
  "torch.exactPeaks": { kind: "flag", default: false },
  "torch.snapshots": { kind: "flag", default: false },
  "torch.snapshotEntries": {
    kind: "number",
    whole: true,
    default: TORCH_DEFAULTS.snapshotEntries,
    least: 1_000,
    most: MOST_SNAPSHOT_ENTRIES,
  },
  outputLimitMiB: { kind: "number", default: 64, least: 1, most: 4096 },
} as const satisfies Readonly<Record<string, SettingValue>>;

export const MEASURING_SETTINGS: SettingCategory<typeof MEASURING_VALUES> = {
  id: "measuring",
  title: { en: "Measuring Lines", zh: "测量代码行" },
  settings: {
    engine: {
      says: {
        en: "How the script is measured, line by line. For native code there is **Profile on Jetson with Native Stacks**.",
        zh: "逐行测量脚本的方式。若要查看原生代码，请使用**在 Jetson 上分析内存和原生调用栈**。",
      },
      example: "`memory_profiler`",
      scope: "resource",
      needsTrust: true,
      choices: {
        line: {
          name: { en: "Line engine", zh: "行引擎" },
          says: {
            en: "Measures every line of the project's files, with peaks. Nothing to install on the board.",
            zh: "测量项目文件的每一行，包括峰值。开发板上无需安装任何内容。",
          },
        },
        memory_profiler: {
          name: "memory_profiler",
          says: {
            en: "Runs the `memory_profiler` package of the board's Python. It measures functions marked with `@profile` only, and has no peaks.",
            zh: "运行开发板 Python 的 `memory_profiler` 包。它只测量带有 `@profile` 标记的函数，且没有峰值。",
          },
        },
      },
    },
    exactMode: {
      says: {
        en: "Read the memory more often: whenever 1.5 µs have passed, not 10 µs. Slower. Lines shorter than that share a reading while nothing changes, and what may belong to a neighboring line is shown as *uncertain*; right after a change, both modes read at every line.",
        zh: "更频繁地读取内存：每隔 1.5 µs 读取一次，而不是 10 µs。速度较慢。在内存没有变化时，比此间隔更短的各行共用一次读数，可能属于相邻行的部分显示为*不确定*；刚发生变化后，两种模式都会在每一行读取。",
      },
      example: {
        en: "`true` where many short lines are *uncertain*",
        zh: "`true`，适用于许多短行显示为*不确定*的情况",
      },
      scope: "resource",
      needsTrust: true,
    },
    accelerator: {
      says: {
        en: "Use the compiled part of the line engine where it fits the board's Python. The results are the same without it; the script runs slower.",
        zh: "在适用于开发板的 Python 时，使用行引擎的已编译部分。不使用时结果相同，但脚本运行更慢。",
      },
      example: { en: "`false` to run Python code only on the board", zh: "`false` 表示在开发板上只运行 Python 代码" },
      scope: "resource",
      needsTrust: true,
    },
    "torch.exactPeaks": {
      says: {
        en: "Line engine, GPU memory: reset PyTorch's own peaks, so that the CUDA peaks of lines are exact, not bounds. `torch.cuda.max_memory_allocated()` in the script then tells the peak since the last reset.",
        zh: "行引擎，GPU 内存：重置 PyTorch 自身的峰值，使各行的 CUDA 峰值为精确值而非界限。此后脚本中的 `torch.cuda.max_memory_allocated()` 返回的是自上次重置以来的峰值。",
      },
      example: { en: "`true` if the script does not read its own peaks", zh: "`true`，适用于脚本不读取自身峰值的情况" },
      scope: "resource",
      needsTrust: true,
    },
    "torch.snapshots": {
      says: {
        en: "Line engine, GPU memory: record PyTorch's CUDA allocator and keep snapshots of it: at an out-of-memory error, every minute, at the end, and when you choose **Take Allocator Snapshot**. Needs PyTorch 1.13 or newer, takes memory on the board for its events, and makes a script that allocates often slower.",
        zh: "行引擎，GPU 内存：记录 PyTorch 的 CUDA 分配器并保留其快照：发生内存不足错误时、每分钟、结束时以及你选择**获取分配器快照**时。需要 PyTorch 1.13 或更高版本，会在开发板上占用内存来保存事件，并使频繁分配内存的脚本变慢。",
      },
      example: {
        en: "`true` to see what held the memory when CUDA ran out of it",
        zh: "`true`，用于查看 CUDA 内存用尽时是什么占用了内存",
      },
      scope: "resource",
      needsTrust: true,
    },
    "torch.snapshotEntries": {
      says: {
        en: "How many of the CUDA allocator's latest events a snapshot keeps (PyTorch 2.1 and newer). Unit: events. More reach further back and take more memory on the board.",
        zh: "快照保留 CUDA 分配器多少个最近的事件（PyTorch 2.1 及更高版本）。单位：个事件。数量越多，可追溯的时间越长，在开发板上占用的内存也越多。",
      },
      example: { en: "`20000` on a board with little memory", zh: "`20000`，适用于内存较少的开发板" },
      scope: "resource",
      needsTrust: true,
    },
    outputLimitMiB: {
      says: {
        en: "How much of the script's standard output, and as much of its standard error, the run folder keeps. Unit: MiB. The script continues past the limit; what is beyond it is counted and not kept.",
        zh: "运行文件夹保留的脚本标准输出的大小，标准错误的限制与之相同。单位：MiB。超过限制后脚本继续运行；超出的部分只计数，不保留。",
      },
      example: "`8`",
      scope: "resource",
      needsTrust: true,
    },
  },
};
