/** The one run whose figures the editor shows. The choice is kept for the workspace. */
import * as vscode from "vscode";
import type { RunSummary } from "../protocol/server.ts";
import type { ServerLink } from "./link/serverLink.ts";

export interface ShownRun extends vscode.Disposable {
  readonly current: RunSummary | undefined;
  /** Another run is shown, or none. */
  readonly onSwitched: vscode.Event<void>;
  /** The shown run's figures changed, as a live run's do: ask for them again. */
  readonly onFigures: vscode.Event<void>;
  show(folder: string): Promise<RunSummary | undefined>;
  hide(): Promise<void>;
  /** Shows what was shown when the window was last open, where it is still there. */
  restore(): Promise<void>;
}

const KEY = "jetsonMemprof.shownRun";

export function createShownRun(link: ServerLink, memory: vscode.Memento, log: vscode.LogOutputChannel): ShownRun {
  const switched = new vscode.EventEmitter<void>();
  const figures = new vscode.EventEmitter<void>();
  let current: RunSummary | undefined;

  const become = async (run: RunSummary | undefined): Promise<void> => {
    current = run;
    await vscode.commands.executeCommand("setContext", "jetsonMemprof.figuresShown", run !== undefined);
    await vscode.commands.executeCommand("setContext", "jetsonMemprof.massifShown", run?.massif ?? false);
    await memory.update(KEY, run?.folder);
    switched.fire();
  };
  const show = async (folder: string): Promise<RunSummary | undefined> => {
    const run = (await link.ask("jetsonMemprof/showRun", { folder })) ?? undefined;
    await become(run);
    return run;
  };
  const hide = async (): Promise<void> => {
    await link.ask("jetsonMemprof/showRun", { folder: null });
    await become(undefined);
  };
  const follow = async (): Promise<void> => {
    if (current === undefined) return;
    const { folder } = current;
    if (await isThere(folder)) {
      figures.fire();
      return;
    }
    log.info(`The figures are hidden: the run folder ${folder} was removed.`);
    if (current?.folder === folder) await hide();
  };
  const subscriptions = vscode.Disposable.from(
    switched,
    figures,
    link.onRunChanged(() => {
      follow().catch((error) => log.error(`Following the shown run: ${error}`));
    }),
    link.onRestarted(() => {
      if (current !== undefined) show(current.folder).catch((error) => log.error(`Showing the run again: ${error}`));
    }),
  );

  return {
    get current() {
      return current;
    },
    onSwitched: switched.event,
    onFigures: figures.event,
    show,
    hide,
    async restore() {
      const folder = memory.get<unknown>(KEY);
      if (typeof folder !== "string") return;
      if (await isThere(folder)) await show(folder);
      else await memory.update(KEY, undefined);
    },
    dispose: () => subscriptions.dispose(),
  };
}

async function isThere(folder: string): Promise<boolean> {
  return vscode.workspace.fs.stat(vscode.Uri.file(folder)).then(
    () => true,
    () => false,
  );
}
