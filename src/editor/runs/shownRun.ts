/** The one run whose figures the editor shows, and which of its figures. The choice is kept for the workspace. */
import * as vscode from "vscode";
import { defined } from "../../profile/defined.ts";
import { isMetric, metricOf } from "../../profile/lines/metric.ts";
import type { Metric } from "../../profile/model.ts";
import { type RankView, rankViewName, readRankView, TOGETHER } from "../../profile/ranks/ranks.ts";
import type { ComparedFolders } from "../../protocol/compare.ts";
import type { RunSummary } from "../../protocol/server.ts";
import { hasStacks } from "../../runs/stacks.ts";
import { t } from "../../words/t.ts";
import type { SettingId } from "../contributions/settings.ts";
import type { ServerLink } from "../link/serverLink.ts";
import type { ViewSettings } from "../settings/settings.ts";

export interface ShownRun extends vscode.Disposable {
  readonly current: RunSummary | undefined;
  /** The current run is one of the later side: what changed is shown, not its own figures. */
  readonly compared: ComparedFolders | undefined;
  /** What the user wants to see of every run. */
  readonly wanted: Metric;
  /** What is shown of the current run: what is wanted where it has that, else RSS. */
  readonly metric: Metric;
  /** Of which ranks the lines of the current run are. */
  readonly ranks: RankView;
  /** Another run is shown, or none, or other figures of it. */
  readonly onSwitched: vscode.Event<void>;
  /** The shown run's figures changed, as a live run's do: ask for them again. */
  readonly onFigures: vscode.Event<void>;
  show(folder: string, compared?: ComparedFolders): Promise<RunSummary | undefined>;
  showMetric(metric: Metric): Promise<void>;
  showRanks(ranks: RankView): Promise<void>;
  /**
   * Shows of the current run what came after this moment, ms since it began, what comes from now on, or all of it again.
   * @throws UserError `no-moments`
   */
  showSince(moment: number | "now" | undefined): Promise<void>;
  hide(): Promise<void>;
  /** Shows what was hidden last, where it is still there. */
  showHidden(): Promise<RunSummary | undefined>;
  /** Shows what was shown when the window was last open, where it is still there. */
  restore(): Promise<void>;
}

/** What is asked for besides what was shown before. */
interface Change {
  readonly metric?: Metric;
  /** `undefined`: all of the run. */
  readonly since?: number | undefined;
}

const KEY = "jetsonMemprof.shownRun";
const COMPARED_KEY = "jetsonMemprof.compared";
const METRIC_KEY = "jetsonMemprof.shownMetric";
const RANKS_KEY = "jetsonMemprof.shownRanks";
const METRIC_SETTING = "jetsonMemprof.decorations.metric" satisfies SettingId;

