/** Commands that measure a script. */

import { inSubmenu, onFiles, PYTHON_FILE } from "../menus.ts";
import type { CommandGroup } from "../model.ts";

export const MEASURING = {
  title: "Measuring",
  commands: {
    profile: {
      title: { en: "Profile on Jetson", zh: "在 Jetson 上分析内存" },
      says: "Copies the project to the board, runs the script there and shows what each line took.",
      icon: "pulse",
      menus: [
        { in: "editor/context", when: PYTHON_FILE, group: "jetsonMemprof@1" },
        onFiles("jetsonMemprof@1", "resourceLangId == python"),
        onFiles("jetsonMemprof@1", "resourceExtname == .ipynb"),
        { in: "editor/title/run", when: PYTHON_FILE, group: "9_jetsonMemprof@1" },
        { in: "notebook/toolbar", when: "notebookType == jupyter-notebook", group: "navigation@9" },
      ],
    },
    profileAgain: {
      title: { en: "Profile Again", zh: "再次分析内存" },
      says: "The last script once more: same board, arguments and options (Alt+Shift+P; Ctrl+Alt+Shift+P on macOS).",
      icon: "debug-rerun",
      keys: [
        {
          key: "alt+shift+p",
          mac: "ctrl+alt+shift+p",
          when: "editorLangId == python || focusedView == jetsonMemprof.runs",
        },
      ],
    },
    profileWithOptions: {
      title: { en: "Profile on Jetson with Options…", zh: "在 Jetson 上按选项分析内存…" },
      says: "Asks first for arguments, Python, engine and what to record.",
      menus: [{ in: "editor/title/run", when: PYTHON_FILE, group: "9_jetsonMemprof@5" }, inSubmenu("1_profile@1")],
    },
    profileNativeStacks: {
      title: { en: "Profile on Jetson with Native Stacks", zh: "在 Jetson 上分析内存和原生调用栈" },
      says: "Also samples the native call stacks of what the script allocates, at next to no cost ([engines.md](engines.md#native-stacks-sampled)).",
      menus: [
        { in: "editor/title/run", when: PYTHON_FILE, group: "9_jetsonMemprof@2" },
        inSubmenu("1_profile@2", "resourceLangId == python"),
      ],
    },
    profileMassif: {
      title: {
        en: "Profile on Jetson with Massif (Exact, Slow)",
        zh: "在 Jetson 上使用 Massif 分析内存（精确，较慢）",
      },
      says: "Runs it under valgrind, which counts every allocation ([engines.md](engines.md#massif-with-python-lines)).",
      menus: [
        { in: "editor/title/run", when: PYTHON_FILE, group: "9_jetsonMemprof@3" },
        inSubmenu("1_profile@3", "resourceLangId == python"),
      ],
    },
    profileModel: {
      title: { en: "Profile on Jetson: Model Account", zh: "在 Jetson 上分析内存：模型账目" },
      says: "Also counts which layer holds which bytes ([model.md](model.md)).",
      menus: [
        { in: "editor/title/run", when: PYTHON_FILE, group: "9_jetsonMemprof@4" },
        inSubmenu("1_profile@4", "resourceLangId == python"),
      ],
    },
    profileRepeatedly: {
      title: { en: "Profile N Times…", zh: "分析内存 N 次…" },
      says: "Repeats a run, so that noise is known ([compare.md](compare.md)).",
      icon: "layers",
      menus: [
        { in: "editor/title/run", when: PYTHON_FILE, group: "9_jetsonMemprof@6" },
        inSubmenu("1_profile@5", "resourceLangId == python"),
      ],
    },
    sweep: {
      title: { en: "Sweep Parameters…", zh: "参数扫描…" },
      says: "Runs the script over a grid of parameters ([sweep.md](sweep.md)).",
      icon: "graph-line",
      menus: [
        { in: "editor/title/run", when: PYTHON_FILE, group: "9_jetsonMemprof@7" },
        inSubmenu("1_profile@6", "resourceLangId == python"),
      ],
    },
    profileOnBoards: {
      title: { en: "Profile on Several Boards…", zh: "在多个开发板上分析内存…" },
      says: "Runs the script on each of the boards that you choose, several at a time, and compares what it came to ([sweep.md](sweep.md#several-boards)).",
      icon: "server-environment",
      menus: [inSubmenu("1_profile@7", "resourceLangId == python")],
    },
    toggleMassifLine: {
      title: { en: "Mark/Unmark Line to Measure", zh: "标记/取消标记要测量的行" },
      says: "Has Massif, and a run with native stacks, measure the heap before and after this line.",
      menus: [
        { in: "editor/lineNumber/context", when: PYTHON_FILE, group: "jetsonMemprof@1" },
        inSubmenu("2_line@1", "resourceLangId == python && editorTextFocus"),
      ],
    },
    clearMassifLines: {
      title: { en: "Remove All Line Marks", zh: "移除所有行标记" },
      says: "Takes these marks away.",
      enablement: "jetsonMemprof.massifLinesMarked",
    },
    createSample: {
      title: { en: "Create Sample Project…", zh: "创建示例项目…" },
      says: "Makes a small project to try it with.",
      icon: "new-folder",
    },
  },
} as const satisfies CommandGroup;
