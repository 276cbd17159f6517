/** Lets the user choose a snapshot's file. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import { defined } from "../../../profile/defined.ts";
import { t } from "../../../words/t.ts";

/** In a dialog of the system; undefined where none was chosen. */
export async function pickSnapshotFile(
  words: { readonly title: string; readonly openLabel: string },
  folder: vscode.Uri | undefined,
): Promise<vscode.Uri | undefined> {
  const picked = await vscode.window.showOpenDialog({
    ...words,
    filters: { [t("Pickled snapshots")]: ["pickle", "pkl"], [t("All files")]: ["*"] },
    ...defined({ defaultUri: folder }),
  });
  return picked?.[0];
}

/** Another snapshot than `file`: one that lies beside it, as a run's do, or any. */
export async function pickOther(file: string): Promise<string | undefined> {
  const folder = path.dirname(file);
  const title = t("Compare with which snapshot?");
  const names = await fs.readdir(folder).catch(() => []);
  const beside = names.filter((name) => isSnapshot(name) && name !== path.basename(file)).sort();
  const fromDialog = async () =>
    (await pickSnapshotFile({ title, openLabel: t("Compare") }, vscode.Uri.file(folder)))?.fsPath;
  if (beside.length === 0) return fromDialog();
  const another = { label: t("Another File…") };
  const chosen = await vscode.window.showQuickPick([...beside.map((label) => ({ label })), another], { title });
  if (chosen === undefined) return undefined;
  return chosen === another ? fromDialog() : path.join(folder, chosen.label);
}

/** As those are called that open in the page by themselves. */
const isSnapshot = (name: string): boolean => /^allocator\..*\.pickle$|snapshot.*\.pickle$/.test(name);
