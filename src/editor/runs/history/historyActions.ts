/** What is done with runs of the Memory Runs view: naming, tagging, pinning, deleting and restoring, finding. */
import * as path from "node:path";
import * as vscode from "vscode";
import { projectOfRun } from "../../../profile/run/runsFolder.ts";
import { UserError } from "../../../profile/userError.ts";
import type { RunSummary } from "../../../protocol/server.ts";
import { changesFile } from "../../../runs/gitState.ts";
import { changeLabel } from "../../../runs/keeping.ts";
import {
  nameProblem,
  noted,
  noteProblem,
  pinned,
  renamed,
  retagged,
  tagsOf,
  tagsProblem,
} from "../../../runs/labels.ts";
import { type Filter, isFiltered, ORDERS } from "../../../runs/list/arrange.ts";
import type { RunLabel } from "../../../runs/model.ts";
import { deletedFolderOf, deleteRun, listDeleted, restoreRun } from "../../../runs/pruning/deleted.ts";
import { t } from "../../../words/t.ts";
import { plainText, withoutIcons } from "../../report/plainText.ts";
import type { Services } from "../../services.ts";
import { chooseRun, type RunArgument } from "../runCommands.ts";
import { orderWords } from "../tree/arrangement.ts";
import { type FilterChoice, filterChoices } from "../tree/filterChoices.ts";
import { rowsOfKey } from "../tree/rowsOfKey.ts";
import { quickItem } from "../tree/runItems.ts";
import type { RunNode } from "../tree/runsTree.ts";
import { locale } from "../words/when.ts";

/** @param clicked a row, a run's folder, what a key gives, or nothing @param selected all rows that are selected */
export type HistoryAction = (services: Services, clicked: unknown, selected: unknown) => Promise<void>;

/** What a run's row stands for; a run that cannot be read can only be deleted. */
interface Meant {
  readonly folder: string;
  readonly run?: RunSummary;
}

