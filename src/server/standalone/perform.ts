/** Does what a command asks for, with questions and answers by the protocol's own messages. */

import { METRIC_NAMES } from "../../profile/lines/metric.ts";
import { METRICS, type Metric } from "../../profile/model.ts";
import { highestText } from "../../profile/run/runJson.ts";
import { printable } from "../../profile/text/text.ts";
import type { RunListEntry, RunSummary } from "../../protocol/server.ts";
import { t } from "../../words/t.ts";
import type { Request } from "./commands.ts";
import type { Views } from "./views.ts";

export interface Person {
  tell(message: string): void;
  /** @returns undefined where nothing was chosen */
  choose<Item extends { readonly title: string }>(message: string, items: readonly Item[]): Promise<Item | undefined>;
}

/** A message has room for so many. */
const MOST_RUNS = 10;

/** @throws UserError as Views */
export async function perform(request: Request, views: Views, person: Person): Promise<void> {
  switch (request.kind) {
    case "showRun": {
      const name = request.name ?? (await chosenRun(views, person));
      return name === undefined ? undefined : await views.showRun(name);
    }
    case "showLatest":
      return await views.showNewest();
    case "hideFigures":
      return await views.hide();
    case "chooseMetric": {
      const metric = request.metric ?? (await chosenMetric(views, person));
      return metric === undefined ? undefined : await views.chooseMetric(metric);
    }
    case "describeRun": {
      const entry = (await views.runs()).find((one) => one.kind === "run" && one.run.folder === request.folder);
      if (entry?.kind === "run") person.tell(describe(entry.run, views.metric()));
      return;
    }
  }
}

async function chosenRun(views: Views, person: Person): Promise<string | undefined> {
  const runs = (await views.runs()).flatMap((entry: RunListEntry) => (entry.kind === "run" ? [entry.run] : []));
  if (runs.length === 0) {
    person.tell(t('There are no runs in the folders that are open. "jetson-memprof profile" makes one.'));
    return undefined;
  }
  const items = runs.slice(0, MOST_RUNS).map((run) => ({ title: choiceOf(run), folder: run.folder }));
  // Clients give back the title, and some nothing else.
  const answer = await person.choose(t("Which run's figures should be shown?"), items);
  return items.find(({ title }) => title === answer?.title)?.folder;
}

function choiceOf({ id, label: { name }, title }: RunSummary): string {
  return printable(`${id}: ${name === undefined ? "" : `"${name}" · `}${title}`);
}

async function chosenMetric(views: Views, person: Person): Promise<Metric | undefined> {
  const items = METRICS.map((metric) => ({ title: METRIC_NAMES[metric], metric }));
  const question = t("Which memory should stand beside the lines? Now it is {0}.", METRIC_NAMES[views.metric()]);
  const answer = await person.choose(question, items);
  return items.find(({ title }) => title === answer?.title)?.metric;
}

function describe(run: RunSummary, metric: Metric): string {
  const { title, id, target, rssPeak, metrics } = run;
  const shown = metrics.includes(metric) ? metric : "rss";
  const facts = [
    `${title} (${id})`,
    target === undefined ? undefined : t("on {0}", target),
    rssPeak === undefined ? undefined : t("peak RSS {0}", highestText(run, rssPeak)),
    t("the figures are of {0}", METRIC_NAMES[shown]),
  ];
  return printable(facts.filter((fact) => fact !== undefined).join(", "));
}