export function createShownRun(
  link: ServerLink,
  memory: vscode.Memento,
  settings: () => Pick<ViewSettings, "metric">,
  log: vscode.LogOutputChannel,
): ShownRun {
  const switched = new vscode.EventEmitter<void>();
  const figures = new vscode.EventEmitter<void>();
  let current: RunSummary | undefined;
  let compared: ComparedFolders | undefined;
  let hidden: { readonly folder: string; readonly sides: ComparedFolders | undefined } | undefined;
  let asked = 0;

  const wanted = (): Metric => {
    const chosen = memory.get<unknown>(METRIC_KEY);
    return isMetric(chosen) ? chosen : settings().metric;
  };
  /** Those of the run's that are wanted; all together where it lacks them. */
  const ranks = (of: RunSummary | undefined): RankView => {
    const wantedRanks = readRankView(memory.get<unknown>(RANKS_KEY)) ?? TOGETHER;
    const isThere = wantedRanks.kind === "rank" ? of?.ranks?.includes(wantedRanks.rank) : of?.ranks !== undefined;
    return isThere === true ? wantedRanks : TOGETHER;
  };
  const take = async (run: RunSummary | undefined): Promise<void> => {
    current = run;
    const context = {
      figuresShown: run !== undefined,
      massifShown: run?.massif ?? false,
      stacksShown: run !== undefined && hasStacks(run),
      comparing: run !== undefined && compared !== undefined,
      metricsToChoose: (run?.metrics.length ?? 0) > 1,
      ranksToChoose: run?.ranks !== undefined,
    };
    for (const [name, value] of Object.entries(context)) {
      await vscode.commands.executeCommand("setContext", `jetsonMemprof.${name}`, value);
    }
  };
  const become = async (run: RunSummary | undefined, sides: ComparedFolders | undefined): Promise<void> => {
    compared = sides;
    await take(run);
    await memory.update(KEY, run?.folder);
    await memory.update(COMPARED_KEY, sides);
    switched.fire();
  };
  /** A run that cannot be read leaves what was shown, here as in the server. */
  const ask = async (folder: string | null, sides?: ComparedFolders, change: Change = {}) => {
    const asking = ++asked;
    const { metric } = change;
    const since = "since" in change ? change.since : current?.folder === folder ? current?.since : undefined;
    const run = await link.ask("jetsonMemprof/showRun", {
      folder,
      metric: metric ?? wanted(),
      ...defined({ compared: sides, ranks: readRankView(memory.get<unknown>(RANKS_KEY)) }),
      // Between runs all of them is compared.
      ...(sides === undefined && defined({ since })),
    });
    // Where another was asked for meanwhile, that one is shown.
    if (asking === asked) {
      if (metric !== undefined) await memory.update(METRIC_KEY, metric);
      await become(run ?? undefined, sides);
    }
    return run ?? undefined;
  };
  const show = (folder: string, sides?: ComparedFolders): Promise<RunSummary | undefined> => ask(folder, sides);
  /** By itself where runs that it was compared with are gone. */
  const showWhatIsThere = async (folder: string, sides: ComparedFolders | undefined) =>
    show(folder, sides !== undefined && (await areThere(sides)) ? sides : undefined);
  const hide = async (): Promise<void> => {
    if (current !== undefined) hidden = { folder: current.folder, sides: compared };
    await ask(null);
  };
  const showAgain = async (): Promise<void> => {
    if (current !== undefined) await show(current.folder, compared);
  };
  const follow = async (): Promise<void> => {
    if (current === undefined) return;
    const { folder } = current;
    if (await isThere(folder)) {
      // A live run may have got other figures. What keeps it from being read is told by those who need it.
      const run = await link.ask("jetsonMemprof/runSummary", { folder }).catch((error) => {
        log.warn(`The shown run cannot be read: ${error}`);
        return undefined;
      });
      if (current?.folder !== folder) return;
      if (run !== undefined) await take(run);
      figures.fire();
      return;
    }
    log.info(`The figures are hidden: the run folder ${folder} was removed.`);
    if (current?.folder === folder) await hide();
  };
  const quietly = (doing: string, body: () => Promise<void>) => () => {
    body().catch((error) => log.error(`${doing}: ${error}`));
  };
  const settingChanged = quietly(t("Showing other figures"), async () => {
    await memory.update(METRIC_KEY, undefined);
    await showAgain();
  });
  const subscriptions = vscode.Disposable.from(
    switched,
    figures,
    link.onRunChanged(quietly(t("Following the shown run"), follow)),
    link.onRestarted(quietly(t("Showing the run again"), showAgain)),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(METRIC_SETTING)) settingChanged();
    }),
  );

  return {
    get current() {
      return current;
    },
    get compared() {
      return compared;
    },
    get wanted() {
      return wanted();
    },
    get metric() {
      return metricOf(current?.metrics ?? [], wanted());
    },
    onSwitched: switched.event,
    onFigures: figures.event,
    show,
    async showMetric(metric) {
      if (current === undefined) await memory.update(METRIC_KEY, metric);
      else await ask(current.folder, compared, { metric });
    },
    async showSince(moment) {
      if (current === undefined) return;
      const { folder } = current;
      // After all that is beside the lines by now, which may have been read since the run was looked at.
      const since = moment === "now" ? (await link.ask("jetsonMemprof/runSummary", { folder })).knownMs : moment;
      if (current?.folder === folder) await ask(folder, undefined, { since });
    },
    get ranks() {
      return ranks(current);
    },
    async showRanks(view) {
      await memory.update(RANKS_KEY, rankViewName(view));
      await showAgain();
    },
    hide,
    async showHidden() {
      if (hidden === undefined || !(await isThere(hidden.folder))) return undefined;
      return await showWhatIsThere(hidden.folder, hidden.sides);
    },
    async restore() {
      const folder = memory.get<unknown>(KEY);
      if (typeof folder !== "string") return;
      const sides = memory.get<ComparedFolders>(COMPARED_KEY);
      if (!(await isThere(folder))) await memory.update(KEY, undefined);
      else await showWhatIsThere(folder, sides);
    },
    dispose: () => subscriptions.dispose(),
  };
}

export async function areThere({ before, after }: ComparedFolders): Promise<boolean> {
  return (await Promise.all([...before, ...after].map(isThere))).every((there) => there);
}

async function isThere(folder: string): Promise<boolean> {
  return vscode.workspace.fs.stat(vscode.Uri.file(folder)).then(
    () => true,
    () => false,
  );
}
