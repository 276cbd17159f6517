/** Commands about the board. */

import { inHead } from "../menus.ts";
import type { CommandGroup } from "../model.ts";

export const BOARD = {
  title: "The board",
  commands: {
    selectTarget: {
      title: { en: "Select Jetson Target…", zh: "选择 Jetson 目标…" },
      says: "Chooses the board for the next runs of this workspace.",
      menus: [inHead("3_target@1")],
    },
    verifyKey: {
      title: { en: "Verify Board Key", zh: "验证开发板密钥" },
      says: "Shows the board's host key, to be compared with what the board itself prints ([security.md](security.md#ssh-what-is-decided-how)).",
      icon: "key",
      menus: [inHead("3_target@2")],
    },
    choosePython: {
      title: { en: "Choose Python on the Board…", zh: "选择开发板上的 Python…" },
      says: "Lists the board's Pythons with their PyTorch; the one you choose runs scripts from then on (the setting `jetsonMemprof.python`).",
      menus: [inHead("3_target@3")],
    },
    chooseContainer: {
      title: { en: "Choose Container on the Board…", zh: "选择开发板上的容器…" },
      says: "Lists the board's running containers and its images; scripts run in the one you choose from then on (the setting `jetsonMemprof.container`, [containers.md](containers.md)).",
      menus: [inHead("3_target@4")],
    },
    checkBoard: {
      title: { en: "Check Board", zh: "检查开发板" },
      says: "Says what the board has and lacks ([check-board.md](check-board.md)).",
      icon: "checklist",
      menus: [inHead("3_target@5")],
    },
    watchMemory: {
      title: { en: "Watch Memory", zh: "监视内存" },
      says: "Shows the board's memory as it changes, without a run.",
      icon: "pulse",
      menus: [inHead("navigation@0")],
    },
  },
} as const satisfies CommandGroup;
