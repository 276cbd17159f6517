/** Which part of the shown run stands beside the lines: asks, and shows it. */
import * as vscode from "vscode";
import type { RunSummary } from "../../protocol/server.ts";
import { t } from "../../words/t.ts";
import type { ShownRun } from "../runs/shownRun.ts";
import { partChoices, readSince } from "./sinceWords.ts";

export async function chooseSince({ shown }: { readonly shown: ShownRun }): Promise<void> {
  const { current } = shown;
  if (current === undefined) return;
  const choice = await vscode.window.showQuickPick(partChoices(current), {
    title: t("Which part of the run should stand beside the lines?"),
    matchOnDetail: true,
  });
  switch (choice?.part.kind) {
    case "whole":
      return await shown.showSince(undefined);
    case "now":
      return await shown.showSince("now");
    case "since":
      return await shown.showSince(choice.part.ms);
    case "ask": {
      const ms = await askMoment(current);
      return ms === undefined ? undefined : await shown.showSince(ms);
    }
  }
}

async function askMoment(run: RunSummary): Promise<number | undefined> {
  const read = (text: string) => readSince(text, run);
  const typed = await vscode.window.showInputBox({
    title: t("Since when in the run?"),
    prompt: t("A time of the run such as 5m, or one before what is known last such as -30s."),
    validateInput: (text) => {
      const found = read(text);
      return typeof found === "string" ? found : undefined;
    },
  });
  const ms = typed === undefined ? undefined : read(typed);
  return typeof ms === "number" ? ms : undefined;
}
