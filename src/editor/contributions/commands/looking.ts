/** Commands that show what a run measured. */

import { inHead, inSubmenu, onFiles, onOneRow, onRows, PYTHON_FILE } from "../menus.ts";
import type { CommandGroup } from "../model.ts";

export const LOOKING = {
  title: "Looking at a run",
  commands: {
    showRun: {
      title: { en: "Show This Run in the Editor", zh: "在编辑器中显示此运行" },
      says: "Its figures stand beside the lines; where none of its files is in view, the one with the heaviest line opens.",
      icon: "eye",
      menus: [onRows("inline@1", "viewItem =~ /^run(?!Group)/"), onOneRow("1_show@1", "viewItem =~ /^run(?!Group)/")],
    },
    readLine: {
      title: { en: "Read Memory of This Line", zh: "读取此行的内存" },
      says: "Says what stands beside the line the cursor is in, also to screen readers (`Alt+Shift+M`; [keyboard.md](keyboard.md)).",
      enablement: "editorLangId == python",
      keys: [{ key: "alt+shift+m", mac: "ctrl+alt+shift+m", when: "editorTextFocus && editorLangId == python" }],
    },
    showLineHistory: {
      title: { en: "Show History of This Line", zh: "显示此行的历史" },
      says: "What the line the cursor is in took in the last ten runs of its script, its text followed through your edits; the run you choose is shown. The hover of a line leads there too.",
      enablement: "jetsonMemprof.figuresShown && !jetsonMemprof.massifShown && editorLangId == python",
      menus: [
        inSubmenu(
          "2_line@3",
          "resourceLangId == python && editorTextFocus && jetsonMemprof.figuresShown && !jetsonMemprof.massifShown",
        ),
      ],
    },
    showFigures: {
      title: { en: "Show Memory Figures", zh: "显示内存数据" },
      says: "Brings back what was hidden, or asks for a run.",
      icon: "eye",
      enablement: "!jetsonMemprof.figuresShown",
      menus: [
        inHead("navigation@1", "!jetsonMemprof.figuresShown"),
        inSubmenu("3_figures@3", "!jetsonMemprof.figuresShown"),
      ],
    },
    hideFigures: {
      title: { en: "Hide Memory Figures", zh: "隐藏内存数据" },
      says: "Takes them away.",
      icon: "eye-closed",
      enablement: "jetsonMemprof.figuresShown",
      menus: [
        inHead("navigation@1", "jetsonMemprof.figuresShown"),
        inSubmenu("3_figures@3", "jetsonMemprof.figuresShown"),
      ],
    },
    showHeaviestLine: {
      title: { en: "Go to Heaviest Line", zh: "转到占用内存最多的行" },
      says: "Opens the line of the run that took the most.",
      icon: "arrow-right",
      menus: [inSubmenu("3_figures@1", "jetsonMemprof.figuresShown")],
    },
    chooseMetric: {
      title: { en: "Show Memory of Lines as…", zh: "选择行内存的显示方式…" },
      says: "RSS, CUDA or the whole board ([settings.md](settings.md#switching-the-memory)), and of a script that a launcher started several times all ranks, the highest, the middle one, or one alone ([ranks.md](ranks.md)).",
      enablement: "jetsonMemprof.metricsToChoose || jetsonMemprof.ranksToChoose",
    },
    showSince: {
      title: { en: "Show Lines Since…", zh: "显示某时刻之后的行内存…" },
      says: "Of the shown run what its lines took after a moment: from now on, in its last minutes, or since a time of yours, as of a server that never ends ([ranks.md](ranks.md#scripts-that-never-end)).",
      enablement: "jetsonMemprof.figuresShown && !jetsonMemprof.comparing && !jetsonMemprof.massifShown",
      menus: [
        inSubmenu(
          "3_figures@4",
          "jetsonMemprof.figuresShown && !jetsonMemprof.comparing && !jetsonMemprof.massifShown",
        ),
      ],
    },
    nextMetric: {
      title: { en: "Show Next Memory of Lines", zh: "显示下一种行内存" },
      says: "The next of these; `Alt+M`, on macOS `Ctrl+Alt+M`.",
      enablement: "jetsonMemprof.metricsToChoose",
      keys: [
        {
          key: "alt+m",
          mac: "ctrl+alt+m",
          when: "jetsonMemprof.metricsToChoose && (editorLangId == python || focusedView == jetsonMemprof.runs)",
        },
      ],
    },
    showTimeline: {
      title: { en: "Show Memory Timeline", zh: "显示内存时间线" },
      says: "Memory over the time of the run.",
      icon: "graph-line",
      menus: [
        onOneRow("1_show@3", "viewItem =~ /^run(?!Group)/"),
        inSubmenu("3_figures@2", "jetsonMemprof.figuresShown"),
      ],
    },
    showBoardMemory: {
      title: { en: "Show Board Memory", zh: "显示开发板内存" },
      says: "Where all of the board's RAM was, moment by moment ([ledger.md](ledger.md)).",
      icon: "server",
      menus: [onOneRow("1_show@4", "viewItem =~ /^run(?!Group)/")],
    },
    showEnding: {
      title: { en: "Why It Ended, What Would Help", zh: "为何结束，如何改进" },
      says: "What ended the run, and advice on its memory ([advice.md](advice.md)). On a run that was killed it is called **Why Was It Killed?**",
      icon: "question",
      menus: [onRows("inline@0", "viewItem =~ /^run.*Badly/"), onOneRow("1_show@7", "viewItem =~ /^runFinished/")],
    },
    showModel: {
      title: { en: "Show Model Account", zh: "显示模型账目" },
      says: "Memory by layer, what fits, what a change would save ([model.md](model.md)).",
      icon: "type-hierarchy",
      menus: [onRows("inline@2", "viewItem =~ /^run.*Model$/"), onOneRow("1_show@2", "viewItem =~ /^run.*Model$/")],
    },
    openMassifView: {
      title: { en: "Open Flame View", zh: "打开火焰图视图" },
      says: "The heap as a flame graph, of a run with native stacks or of a `massif.out` file.",
      icon: "flame",
      menus: [
        onRows("inline@2", "viewItem =~ /^run.*(Massif$|Stacks)/"),
        onOneRow("1_show@2", "viewItem =~ /^run.*(Massif$|Stacks)/"),
      ],
    },
    showNativeStacks: {
      title: { en: "Show Native Stacks of This Line", zh: "显示此行的原生调用栈" },
      says: "The same, below one line.",
      menus: [
        {
          in: "editor/lineNumber/context",
          when: `${PYTHON_FILE} && jetsonMemprof.stacksShown`,
          group: "jetsonMemprof@2",
        },
        inSubmenu("2_line@2", "resourceLangId == python && editorTextFocus && jetsonMemprof.stacksShown"),
      ],
    },
    openRunSnapshot: {
      title: { en: "Open Allocator Snapshot of a Run", zh: "打开某次运行的分配器快照" },
      says: "A snapshot that the run took.",
      icon: "layers",
      menus: [
        onRows("inline@3", "viewItem =~ /^run.*Snapshots/"),
        onOneRow("1_show@5", "viewItem =~ /^run.*Snapshots/"),
      ],
    },
    openSnapshot: {
      title: { en: "Open Allocator Snapshot…", zh: "打开分配器快照…" },
      says: "A snapshot file from anywhere.",
      menus: [onFiles("jetsonMemprof@1", "resourceExtname =~ /^\\.(pickle|pkl)$/")],
    },
    openTrace: {
      title: { en: "Open PyTorch Profiler Trace…", zh: "打开 PyTorch 分析器跟踪记录…" },
      says: "Memory over time and by operator, of a trace of torch.profiler.",
      icon: "graph-line",
      menus: [onFiles("jetsonMemprof@1", "resourceFilename =~ /trace.*\\.json(\\.gz)?$/")],
    },
    adviceStep: { title: { en: "Take Advice", zh: "采纳建议" }, hidden: true },
    openLine: {
      title: { en: "Go to Line", zh: "转到行" },
      hidden: true,
      icon: "go-to-file",
      menus: [onOneRow("1_show@1", "viewItem =~ /^(line|function)$/")],
    },
    showRunInTree: {
      title: { en: "Show Run in Memory Runs", zh: "在内存运行记录中显示运行" },
      hidden: true,
      icon: "list-tree",
    },
  },
} as const satisfies CommandGroup;
