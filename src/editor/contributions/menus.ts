/** Places of commands, in the terms of what is there. */
import { defined } from "../../profile/defined.ts";
import type { MenuItem } from "./model.ts";

const ON_DISK = "resourceScheme =~ /^(file|vscode-remote)$/";
const RUNS = "view == jetsonMemprof.runs";
const SUBMENU = "jetsonMemprof.memory";

export const PYTHON_FILE = `resourceLangId == python && ${ON_DISK}`;

const whenAlso = (place: string, when: string | undefined): string =>
  when === undefined ? place : `${place} && ${when}`;
const inExplorer = (when: string): string => `${when} && ${ON_DISK} && !explorerResourceIsFolder`;

/** A right-click of files in the explorer. */
export const onFiles = (group: string, when: string): MenuItem => ({
  in: "explorer/context",
  when: inExplorer(when),
  group,
});

/** The head of Memory Runs: its buttons, and what is behind its three dots. */
export const inHead = (group: string, when?: string): MenuItem => ({
  in: "view/title",
  when: whenAlso(RUNS, when),
  group,
});

/** Rows of Memory Runs, one or several chosen. */
export const onRows = (group: string, when: string): MenuItem => ({
  in: "view/item/context",
  when: whenAlso(RUNS, when),
  group,
});

export const onOneRow = (group: string, when: string): MenuItem => onRows(group, `${when} && !listMultiSelection`);

/** Below **Jetson Memory**, of a right-click of a script. */
export const inSubmenu = (group: string, when?: string): MenuItem => ({
  in: SUBMENU,
  ...defined({ when }),
  group,
});

/** Where the submenu itself is. */
export const SUBMENU_PLACES: readonly (MenuItem & { readonly submenu: string })[] = [
  { in: "editor/context", submenu: SUBMENU, when: PYTHON_FILE, group: "jetsonMemprof@2" },
  {
    in: "explorer/context",
    submenu: SUBMENU,
    when: inExplorer("(resourceLangId == python || resourceExtname == .ipynb)"),
    group: "jetsonMemprof@2",
  },
];
