/** Settings of figures in the editor and of kept runs. */
import { METRICS } from "../../../profile/model.ts";
import { DAY_MS, DEFAULT_LIMITS } from "../../../runs/pruning/prune.ts";
import type { SettingCategory, SettingValue } from "../model.ts";

export const SHOWING_VALUES = {
  "decorations.enabled": { kind: "flag", default: true },
  "decorations.position": { kind: "choice", of: ["automatic", "afterLine", "beforeLine"], default: "automatic" },
  "decorations.metric": { kind: "choice", of: METRICS, default: "rss" },
  "decorations.threshold": { kind: "number", default: 0.1, least: 0 },
  "codeLens.enabled": { kind: "flag", default: true },
  "history.maxRuns": { kind: "number", whole: true, default: DEFAULT_LIMITS.maxRuns, least: 0, most: 1_000_000 },
  "history.maxSizeMiB": {
    kind: "number",
    whole: true,
    default: DEFAULT_LIMITS.maxBytes / 2 ** 20,
    least: 0,
    most: 1_000_000_000,
  },
  "history.deletedDays": {
    kind: "number",
    whole: true,
    default: DEFAULT_LIMITS.deletedFor / DAY_MS,
    least: 0,
    most: 36_500,
  },
} as const satisfies Readonly<Record<string, SettingValue>>;

export const SHOWING_SETTINGS: SettingCategory<typeof SHOWING_VALUES> = {
  id: "showing",
  title: { en: "Figures in the Editor and Kept Runs", zh: "编辑器中的数据与保留的运行" },
  settings: {
    "decorations.enabled": {
      says: { en: "Show each line's memory beside it in the editor.", zh: "在编辑器中的每一行旁显示其内存。" },
      example: {
        en: "`false` to have the figures in hovers and in **Memory Runs** only",
        zh: "`false` 表示只在悬停提示和**内存运行记录**中显示数据",
      },
      scope: "window",
    },
    "decorations.position": {
      says: { en: "Where a figure stands.", zh: "数据显示的位置。" },
      example: "`afterLine`",
      scope: "window",
      choices: {
        automatic: {
          name: { en: "Automatic", zh: "自动" },
          says: {
            en: "After the lines; before them in files where a line with a figure is so long (over 80 characters) that the figure could be out of sight.",
            zh: "显示在行后；如果文件中有数据的某一行太长（超过 80 个字符），数据可能看不到，则显示在行前。",
          },
        },
        afterLine: {
          name: { en: "After the line", zh: "行后" },
          says: { en: "After the line, wherever it ends.", zh: "显示在行后，无论该行在哪里结束。" },
        },
        beforeLine: {
          name: { en: "Before the line", zh: "行前" },
          says: {
            en: "Before the line, in a column: always in sight, with the code moved to the right. A peak that a line has besides stands behind it.",
            zh: "显示在行前的一列中：始终可见，代码右移。该行另有的峰值显示在行后。",
          },
        },
      },
    },
    "decorations.metric": {
      says: {
        en: "Which memory stands beside the lines, in the code lens and in **Memory Runs**, where the run has it; else RSS. `Alt+M` (`Ctrl+Alt+M` on macOS) in a Python file shows the next one.",
        zh: "行旁、CodeLens 以及**内存运行记录**中显示哪种内存（如果运行中有该数据，否则显示 RSS）。在 Python 文件中按 `Alt+M`（在 macOS 上为 `Ctrl+Alt+M`）可切换到下一种。",
      },
      example: "`cuda`",
      scope: "window",
      choices: {
        rss: {
          name: "RSS",
          says: {
            en: "The process's own memory (RSS). On a Jetson it does not hold CUDA memory.",
            zh: "进程自身的内存 (RSS)。在 Jetson 上不包含 CUDA 内存。",
          },
        },
        cuda: {
          name: "CUDA",
          says: {
            en: "What PyTorch's CUDA allocator handed out to tensors.",
            zh: "PyTorch 的 CUDA 分配器分配给张量的内存。",
          },
        },
        system: {
          name: { en: "Board", zh: "开发板" },
          says: {
            en: "The whole board's memory in use, CPU and GPU, whoever took it.",
            zh: "整个开发板的已用内存，包括 CPU 和 GPU，无论由谁占用。",
          },
        },
      },
    },
    "decorations.threshold": {
      says: {
        en: "Lines that moved less memory than this are not marked in the editor. Unit: MiB. `0` marks every measured line. The hover always has the figures.",
        zh: "内存变化小于此值的行不会在编辑器中标记。单位：MiB。`0` 表示标记每个测量过的行。悬停提示始终包含数据。",
      },
      example: "`1`",
      scope: "window",
    },
    "codeLens.enabled": {
      says: {
        en: "Show the memory and time of each function above its definition.",
        zh: "在每个函数的定义上方显示其内存和时间。",
      },
      example: "`false`",
      scope: "window",
    },
    "history.maxRuns": {
      says: {
        en: "How many runs of a project are kept. Unit: runs. When a run has ended, the oldest above this number are deleted, which can be undone (**Restore Deleted Run…**). Pinned runs, the newest one and those that are shown stay. `0`: any number.",
        zh: "保留一个项目的多少次运行。单位：次运行。运行结束后，超出此数量的最早的运行将被删除，可以撤消（**还原已删除的运行…**）。已固定的运行、最新的运行和正在显示的运行会保留。`0`：不限数量。",
      },
      example: "`50`",
      scope: "resource",
      needsTrust: true,
    },
    "history.maxSizeMiB": {
      says: {
        en: "How much of the disk the runs of a project may take. Unit: MiB. When a run has ended and they take more, the runs that were deleted the longest ago are removed for good, and the oldest others are deleted as with `#jetsonMemprof.history.maxRuns#`. Where the runs that stay are above a limit by themselves, nothing is deleted for that limit. `0`: no limit.",
        zh: "一个项目的运行最多可占用的磁盘空间。单位：MiB。运行结束后，如果占用超出此值，将永久移除最早删除的运行，并像 `#jetsonMemprof.history.maxRuns#` 那样删除其他最早的运行。如果必须保留的运行本身已超出某项限制，则不会因该限制删除任何运行。`0`：无限制。",
      },
      example: "`500`",
      scope: "resource",
      needsTrust: true,
    },
    "history.deletedDays": {
      says: {
        en: "How long a deleted run can be restored. Unit: days. After that it is removed for good when the next run has ended, or earlier where `#jetsonMemprof.history.maxSizeMiB#` needs the room.",
        zh: "已删除的运行可在多长时间内还原。单位：天。此后，在下一次运行结束时将其永久移除；如果 `#jetsonMemprof.history.maxSizeMiB#` 需要空间，则会更早移除。",
      },
      example: "`30`",
      scope: "resource",
      needsTrust: true,
    },
  },
};
