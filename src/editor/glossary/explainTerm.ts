/** What a word means: chosen from a list or named by a link, shown as text, with the whole glossary one step away. */
import * as vscode from "vscode";
import { TERMS, type Term } from "../../profile/text/glossary.ts";
import { plainTermText } from "../../profile/text/glossaryDocument.ts";
import { t } from "../../words/t.ts";
import { openGlossary } from "./glossaryPreview.ts";

/** @param id as a hover's link names it; anything else asks */
export async function explainTerm({ subscriptions }: vscode.ExtensionContext, id: unknown): Promise<void> {
  const named = typeof id === "string" && TERMS.has(id) ? id : await chooseTerm();
  const term = named === undefined ? undefined : TERMS.get(named);
  if (named === undefined || term === undefined) return;
  const whole = t("Open Glossary");
  const choice = await vscode.window.showInformationMessage(
    term.name,
    { modal: true, detail: plainTermText(named, term) },
    whole,
  );
  if (choice === whole) await openGlossary(subscriptions);
}

async function chooseTerm(): Promise<string | undefined> {
  const items = [...TERMS].map(([id, term]) => ({ id, ...itemOf(term) }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: t("Explain a Term"),
    placeHolder: t("A word, or another name for it: RSS, buff/cache, largest free block"),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.id;
}

/** Its other names stand beside it, where typing finds them: in another language the English one is the first of them. */
function itemOf({ name, englishName, aliases, sentence }: Term): vscode.QuickPickItem {
  const others = name === englishName ? aliases : [englishName, ...aliases];
  return { label: name, description: others.join(t(", ")), detail: sentence };
}
