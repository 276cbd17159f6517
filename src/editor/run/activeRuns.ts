/** The runs this window is connected to: the status bar's item, the `running` context, and the way to cancel. */
import * as vscode from "vscode";

export interface ActiveRun {
  readonly title: string;
  /** The run folder at home, once it is known. */
  readonly folder: string | undefined;
  cancel(): void;
  /** Asks for an allocator snapshot; resolves with how many processes were asked. */
  snapshot(): Promise<number>;
  showOutput(): void;
}

export interface ActiveRuns extends vscode.Disposable {
  readonly onChanged: vscode.Event<void>;
  all(): readonly ActiveRun[];
  has(folder: string): boolean;
  add(run: ActiveRun): void;
  remove(run: ActiveRun): void;
  /** A run learned something that the views show. */
  changed(): void;
  /** Text of the status bar for the run that said something last. */
  say(text: string): void;
}

export function createActiveRuns(): ActiveRuns {
  const changed = new vscode.EventEmitter<void>();
  const runs: ActiveRun[] = [];
  const status = vscode.window.createStatusBarItem("jetsonMemprof.run", vscode.StatusBarAlignment.Left, 10);
  status.name = "Jetson Memory Profiler";
  status.command = "jetsonMemprof.runMenu";

  const update = (): void => {
    void vscode.commands.executeCommand("setContext", "jetsonMemprof.running", runs.length > 0);
    const last = runs.at(-1);
    if (last === undefined) status.hide();
    else {
      say(last.title);
      status.show();
    }
    changed.fire();
  };
  const say = (text: string): void => {
    const others = runs.length > 1 ? ` (+${runs.length - 1})` : "";
    status.text = `$(sync~spin) ${text.replaceAll("$(", "$ (")}${others}`;
    status.tooltip = `${runs.map(({ title }) => title).join("\n")}\nChoose to see the output or to cancel.`;
    status.accessibilityInformation = { label: `Profiling ${text}${others}. Choose to see the output or to cancel.` };
  };
  return {
    onChanged: changed.event,
    all: () => runs,
    has: (folder) => runs.some((run) => run.folder === folder),
    add(run) {
      runs.push(run);
      update();
    },
    remove(run) {
      const at = runs.indexOf(run);
      if (at >= 0) runs.splice(at, 1);
      update();
    },
    changed: () => changed.fire(),
    say,
    dispose() {
      status.dispose();
      changed.dispose();
    },
  };
}
