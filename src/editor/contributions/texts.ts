/** Texts of what stands in package.json itself: views, kinds of editors, what the extension is. By their keys there. */
import type { Said } from "./model.ts";

export const TEXTS = {
  description: {
    en: "Shows which source line took the memory: profiles Python training scripts on NVIDIA Jetson boards over SSH.",
    zh: "显示哪一行源代码占用了内存：通过 SSH 在 NVIDIA Jetson 开发板上分析 Python 训练脚本的内存。",
  },
  untrustedWorkspaces: {
    en: "Runs that were already recorded can be read, and reports of other tools imported. Everything that runs code, connects to a board or deletes old runs by itself waits until you trust the workspace, and the workspace's settings for it are not used.",
    zh: "可以查看已记录的运行，也可以导入其他工具的报告。所有会执行代码、连接开发板或自动删除旧运行的操作，都要等到你信任此工作区之后才会进行；此前也不会使用工作区中与之相关的设置。",
  },
  virtualWorkspaces: {
    en: "Profiling copies the project's files to the board, so they must be on a disk.",
    zh: "分析内存时需要将项目文件复制到开发板，因此这些文件必须位于磁盘上。",
  },
  category: "Jetson",
  "submenu.memory": { en: "Jetson Memory", zh: "Jetson 内存" },
  "editor.massif": { en: "Flame View", zh: "火焰图视图" },
  "editor.trace": { en: "PyTorch Profiler Trace", zh: "PyTorch 分析器跟踪记录" },
  "editor.snapshot": { en: "Allocator Snapshot", zh: "分配器快照" },
  "view.container": { en: "Jetson Memory", zh: "Jetson 内存" },
  "view.runs": { en: "Memory Runs", zh: "内存运行记录" },
  "welcome.noFolder": {
    en: "Which line of your script took the memory? The first steps lead from a board to the answer; on Linux no board is needed.\n[Take the First Steps](command:workbench.action.openWalkthrough?%22jetson-memory-profiler.jetson-memory-profiler%23jetsonMemprof.start%22)\n[Create Sample Project…](command:jetsonMemprof.createSample)\n[Open Folder](command:vscode.openFolder)",
    zh: "脚本的哪一行占用了内存？入门步骤将带你从连接开发板走到答案；在 Linux 上无需开发板。\n[开始入门步骤](command:workbench.action.openWalkthrough?%22jetson-memory-profiler.jetson-memory-profiler%23jetsonMemprof.start%22)\n[创建示例项目…](command:jetsonMemprof.createSample)\n[打开文件夹](command:vscode.openFolder)",
  },
  "welcome.noRuns": {
    en: "No runs yet. Profile a Python script on a Jetson and each line shows the memory it took.\n[Profile a Script](command:jetsonMemprof.profile)\n[Add a Board](command:jetsonMemprof.selectTarget)\nNo script or no board at hand? [Create a sample project](command:jetsonMemprof.createSample), and on Linux choose the simulated board. [The first steps](command:workbench.action.openWalkthrough?%22jetson-memory-profiler.jetson-memory-profiler%23jetsonMemprof.start%22) lead through it.",
    zh: "尚无运行。在 Jetson 上分析 Python 脚本后，每一行都会显示其占用的内存。\n[分析脚本](command:jetsonMemprof.profile)\n[添加开发板](command:jetsonMemprof.selectTarget)\n手边没有脚本或开发板？[创建示例项目](command:jetsonMemprof.createSample)，并在 Linux 上选择模拟开发板。[入门步骤](command:workbench.action.openWalkthrough?%22jetson-memory-profiler.jetson-memory-profiler%23jetsonMemprof.start%22)会引导你完成。",
  },
  "welcome.untrusted": {
    en: "No runs yet. Profiling runs the workspace's code, so the workspace must be trusted first.\n[Manage Workspace Trust](command:workbench.trust.manage)\nA [sample project](command:jetsonMemprof.createSample) of your own can be tried meanwhile.",
    zh: "尚无运行。分析内存会执行工作区中的代码，因此必须先信任此工作区。\n[管理工作区信任](command:workbench.trust.manage)\n在此之前可以先试用自己的[示例项目](command:jetsonMemprof.createSample)。",
  },
  "welcome.filtered": {
    en: "No run fits the filter.\n[Show All Memory Runs](command:jetsonMemprof.clearRunsFilter)\n[Change the Filter…](command:jetsonMemprof.filterRuns)",
    zh: "没有符合筛选条件的运行。\n[显示所有内存运行记录](command:jetsonMemprof.clearRunsFilter)\n[更改筛选条件…](command:jetsonMemprof.filterRuns)",
  },
} as const satisfies Readonly<Record<string, Said>>;
