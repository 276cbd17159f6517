/** Which memory stands beside the lines: the status bar's item, the two commands, and a word where a run lacks it. */
import { isDeepStrictEqual } from "node:util";
import * as vscode from "vscode";
import { METRIC_NAMES } from "../../profile/lines/metric.ts";
import { METRICS } from "../../profile/model.ts";
import { t } from "../../words/t.ts";
import type { CommandId } from "../contributions/commands.ts";
import type { Report } from "../report/report.ts";
import type { ShownRun } from "../runs/shownRun.ts";
import { fallbackText, metricMeaning, nextMetric, rankMeaning, rankText, rankViews } from "./metricWords.ts";

export function createMetricSwitch(shown: ShownRun, report: Report): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("jetsonMemprof.metric", vscode.StatusBarAlignment.Left, 8);
  item.name = t("Jetson Memory of Lines");
  let told: string | undefined;

  const show = (): void => {
    const { current, metric } = shown;
    if (current === undefined || (current.metrics.length < 2 && current.ranks === undefined)) {
      item.hide();
      return;
    }
    const name =
      current.ranks === undefined ? METRIC_NAMES[metric] : `${METRIC_NAMES[metric]}, ${rankText(shown.ranks)}`;
    item.text = `$(list-selection) ${t("Lines: {0}", name)}`;
    item.command =
      current.ranks === undefined
        ? { command: "jetsonMemprof.nextMetric" satisfies CommandId, title: t("Show the Next") }
        : { command: "jetsonMemprof.chooseMetric" satisfies CommandId, title: t("Choose") };
    const next =
      current.ranks === undefined ? t("Choose it to see the next kind of memory.") : rankMeaning(shown.ranks);
    item.tooltip = `${t("Shown beside lines: {0}", metricMeaning(metric))}\n${next}`;
    const label = t("Memory of lines: {0}. {1}", name, metricMeaning(metric));
    item.accessibilityInformation = { label, role: "button" };
    item.show();
  };
  /** Once for each run: it is shown again and again. */
  const sayFallback = (): void => {
    const { current, wanted } = shown;
    if (current === undefined || told === `${current.folder} ${wanted}`) return;
    const text = fallbackText(current, wanted);
    if (text === undefined) return;
    told = `${current.folder} ${wanted}`;
    report.tell("information", text);
  };
  const follow = (): void => {
    show();
    sayFallback();
  };
  return vscode.Disposable.from(item, shown.onSwitched(follow), shown.onFigures(follow));
}

/** Shows the next of those that the shown run has. */
export async function showNextMetric({ shown }: { readonly shown: ShownRun }): Promise<void> {
  if (shown.current !== undefined) await shown.showMetric(nextMetric(shown.current, shown.metric));
}

/** Asks which, and of which ranks. */
export async function chooseMetric({ shown }: { readonly shown: ShownRun }): Promise<void> {
  const { current, metric } = shown;
  if (current === undefined) return;
  const items = METRICS.filter((candidate) => current.metrics.includes(candidate)).map((candidate) => ({
    label: METRIC_NAMES[candidate],
    description: candidate === metric ? t("shown") : "",
    detail: metricMeaning(candidate),
    choose: () => shown.showMetric(candidate),
  }));
  const heading = { label: t("Ranks"), kind: vscode.QuickPickItemKind.Separator, choose: async () => undefined };
  const ofRanks = rankViews(current.ranks ?? []).map((view) => ({
    label: rankText(view),
    description: isDeepStrictEqual(view, shown.ranks) ? t("shown") : "",
    detail: rankMeaning(view),
    choose: () => shown.showRanks(view),
  }));
  const title = t("Which memory should stand beside the lines?");
  const choice = await vscode.window.showQuickPick([...items, ...(ofRanks.length > 0 ? [heading] : []), ...ofRanks], {
    title,
    matchOnDetail: true,
  });
  await choice?.choose();
}