export const historyActions = {
  rename: async (services, clicked, selected) => {
    const [run] = await meantRuns(services, clicked, selected, t("Which run should get a name?"));
    if (run === undefined) return;
    const box = {
      title: t("Name of {0}", titleOf(run)),
      prompt: t("Empty: it is called by its script again."),
      value: run.label.name ?? "",
      validateInput: nameProblem,
    };
    await relabelAsked(services, run, box, renamed);
  },

  editNote: async (services, clicked, selected) => {
    const [run] = await meantRuns(services, clicked, selected, t("Which run should get a note?"));
    if (run === undefined) return;
    const box = {
      title: t("Note on {0}", titleOf(run)),
      prompt: t("What you want to remember about this run. Empty: no note."),
      value: run.label.note ?? "",
      validateInput: noteProblem,
    };
    await relabelAsked(services, run, box, noted);
  },

  editTags: async (services, clicked, selected) => {
    const runs = await meantRuns(services, clicked, selected, t("Which run should get tags?"));
    const [first] = runs;
    if (first === undefined) return;
    const common = first.label.tags.filter((tag) => runs.every(({ label }) => label.tags.includes(tag)));
    const value = await vscode.window.showInputBox({
      title: runs.length === 1 ? t("Tags of {0}", titleOf(first)) : t("Tags that {0} runs have in common", runs.length),
      prompt: t("Tags, with spaces between them."),
      value: common.join(" "),
      validateInput: (text) => tagsProblem(tagsOf(text)),
    });
    if (value === undefined) return;
    await relabel(services, runs, (label) =>
      retagged(label, [...label.tags.filter((tag) => !common.includes(tag)), ...tagsOf(value)]),
    );
  },

  pin: async (services, clicked, selected) => {
    const runs = await meantRuns(services, clicked, selected, t("Which run should be pinned?"));
    await relabel(services, runs, (label) => pinned(label, true));
  },

  unpin: async (services, clicked, selected) => {
    const runs = await meantRuns(services, clicked, selected, t("Which run should no longer be pinned?"), {
      fits: ({ label }) => label.pinned,
      otherwise: t("No run is pinned; Jetson: Pin Run keeps one from being pruned."),
    });
    await relabel(services, runs, (label) => pinned(label, false));
  },

  delete: async (services, clicked, selected) => {
    const meant = await meantRows(services, clicked, selected, t("Which run should be deleted?"));
    await deleteRuns(services, meant);
  },

  restore: async (services) => {
    const projects = services.folders.all().flatMap((runs) => projectOfRun(path.join(runs, "run")) ?? []);
    const deleted = (await Promise.all(projects.map(listDeleted))).flat();
    if (deleted.length === 0) {
      services.report.tell("information", t("No deleted run can be restored."));
      return;
    }
    const entries = await services.ask("jetsonMemprof/runs", { folders: projects.map(deletedFolderOf) });
    const items = deleted.map(({ folder, deletedAt }) => {
      const entry = entries.find((found) => found.kind === "run" && found.run.folder === folder);
      const when = deletedAt === undefined ? "" : t("Deleted {0}", new Date(deletedAt).toLocaleString(locale()));
      const known = entry?.kind === "run" ? quickItem(entry.run, services.tree.context) : undefined;
      return {
        label: known?.label ?? path.basename(folder),
        description: known?.description ?? "",
        detail: when,
        folder,
      };
    });
    const chosen = await vscode.window.showQuickPick(items, {
      title: t("Restore which deleted runs?"),
      canPickMany: true,
      matchOnDescription: true,
    });
    await restoreAll(services, chosen?.map(({ folder }) => folder) ?? []);
  },

  showChanges: async (services, clicked, selected) => {
    const [run] = await meantRuns(services, clicked, selected, t("Which run's changes?"), {
      fits: ({ git }) => (git?.changed.length ?? 0) > 0,
      otherwise: t(
        "A run keeps its changes where the project is a git repository and files differ from its last commit.",
      ),
    });
    if (run === undefined) return;
    if (run.git === undefined || run.git.changed.length === 0) {
      throw new UserError("no-changes", t("No file of this run differed from its commit."), t("Choose another run."));
    }
    const file = vscode.Uri.file(await changesFile(run.folder));
    await vscode.window.showTextDocument(file, { preview: false });
    // It is part of the run's record.
    await vscode.commands.executeCommand("workbench.action.files.setActiveEditorReadonlyInSession");
  },

  sort: async ({ tree }) => {
    const now = await tree.arrangement();
    const items = ORDERS.map((order) => ({
      label: orderWords(order),
      description: order === now.order ? t("now") : "",
      order,
    }));
    const chosen = await vscode.window.showQuickPick(items, { title: t("Sort runs (pinned runs come first)") });
    if (chosen !== undefined) await tree.arrange({ ...now, order: chosen.order });
  },

  filter: async ({ tree }) => {
    const { order, filter } = await tree.arrangement();
    const chosen = await chooseFilter(filterItems(filterChoices(await tree.list()), isFiltered(filter)));
    if (chosen === "clear") await tree.arrange({ order, filter: {} });
    else if (chosen !== undefined) await tree.arrange({ order, filter: { ...filter, ...chosen } });
  },

  clearFilter: async ({ tree }) => tree.arrange({ ...(await tree.arrangement()), filter: {} }),
} satisfies Readonly<Record<string, HistoryAction>>;

type FilterItem = vscode.QuickPickItem & { readonly adds?: Filter | "clear" };

function filterItems(choices: ReturnType<typeof filterChoices>, isOn: boolean): FilterItem[] {
  const items: FilterItem[] = isOn ? [{ label: `$(clear-all) ${t("Show all runs")}`, adds: "clear" }] : [];
  let group: string | undefined;
  for (const choice of choices) {
    if (choice.group !== group)
      items.push({ label: groupName(choice.group), kind: vscode.QuickPickItemKind.Separator });
    group = choice.group;
    const count = choice.count === 1 ? t("1 run") : t("{0} runs", choice.count);
    const label = withoutIcons(plainText(choice.label, 200));
    items.push({ label, description: count, adds: choice.filter });
  }
  return items;
}

function groupName(group: FilterChoice["group"]): string {
  switch (group) {
    case "Tag":
      return t("Tag");
    case "Script":
      return t("Script");
    case "Target":
      return t("Target");
    case "Outcome":
      return t("Outcome");
  }
}

