/** Commands for a run that goes on. */

import { inHead, onOneRow, onRows } from "../menus.ts";
import type { CommandGroup } from "../model.ts";

export const RUNNING = {
  title: "A run in progress",
  commands: {
    showOutput: {
      title: { en: "Show Run Output", zh: "显示运行输出" },
      says: "The terminal of the run, or the output that an ended run left.",
      icon: "terminal",
      menus: [inHead("4_output@1"), onOneRow("1_show@6", "viewItem =~ /^run(?!Group)/")],
    },
    cancelRun: {
      title: { en: "Cancel Profiling Run", zh: "取消内存分析运行" },
      says: "Ends the script; what was measured is kept.",
      icon: "stop-circle",
      enablement: "jetsonMemprof.running",
      menus: [onOneRow("2_run@4", "viewItem =~ /^runActive/")],
    },
    takeSnapshot: {
      title: { en: "Take Allocator Snapshot", zh: "获取分配器快照" },
      says: "Has PyTorch write now what its CUDA allocator holds ([snapshots.md](snapshots.md)).",
      icon: "device-camera",
      enablement: "jetsonMemprof.running",
      menus: [onOneRow("2_run@2", "viewItem =~ /^runActive/")],
    },
    stopFollowing: {
      title: { en: "Stop Following Run", zh: "停止跟随运行" },
      says: "Leaves the run to itself; it keeps running on the board.",
      icon: "debug-disconnect",
      enablement: "jetsonMemprof.running",
      menus: [onOneRow("2_run@3", "viewItem =~ /^runActive/")],
    },
    reattachRun: {
      title: { en: "Reattach to Run", zh: "重新连接到运行" },
      says: "Follows it again, or brings home what it left.",
      icon: "plug",
      menus: [
        onOneRow("2_run@1", "viewItem =~ /^(runUnfinished|runActiveCutOff|unreadable)/"),
        onRows("inline@0", "viewItem =~ /^(runUnfinished|runActiveCutOff)/"),
      ],
    },
  },
} as const satisfies CommandGroup;
