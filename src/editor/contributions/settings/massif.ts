/** Settings of native stacks, sampled or counted by massif. */
import { HEAP_DEFAULTS } from "../../../profile/heapDefaults.ts";
import type { SettingCategory, SettingValue } from "../model.ts";

const { sampleKiB, leastKiB, mostKiB } = HEAP_DEFAULTS;

export const MASSIF_VALUES = {
  "nativeStacks.sampleKiB": { kind: "number", whole: true, default: sampleKiB, least: leastKiB, most: mostKiB },
  "massif.lines": { kind: "number", whole: true, default: 8, least: 0, most: 100 },
  "massif.threshold": { kind: "number", default: 0.1, least: 0.01, most: 50 },
  "massif.pythonFrames": { kind: "flag", default: true },
  "massif.pagesAsHeap": { kind: "flag", default: false },
  "massif.gpu": { kind: "flag", default: false },
} as const satisfies Readonly<Record<string, SettingValue>>;

export const MASSIF_SETTINGS: SettingCategory<typeof MASSIF_VALUES> = {
  id: "massif",
  title: { en: "Native Stacks, and Massif", zh: "原生调用栈与 Massif" },
  settings: {
    "nativeStacks.sampleKiB": {
      says: {
        en: "**Profile on Jetson with Native Stacks**: how many KiB the script allocates between two samples, on average; blocks of that size and larger are always taken. Smaller is more certain, and costs more time and memory. Unit: KiB.",
        zh: "**在 Jetson 上分析内存和原生调用栈**：脚本平均每分配多少 KiB 采样一次；达到或超过该大小的块总会被采样。值越小，数据越准确，但需要更多的时间和内存。单位：KiB。",
      },
      example: { en: "`64` for a script that holds a few MiB", zh: "`64`，适用于只占用几 MiB 的脚本" },
      scope: "resource",
      needsTrust: true,
    },
    "massif.lines": {
      says: {
        en: "Profiling with Massif: how many of the heaviest lines of the script's last line profile are measured, with the heap before and after each time they run; without such a profile the script's import lines. Unit: lines. Lines you mark with **Mark/Unmark Line to Measure** are measured instead. `0` measures none unless you mark them.",
        zh: "使用 Massif 分析内存：测量脚本上次行级内存分析中占用内存最多的多少行，记录每次执行之前和之后的堆；没有这样的分析时，测量脚本的导入行。单位：行。如果使用**标记/取消标记要测量的行**标记了行，则改为测量这些行。`0` 表示除非你标记了行，否则不测量任何行。",
      },
      example: "`3`",
      scope: "resource",
      needsTrust: true,
    },
    "massif.threshold": {
      says: {
        en: "Profiling with Massif: call stacks that hold less than this share of the heap are summed up without their places. Unit: percent. Smaller values keep more stacks and make much larger files: a NumPy script wrote 2 MB at `1`, 27 MB at `0.1` and 420 MB at `0.01`.",
        zh: "使用 Massif 分析内存：占堆的比例低于此值的调用栈只合计大小，不保留其位置。单位：百分比。值越小，保留的调用栈越多，文件也大得多：一个 NumPy 脚本在 `1` 时写入 2 MB，在 `0.1` 时写入 27 MB，在 `0.01` 时写入 420 MB。",
      },
      example: { en: "`1` for a long training run", zh: "`1`，适用于长时间的训练运行" },
      scope: "resource",
      needsTrust: true,
    },
    "massif.pythonFrames": {
      says: {
        en: "Profiling with Massif: put the lines of the Python code into the native stacks. Without them the run needs less memory on the board (with PyTorch about 100 MiB), and no line of Python has figures.",
        zh: "使用 Massif 分析内存：在原生调用栈中加入 Python 代码行。不加入时，运行在开发板上需要的内存更少（使用 PyTorch 时约少 100 MiB），但所有 Python 行都没有数据。",
      },
      example: {
        en: "`false` where the board runs out of memory under Massif",
        zh: "`false`，适用于开发板在 Massif 下内存不足的情况",
      },
      scope: "resource",
      needsTrust: true,
    },
    "massif.pagesAsHeap": {
      says: {
        en: "Profiling with Massif: count every page of memory that the script maps, not the blocks it allocates on the heap. It sees what CUDA maps and needs far less memory on the board, but cannot tell small objects apart.",
        zh: "使用 Massif 分析内存：统计脚本映射的每个内存页，而不是它在堆上分配的块。这样可以看到 CUDA 映射的内容，且在开发板上需要的内存少得多，但无法区分小对象。",
      },
      example: { en: "`true` to see memory-mapped files and CUDA", zh: "`true`，用于查看内存映射文件和 CUDA" },
      scope: "resource",
      needsTrust: true,
    },
    "massif.gpu": {
      says: {
        en: "Profiling with Massif: let the script use the GPU. Valgrind does not know all of CUDA's calls to the driver, so this may fail. Otherwise the GPU is hidden from the script (`CUDA_VISIBLE_DEVICES` is empty).",
        zh: "使用 Massif 分析内存：允许脚本使用 GPU。Valgrind 并不了解 CUDA 对驱动程序的所有调用，因此可能失败。否则对脚本隐藏 GPU（`CUDA_VISIBLE_DEVICES` 为空）。",
      },
      example: { en: "`true` for a script that stops without a GPU", zh: "`true`，适用于没有 GPU 就会停止的脚本" },
      scope: "resource",
      needsTrust: true,
    },
  },
};
