/** What other extensions can do with this one. Loaded when the first of them asks. */
import * as vscode from "vscode";
import type {
  JetsonMemprofApi,
  JetsonMemprofExports,
  ProfileResult,
  Run,
  RunLines,
  RunNews,
} from "../../../docs/api/jetson-memprof.d.ts";
import { openPlace } from "../page/openPlace.ts";
import type { Services } from "../services.ts";
import { findRun, metricArgument, scriptArgument, targetArgument, versionArgument, viewArgument } from "./arguments.ts";
import { apiError, asApiError } from "./errors.ts";
import { linesOf, newsOf, runOf } from "./values.ts";

const apis = new WeakMap<Services, JetsonMemprofApi>();

/** @throws JetsonMemprofError `api-version` */
export async function getApi(services: Services, version: unknown): ReturnType<JetsonMemprofExports["getApi"]> {
  versionArgument(version);
  const api = apis.get(services) ?? createApi(services);
  apis.set(services, api);
  return api;
}

function createApi(services: Services): JetsonMemprofApi {
  const { context, shown, active, folders, log, ask } = services;
  const shownChanged = new vscode.EventEmitter<Run | undefined>();
  const runsChanged = new vscode.EventEmitter<void>();
  const heard = new vscode.EventEmitter<RunNews>();
  const shownRun = (): Run | undefined => shown.current && runOf(shown.current);
  context.subscriptions.push(
    shownChanged,
    runsChanged,
    heard,
    shown.onSwitched(() => shownChanged.fire(shownRun())),
    folders.onChanged(() => runsChanged.fire()),
    active.onNews((news) => heard.fire(newsOf(news))),
  );

  /** What goes wrong is told to the caller without anything of ours in it. */
  const guarded = async <T>(body: () => Promise<T>): Promise<T> => {
    try {
      return await body();
    } catch (error) {
      const told = asApiError(error);
      if (told.code === "internal") log.error(`Asked by another extension: ${(error as Error)?.stack ?? error}`);
      throw told;
    }
  };
  const entries = () => ask("jetsonMemprof/runs", { folders: folders.all() });

  const readLines = async (run: unknown, asked: unknown): Promise<RunLines> => {
    const wanted = metricArgument(asked);
    const { folder, id } = findRun(run, await entries());
    const lines = await ask("jetsonMemprof/runLines", { folder, metric: wanted });
    if (lines.metric !== wanted) throw apiError("no-metric", `The run ${id} was not measured by ${wanted}.`);
    return linesOf(lines);
  };

  const openRun = async (run: unknown, asked: unknown): Promise<Run> => {
    const view = viewArgument(asked);
    const found = findRun(run, await entries());
    if (view === "timeline") {
      const { openTimeline } = await import("../timeline/timelinePanel.ts");
      openTimeline(services, found.folder);
      return runOf(found);
    }
    const now = (await shown.show(found.folder)) ?? found;
    if (found.script !== undefined) await openPlace(ask, { folder: found.folder, path: found.script, line: 1 });
    return runOf(now);
  };

  const profile = async (given: unknown, options: unknown): Promise<ProfileResult | undefined> => {
    const script = vscode.Uri.file(scriptArgument(given));
    const target = targetArgument(options);
    const { planRun, profileScript } = await import("../onBoard.ts");
    const plan = await planRun(services, script, "settings", target);
    if (plan === undefined) return undefined;
    const { kind: outcome, folder } = await profileScript(services, plan.chosen, plan.run);
    if (folder === undefined) return Object.freeze({ outcome });
    return Object.freeze({ outcome, run: runOf(await ask("jetsonMemprof/runSummary", { folder })) });
  };

  return Object.freeze({
    version: 1,
    listRuns: () =>
      guarded(async () => {
        const all = await entries();
        return Object.freeze(all.flatMap((entry) => (entry.kind === "run" ? [runOf(entry.run)] : [])));
      }),
    readLines: (run, metric = "rss") => guarded(() => readLines(run, metric)),
    openRun: (run, view = "lines") => guarded(() => openRun(run, view)),
    profile: (script, options) => guarded(() => profile(script, options)),
    shownRun,
    onDidChangeShownRun: shownChanged.event,
    onDidChangeRuns: runsChanged.event,
    onDidHearOfRun: heard.event,
  } satisfies JetsonMemprofApi);
}
