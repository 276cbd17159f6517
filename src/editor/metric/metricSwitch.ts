/** Which memory stands beside the lines: the status bar's item, the two commands, and a word where a run lacks it. */
import { isDeepStrictEqual } from "node:util";
import * as vscode from "vscode";
import { METRIC_NAMES } from "../../profile/lines/metric.ts";
import { METRICS } from "../../profile/model.ts";
import type { RankView } from "../../profile/ranks/ranks.ts";
import { sinceText } from "../../profile/text/moment.ts";
import type { RunSummary } from "../../protocol/server.ts";
import { t } from "../../words/t.ts";
import type { CommandId } from "../contributions/commands.ts";
import type { Report } from "../report/report.ts";
import type { ShownRun } from "../runs/shownRun.ts";
import { fallbackText, metricMeaning, nextMetric, rankMeaning, rankText, rankViews } from "./metricWords.ts";
import { sinceMeaning } from "./sinceWords.ts";

export function createMetricSwitch(shown: ShownRun, report: Report): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("jetsonMemprof.metric", vscode.StatusBarAlignment.Left, 8);
  item.name = t("Jetson Memory of Lines");
  let told: string | undefined;

  const show = (): void => {
    const { current, metric } = shown;
    const { ranks, since } = current ?? {};
    if (current === undefined || (current.metrics.length < 2 && ranks === undefined && since === undefined)) {
      item.hide();
      return;
    }
    const name = [
      METRIC_NAMES[metric],
      ...(ranks === undefined ? [] : [rankText(shown.ranks)]),
      ...(since === undefined ? [] : [sinceText(since)]),
    ].join(", ");
    item.text = `$(list-selection) ${t("Lines: {0}", name)}`;
    const { command, next } = onChoosing(current, shown.ranks);
    item.command = command;
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

/** What the item leads to, and a sentence on it: to what is least expected of what is shown. */
function onChoosing(
  { since, ranks }: RunSummary,
  view: RankView,
): { readonly command: vscode.Command; readonly next: string } {
  const to = (command: CommandId, title: string, next: string) => ({ command: { command, title }, next });
  if (since !== undefined) return to("jetsonMemprof.showSince", t("Choose"), sinceMeaning(since));
  if (ranks !== undefined) return to("jetsonMemprof.chooseMetric", t("Choose"), rankMeaning(view));
  return to("jetsonMemprof.nextMetric", t("Show the Next"), t("Choose it to see the next kind of memory."));
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
