/** Commands on kept runs. */

import { inHead, onFiles, onOneRow, onRows } from "../menus.ts";
import type { CommandGroup } from "../model.ts";

export const KEEPING = {
  title: "Keeping and exchanging runs",
  commands: {
    renameRun: {
      title: { en: "Rename Run…", zh: "重命名运行…" },
      says: "Gives it a name; `F2` in **Memory Runs**.",
      icon: "edit",
      keys: [
        { key: "f2", when: "focusedView == jetsonMemprof.runs && listFocus && !inputFocus", args: { of: "selection" } },
      ],
      menus: [onOneRow("4_label@1", "viewItem =~ /^run(?!Group)/")],
    },
    editNote: {
      title: { en: "Edit Note of Run…", zh: "编辑运行的备注…" },
      says: "What you want to remember about it, beside its row.",
      icon: "note",
      menus: [onOneRow("4_label@2", "viewItem =~ /^run(?!Group)/")],
    },
    editTags: {
      title: { en: "Edit Tags of Run…", zh: "编辑运行的标签…" },
      says: "Words to find it by.",
      icon: "tag",
      menus: [onRows("4_label@3", "viewItem =~ /^run/")],
    },
    pinRun: {
      title: { en: "Pin Run", zh: "固定运行" },
      says: "A pinned run is never deleted by itself.",
      icon: "pin",
      menus: [
        onRows("4_label@4", "viewItem =~ /^run/ && (listMultiSelection || viewItem =~ /^run.*Unpinned|^runGroup/)"),
      ],
    },
    unpinRun: {
      title: { en: "Unpin Run", zh: "取消固定运行" },
      toldWith: "pinRun",
      icon: "pinned",
      menus: [onRows("4_label@5", "viewItem =~ /^run/ && (listMultiSelection || viewItem =~ /^run(?!.*Unpinned)/)")],
    },
    deleteRun: {
      title: { en: "Delete Run", zh: "删除运行" },
      says: "Moves it away; `Delete` in **Memory Runs**.",
      icon: "trash",
      keys: [
        {
          key: "delete",
          mac: "cmd+backspace",
          when: "focusedView == jetsonMemprof.runs && listFocus && !inputFocus",
          args: { of: "selection" },
        },
      ],
      menus: [onRows("6_delete@1", "viewItem =~ /^(runFinished|runUnfinished|runGroup|unreadable)/")],
    },
    restoreRun: {
      title: { en: "Restore Deleted Run…", zh: "还原已删除的运行…" },
      says: "Brings it back, for seven days, or less where the size limit needs the room ([settings.md](settings.md#figures-in-the-editor-and-kept-runs)).",
      icon: "history",
      menus: [inHead("2_history@2")],
    },
    sortRuns: {
      title: { en: "Sort Memory Runs…", zh: "排序内存运行记录…" },
      says: "Which runs are listed, in which order.",
      icon: "list-ordered",
      menus: [inHead("0_list@1")],
    },
    filterRuns: {
      title: { en: "Filter Memory Runs…", zh: "筛选内存运行记录…" },
      toldWith: "sortRuns",
      icon: "filter",
      menus: [inHead("navigation@3", "!jetsonMemprof.runsFiltered"), inHead("0_list@2", "jetsonMemprof.runsFiltered")],
    },
    clearRunsFilter: {
      title: { en: "Show All Memory Runs", zh: "显示所有内存运行记录" },
      says: "Without a filter.",
      icon: "filter-filled",
      enablement: "jetsonMemprof.runsFiltered",
      menus: [inHead("navigation@3", "jetsonMemprof.runsFiltered")],
    },
    refreshRuns: {
      title: { en: "Refresh Memory Runs", zh: "刷新内存运行记录" },
      says: "Reads the list again.",
      icon: "refresh",
      menus: [inHead("navigation@2")],
    },
    showChanges: {
      title: { en: "Show Changes Since Commit", zh: "显示自某次提交以来的变化" },
      says: "How the code that ran differed from its commit.",
      icon: "git-commit",
      menus: [onOneRow("1_show@8", "viewItem =~ /^run.*Changes/")],
    },
    openRunFolder: {
      title: { en: "Open Run Folder", zh: "打开运行文件夹" },
      says: "Its files ([run-folder.md](run-folder.md)).",
      icon: "folder-opened",
      menus: [onOneRow("5_folder@2", "viewItem =~ /^(run(?!Group)|unreadable)/")],
    },
    exportRun: {
      title: { en: "Export Run…", zh: "导出运行…" },
      says: "As a report, for other tools or a spreadsheet ([export.md](export.md)).",
      icon: "export",
      menus: [onOneRow("5_folder@1", "viewItem =~ /^run(?!Group)/")],
    },
    importReport: {
      title: { en: "Import Memory Report…", zh: "导入内存报告…" },
      says: "A file of another tool as a run ([import.md](import.md)).",
      icon: "file-symlink-file",
      menus: [
        onFiles(
          "jetsonMemprof@7",
          "resourceFilename =~ /^massif\\.out|\\.(dat|snap|log)$|(mprofile|memory|profil|scalene|memray|tegrastats|snapshot|tracemalloc)[^.]*(\\.\\d+)?(\\.(txt|json|csv|out|bin|trace|pickle|pkl))?$/i",
        ),
        inHead("2_history@1"),
      ],
    },
  },
} as const satisfies CommandGroup;
