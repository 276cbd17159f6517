/** Commands that compare runs. */

import { inHead, onOneRow, onRows } from "../menus.ts";
import type { CommandGroup } from "../model.ts";

export const COMPARING = {
  title: "Comparing",
  commands: {
    compareRuns: {
      title: { en: "Compare Runs…", zh: "比较运行…" },
      says: "Two runs, or two groups of repeats, line by line ([compare.md](compare.md)). On runs in **Memory Runs**: **Compare with…** and **Compare Selected Runs**.",
      icon: "git-compare",
      menus: [inHead("1_compare@1")],
    },
    openComparison: {
      title: { en: "Open Comparison", zh: "打开比较" },
      says: "The page of what is compared now.",
      icon: "open-preview",
      enablement: "jetsonMemprof.comparing",
    },
    swapComparison: {
      title: { en: "Swap Compared Runs", zh: "对调所比较的运行" },
      says: "Before becomes after.",
      icon: "arrow-swap",
      enablement: "jetsonMemprof.comparing",
    },
    stopComparing: {
      title: { en: "Stop Comparing", zh: "停止比较" },
      says: "The lines show one run again.",
      icon: "close",
      enablement: "jetsonMemprof.comparing",
      menus: [inHead("1_compare@2", "jetsonMemprof.comparing")],
    },
    compareFlameGraphs: {
      title: { en: "Compare Flame Graphs…", zh: "比较火焰图…" },
      says: "The difference of two Massif runs.",
      icon: "flame",
      menus: [
        onRows(
          "3_compare@2",
          "viewItem =~ /^run(?!Group).*(Massif|Stacks)/ && (!listMultiSelection || listDoubleSelection)",
        ),
      ],
    },
    showSweep: {
      title: { en: "Show Sweep…", zh: "显示参数扫描…" },
      says: "What fits, of a sweep that was made ([sweep.md](sweep.md)).",
      icon: "graph-line",
      menus: [onRows("inline@1", "viewItem == runGroupSweep"), onOneRow("1_show@1", "viewItem == runGroupSweep")],
    },
    compareWith: {
      title: { en: "Compare with…", zh: "与其他运行比较…" },
      hidden: true,
      icon: "git-compare",
      menus: [onOneRow("3_compare@1", "viewItem =~ /^run(?!GroupSweep)/")],
    },
    compareSelected: {
      title: { en: "Compare Selected Runs", zh: "比较所选运行" },
      hidden: true,
      icon: "git-compare",
      menus: [onRows("3_compare@1", "viewItem =~ /^run(?!GroupSweep)/ && listDoubleSelection")],
    },
  },
} as const satisfies CommandGroup;
