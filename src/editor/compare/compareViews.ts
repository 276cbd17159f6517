/** Choosing what to compare, the page of a comparison, and repeats; loaded on first need, as a bundle of its own. */
import * as vscode from "vscode";
import { UserError } from "../../profile/userError.ts";
import type { ComparedFolders } from "../../protocol/compare.ts";
import type { RunListEntry, RunSummary } from "../../protocol/server.ts";
import type { RunGroupRow } from "../../runs/list/arrange.ts";
import { hasStacks } from "../../runs/stacks.ts";
import { t } from "../../words/t.ts";
import { plainText } from "../report/plainText.ts";
import { openComparison, showBesideLines } from "./comparePanel.ts";
import { profileRepeatedly, type RepeatParts } from "./repeats.ts";
import { areDifferent, inOrder, type SideChoice, sideOfRepeats, sideOfRun, sidesOf } from "./sides.ts";
import { type SignParts, showSign as showSignWith } from "./sign.ts";

export { restoreComparison } from "./comparePanel.ts";

export interface CompareParts extends RepeatParts, SignParts {
  readonly list: () => Promise<readonly RunListEntry[]>;
}

type Action = (parts: CompareParts, clicked: unknown, selected: unknown) => Promise<void>;

export type CompareAction = "compare" | "open" | "swap" | "stop" | "repeats" | "flame";

export const compareActions: Readonly<Record<CompareAction, Action>> = {
  compare,
  open: async (parts) => openComparison(parts, shownComparison(parts)),
  async swap(parts) {
    const { before, after } = shownComparison(parts);
    await showBesideLines(parts, { before: after, after: before });
  },
  async stop({ shown }) {
    if (shown.current !== undefined) await shown.show(shown.current.folder);
  },
  repeats: profileRepeatedly,
  flame,
};

/** Rows of the view: one asks what with, two are compared with each other; none asks for both. */
async function compare(parts: CompareParts, clicked: unknown, selected: unknown): Promise<void> {
  const folders = await chooseSides(parts, clicked, selected);
  if (folders === undefined) return;
  await showBesideLines(parts, folders);
  openComparison(parts, folders);
}

async function chooseSides(
  { list }: Pick<CompareParts, "list">,
  clicked: unknown,
  selected: unknown,
  fits: (run: RunSummary) => boolean = () => true,
): Promise<ComparedFolders | undefined> {
  const entries = (await list()).filter((entry) => entry.kind === "run" && fits(entry.run));
  const sides = sidesOf(entries);
  if (sides.length < 2) throw nothingToCompare();
  const [one, other, ...more] = rowsOf(clicked, selected);
  if (more.length > 0) {
    throw new UserError(
      "too-many-runs",
      t("{0} runs are selected.", more.length + 2),
      t("Select two of them, or one."),
    );
  }
  if (one !== undefined && other !== undefined) {
    if (areDifferent({ before: one.folders, after: other.folders })) return inOrder(one, other);
    throw new UserError(
      "same-run",
      t("A run cannot be compared with a series that it belongs to."),
      t("Select another run."),
    );
  }
  if (one !== undefined) {
    const with_ = await pickSide(sides, t("Compare {0} with…", plainText(one.name, 60)), [one]);
    return with_ && inOrder(one, with_);
  }
  const before = await pickSide(sides, t("Compare Runs (1 of 2): which was before?"), []);
  if (before === undefined) return undefined;
  const after = await pickSide(sides, t("Compare Runs (2 of 2): which came after?"), [before]);
  return after && { before: before.folders, after: after.folders };
}

function rowsOf(clicked: unknown, selected: unknown): SideChoice[] {
  const rows = Array.isArray(selected) && selected.length > 1 ? selected : [clicked];
  return rows.flatMap((row: unknown) => {
    if (!isRow(row)) return [];
    return row.kind === "run" ? [sideOfRun(row.run)] : row.makes === "repeat" ? [sideOfRepeats(row.runs)] : [];
  });
}

/** Rows come from our own view: VS Code hands back what it was given. */
function isRow(row: unknown): row is { readonly kind: "run"; readonly run: RunSummary } | RunGroupRow {
  return typeof row === "object" && row !== null && "kind" in row && (row.kind === "run" || row.kind === "group");
}

async function pickSide(
  sides: readonly SideChoice[],
  title: string,
  taken: readonly SideChoice[],
): Promise<SideChoice | undefined> {
  const left = sides.filter((side) =>
    taken.every((other) => areDifferent({ before: other.folders, after: side.folders })),
  );
  if (left.length === 0) throw nothingToCompare();
  const items = left.map((side) => ({
    label: plainText(side.name, 200),
    description: plainText(side.description, 200),
    side,
  }));
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.side;
}

function nothingToCompare(): UserError {
  return new UserError(
    "no-run",
    t("There are no two such runs to compare in this workspace."),
    t("Profile the script, change it, and profile it again."),
  );
}

/** @throws UserError `nothing-compared` */
function shownComparison({ shown }: Pick<CompareParts, "shown">): ComparedFolders {
  if (shown.compared !== undefined) return shown.compared;
  throw new UserError("nothing-compared", t("No comparison is shown."), t("Choose Jetson: Compare Runs… first."));
}

/** What the sign in the status bar offers. */
async function menu(parts: CompareParts): Promise<void> {
  const choices: readonly { readonly label: string; readonly action: CompareAction }[] = [
    { label: `$(open-preview) ${t("Open Comparison")}`, action: "open" },
    { label: `$(arrow-swap) ${t("Swap Before and After")}`, action: "swap" },
    { label: `$(close) ${t("Stop Comparing")}`, action: "stop" },
  ];
  const choice = await vscode.window.showQuickPick(choices, { title: t("Compared runs") });
  if (choice !== undefined) await compareActions[choice.action](parts, undefined, undefined);
}

async function flame(parts: CompareParts, clicked: unknown, selected: unknown): Promise<void> {
  const folders = await chooseSides(parts, clicked, selected, hasStacks);
  if (folders !== undefined) await parts.openFlameDifference(folders);
}

/** The sign in the status bar as the comparison is now. */
export function showSign(parts: CompareParts): Promise<void> {
  return showSignWith(parts, () => menu(parts));
}