/** What is typed can be chosen too, as text that a run's row has to say. */
function chooseFilter(items: readonly FilterItem[]): Promise<Filter | "clear" | undefined> {
  const pick = vscode.window.createQuickPick<FilterItem>();
  pick.title = t("Filter runs");
  pick.placeholder = t("Choose, or type any text: part of a name, note, script, target, commit or tag");
  pick.items = items;
  return new Promise((resolve) => {
    pick.onDidChangeValue((typed) => {
      const text = typed.trim();
      const withText: FilterItem = {
        label: `$(search) ${t("Runs with “{0}”", withoutIcons(text))}`,
        alwaysShow: true,
        adds: { text },
      };
      pick.items = text === "" ? items : [withText, ...items];
    });
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.adds);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

async function deleteRuns(services: Services, meant: readonly Meant[]): Promise<void> {
  const { active, followed, folders, report, shown } = services;
  const { taken } = followed.left();
  const moved: string[] = [];
  const failures: unknown[] = [];
  for (const { folder } of meant) {
    try {
      if (!folders.holds(folder)) {
        const hint = t("Delete it by hand if that is what you want.");
        throw new UserError("not-ours", t("{0} is not a run of this workspace.", folder), hint);
      }
      if (active.find(folder) !== undefined) {
        throw new UserError("still-running", t("The run is in progress."), t("Cancel it first, then delete it."));
      }
      if (taken.includes(folder)) {
        const hint = t("Cancel it there or wait until it ends, then delete it.");
        throw new UserError("still-running", t("Another window follows this run."), hint);
      }
      moved.push(await deleteRun(folder));
      if (shown.current?.folder === folder) await shown.hide();
    } catch (error) {
      failures.push(error);
    }
  }
  if (moved.length > 0) {
    folders.changed();
    const [only] = meant;
    report.tell("information", deletedText(moved.length, only?.run), {
      [t("Undo")]: () => restoreAll(services, moved),
    });
  }
  // The others were deleted all the same.
  for (const failure of failures.slice(0, 1)) throw failure;
}

function deletedText(count: number, run: RunSummary | undefined): string {
  if (count > 1) return t("Deleted {0} runs.", count);
  return run === undefined ? t("Deleted the run.") : t("Deleted the run {0}.", titleOf(run));
}

async function restoreAll({ folders }: Services, places: readonly string[]): Promise<void> {
  try {
    for (const place of places) await restoreRun(place);
  } finally {
    if (places.length > 0) folders.changed();
  }
}

/** Asks for a text; nothing changes where that is declined. */
async function relabelAsked(
  services: Services,
  run: RunSummary,
  box: vscode.InputBoxOptions,
  change: (label: RunLabel, text: string) => RunLabel,
): Promise<void> {
  const text = await vscode.window.showInputBox(box);
  if (text !== undefined) await relabel(services, [run], (label) => change(label, text));
}

async function relabel(
  { folders, shown }: Services,
  runs: readonly RunSummary[],
  change: (label: RunLabel) => RunLabel,
): Promise<void> {
  try {
    for (const { folder } of runs) await changeLabel(folder, change);
  } finally {
    folders.changed();
    const { current } = shown;
    if (current !== undefined && runs.some(({ folder }) => folder === current.folder)) {
      await shown.show(current.folder, shown.compared);
    }
  }
}

function titleOf({ label, title }: Pick<RunSummary, "label" | "title">): string {
  return plainText(label.name ?? title, 60);
}

/** Runs that can be read. */
async function meantRuns(
  services: Services,
  clicked: unknown,
  selected: unknown,
  title: string,
  choice?: Parameters<typeof chooseRun>[3],
): Promise<readonly RunSummary[]> {
  return (await meantRows(services, clicked, selected, title, choice)).flatMap(({ run }) => run ?? []);
}

/** The rows that are clicked or selected, a group's runs for the group; asks where there is no row. */
async function meantRows(
  services: Services,
  clicked: unknown,
  selected: unknown,
  title: string,
  choice?: Parameters<typeof chooseRun>[3],
): Promise<readonly Meant[]> {
  if (isKey(clicked)) {
    const toggle = () => vscode.commands.executeCommand("list.toggleSelection");
    return rowsMeant(await rowsOfKey(() => services.tree.selection, toggle));
  }
  if (Array.isArray(selected) && selected.length > 1) return rowsMeant(selected as readonly RunNode[]);
  if (typeof clicked === "object" && clicked !== null) return rowsMeant([clicked as RunNode]);
  const run = await chooseRun(services, clicked as RunArgument, title, choice);
  return run === undefined ? [] : [{ folder: run.folder, run }];
}

function rowsMeant(rows: readonly RunNode[]): readonly Meant[] {
  const meant = rows.flatMap((row): readonly Meant[] => {
    switch (row.kind) {
      case "run":
        return [{ folder: row.run.folder, run: row.run }];
      case "group":
        return row.runs.map((run) => ({ folder: run.folder, run }));
      case "unreadable":
        return [{ folder: row.folder }];
      default:
        return [];
    }
  });
  // A group may be selected together with its runs.
  return [...new Map(meant.map((one) => [one.folder, one])).values()];
}

/** What the key bindings in package.json give: a key has no row. */
function isKey(clicked: unknown): boolean {
  return typeof clicked === "object" && clicked !== null && "of" in clicked && clicked.of === "selection";
}
