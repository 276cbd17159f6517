/** "Profile N Times…": the same run again and again, and how far its figures lie apart. */
import * as path from "node:path";
import * as vscode from "vscode";
import type { RunOutcome } from "../../protocol/run/run.ts";
import { newGroupId } from "../../runs/runId.ts";
import { sentences, t } from "../../words/t.ts";
import type { ChosenScript } from "../run/options/scriptChoice.ts";
import type { ScriptRun } from "../run/profileCommand.ts";
import { type ComparePanelParts, openComparison, showBesideLines } from "./comparePanel.ts";

export interface RepeatParts extends ComparePanelParts {
  readonly planRun: (
    resource: vscode.Uri | undefined,
  ) => Promise<{ readonly chosen: ChosenScript; readonly run: ScriptRun } | undefined>;
  readonly profileScript: (chosen: ChosenScript, run: ScriptRun) => Promise<RunOutcome>;
}

const FEWEST = 2;
const MOST = 50;
const USUAL = "5";

export async function profileRepeatedly(parts: RepeatParts, resource: unknown): Promise<void> {
  const plan = await parts.planRun(resource instanceof vscode.Uri ? resource : undefined);
  if (plan === undefined) return;
  const count = await askCount(plan.chosen.script);
  if (count === undefined) return;
  const id = newGroupId(path.basename(plan.chosen.script, path.extname(plan.chosen.script)));
  const made: string[] = [];
  for (let index = 1; index <= count; index++) {
    const group = { kind: "repeat", id, index, of: count } as const;
    const outcome = await parts.profileScript(plan.chosen, { ...plan.run, group });
    if (outcome.folder !== undefined && outcome.kind === "finished") made.push(outcome.folder);
    // Who cancels one wants no others; what failed once would fail again.
    if (outcome.kind !== "finished") break;
  }
  await presentRepeats(parts, plan.chosen.script, made, count);
}

async function askCount(script: string): Promise<number | undefined> {
  const typed = await vscode.window.showInputBox({
    title: t("Profile {0} several times", script),
    prompt: t("How many runs, {0} to {1}? Their spread tells how small a change can be seen.", FEWEST, MOST),
    value: USUAL,
    validateInput: (text) => (isCount(text) ? undefined : t("A number from {0} to {1}.", FEWEST, MOST)),
  });
  return typed === undefined ? undefined : Number(typed);
}

function isCount(text: string): boolean {
  const count = Number(text);
  return /^\d+$/.test(text.trim()) && count >= FEWEST && count <= MOST;
}

async function presentRepeats(
  parts: RepeatParts,
  script: string,
  made: readonly string[],
  planned: number,
): Promise<void> {
  const [first] = made;
  if (first === undefined) return;
  const repeats = { before: [], after: made };
  await showBesideLines(parts, repeats);
  if (made.length === planned) {
    openComparison(parts, repeats);
    return;
  }
  const enough = made.length >= FEWEST;
  const text = t("{0} of {1} runs of {2} finished.", made.length, planned, script);
  parts.report.tell("warning", enough ? text : sentences(text, t("A spread needs at least two runs.")), {
    ...(enough ? { [t("Show Spread")]: async () => openComparison(parts, repeats) } : {}),
  });
}
