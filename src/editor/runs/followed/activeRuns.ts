/** The runs this window follows: the status bar's item, the `running` context, and what can be done with them. */
import * as vscode from "vscode";
import type { RunEvent, RunOutcome } from "../../../protocol/run/run.ts";
import { phrase, say, t } from "../../../words/t.ts";
import type { HiddenCommandId } from "../../contributions/commands.ts";
import { withoutIcons } from "../../report/plainText.ts";

export interface ActiveRun {
  readonly title: string;
  /** The run folder at home, once it is known. */
  readonly folder: string | undefined;
  /** The connection is gone; the run continues on the board and is followed again when that can be reached. */
  readonly isCutOff: boolean;
  cancel(): void;
  /** Leaves it to itself: it keeps running on the board. */
  letGo(): void;
  /** Where it is cut off: does not wait for the next try. */
  tryNow(): void;
  /** Asks for an allocator snapshot; resolves with how many processes were asked. */
  snapshot(): Promise<number>;
  showOutput(): void;
}

/** What is heard of a run that this window follows. */
export type RunNews =
  | { readonly kind: "started"; readonly folder: string }
  | (Extract<RunEvent, { readonly kind: "progress" }> & { readonly folder: string })
  | { readonly kind: "ended"; readonly folder: string; readonly outcome: RunOutcome["kind"] };

export interface ActiveRuns extends vscode.Disposable {
  readonly onChanged: vscode.Event<void>;
  readonly onNews: vscode.Event<RunNews>;
  all(): readonly ActiveRun[];
  find(folder: string): ActiveRun | undefined;
  /** This window follows it, and its connection is there. */
  isConnectedTo(folder: string): boolean;
  add(run: ActiveRun): void;
  remove(run: ActiveRun): void;
  /** A run learned something that the views show. */
  changed(): void;
  tell(news: RunNews): void;
  /** Text of the status bar for the run that said something last. */
  say(text: string): void;
}

export function createActiveRuns(): ActiveRuns {
  const changed = new vscode.EventEmitter<void>();
  const news = new vscode.EventEmitter<RunNews>();
  const runs: ActiveRun[] = [];
  const status = vscode.window.createStatusBarItem("jetsonMemprof.run", vscode.StatusBarAlignment.Left, 10);
  status.name = "Jetson Memory Profiler";
  status.command = "jetsonMemprof.runMenu" satisfies HiddenCommandId;

  const update = (): void => {
    void vscode.commands.executeCommand("setContext", "jetsonMemprof.running", runs.length > 0);
    const last = runs.at(-1);
    if (last === undefined) status.hide();
    else {
      speak(last.title);
      status.show();
    }
    changed.fire();
  };
  const show = (text: string, icon: string, spoken: string): void => {
    const others = runs.length > 1 ? ` (+${runs.length - 1})` : "";
    status.text = `$(${icon}) ${withoutIcons(text)}${others}`;
    status.tooltip = [
      ...runs.map(({ title, isCutOff }) => (isCutOff ? t("{0}: connection lost", title) : title)),
      say(CHOOSE),
    ].join("\n");
    status.accessibilityInformation = { label: t("{0}. {1}", `${spoken}${others}`, say(CHOOSE)) };
  };
  const speak = (text: string): void => {
    // A run that is cut off needs to be seen more than the figures of another.
    const cutOff = runs.find((run) => run.isCutOff);
    status.backgroundColor =
      cutOff === undefined ? undefined : new vscode.ThemeColor("statusBarItem.warningBackground");
    if (cutOff === undefined) show(text, "sync~spin", t("Profiling {0}", text));
    else {
      const lost = t("{0}: connection lost, the run continues", cutOff.title);
      show(lost, "debug-disconnect", lost);
    }
  };
  const find = (folder: string): ActiveRun | undefined => runs.find((run) => run.folder === folder);
  return {
    onChanged: changed.event,
    onNews: news.event,
    all: () => runs,
    find,
    isConnectedTo: (folder) => find(folder)?.isCutOff === false,
    add(run) {
      runs.push(run);
      update();
    },
    remove(run) {
      const at = runs.indexOf(run);
      if (at >= 0) runs.splice(at, 1);
      update();
    },
    changed: update,
    tell: (told) => news.fire(told),
    say: speak,
    dispose() {
      status.dispose();
      changed.dispose();
      news.dispose();
    },
  };
}

const CHOOSE = phrase("Choose to see the output, to stop following, or to cancel.");
