/** One run from the first question to the last message: progress, terminal, cancel, and what is shown at its end. */
import * as vscode from "vscode";
import { formatDuration } from "../../profile/format.ts";
import type { RunDependencies, RunEvent, RunHandle, RunOutcome } from "../../protocol/board.ts";
import { progressText, statusText } from "../../protocol/progressText.ts";
import { plainText } from "../plainText.ts";
import { openOutput } from "../runs/runOutput.ts";
import type { Services } from "../services.ts";
import type { ActiveRun } from "./activeRuns.ts";
import { presentEnd } from "./presentEnd.ts";
import { createPrompter, createRiskQuestion } from "./prompter.ts";
import { offerToRemember } from "./rememberSecrets.ts";
import { createRunTerminal, type RunTerminal } from "./runTerminal.ts";
import { createSecretKeeper } from "./secretKeeper.ts";

export interface SessionPlan {
  /** The script relative to its project, as it is called in messages. */
  readonly script: string;
  /** Short name of the target: `nano`. */
  readonly targetName: string;
  /** The script runs under valgrind, which is slow. */
  readonly massif: boolean;
  /** A model account was asked for. */
  readonly model: boolean;
  start(dependencies: RunDependencies): RunHandle;
}

/** Warnings shown as notifications in one run; the log has all of them. */
const MOST_WARNINGS = 3;
const terminals = new Set<RunTerminal>();

export async function runSession(services: Services, plan: SessionPlan): Promise<RunOutcome> {
  // A run that is found again is named by its own files, which are not ours: no links, no control characters.
  const title = plainText(`${plan.script} @ ${plan.targetName}`, 200);
  const cancelling = new vscode.CancellationTokenSource();
  const began = Date.now();
  let handle: RunHandle | undefined;
  let folder: string | undefined;
  const cancel = (): void => {
    cancelling.cancel();
    handle?.cancel();
  };
  const terminal = openTerminal(`Jetson: ${title}`, {
    input: (data) => handle?.input(data),
    closeInput: () => handle?.closeInput(),
    interrupt: cancel,
    closed: () => {
      if (cancelling.token.isCancellationRequested) return;
      const text = `${plan.script} goes on without its terminal. The status bar has its output and the way to cancel it.`;
      services.report.tell("information", text);
    },
  });
  const active: ActiveRun = {
    title,
    get folder() {
      return folder;
    },
    cancel,
    snapshot: async () => (await handle?.snapshot()) ?? 0,
    showOutput: () => showOutput(services, plan.script, terminal, folder),
  };
  services.active.add(active);
  try {
    const outcome = await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: `Profiling ${title}${plan.massif ? " with Massif (slow)" : ""}`,
        cancellable: true,
      },
      async (progress, token) => {
        token.onCancellationRequested(cancel);
        cancelling.token.onCancellationRequested(() =>
          progress.report({ message: "Cancelling: ending the script on the board…" }),
        );
        const keeper = createSecretKeeper(services.context.secrets);
        const onEvent = createEventHandler(services, plan, terminal, {
          report: (message) => {
            if (!cancelling.token.isCancellationRequested) progress.report({ message });
          },
          connected: () => void offerToRemember(keeper.accepted(), services.context.globalState, services.report),
          started: (runFolder) => {
            folder = runFolder;
            services.active.changed();
            services.folders.changed();
          },
        });
        handle = plan.start({
          prompter: createPrompter(keeper, cancelling.token),
          acceptRisk: createRiskQuestion(cancelling.token),
          helperFolder: services.context.asAbsolutePath("python-helper"),
          onEvent,
        });
        if (cancelling.token.isCancellationRequested) handle.cancel();
        return handle.done;
      },
    );
    // A run that never began has nothing in its terminal.
    if (folder === undefined) terminal.dispose();
    else {
      const name = plainText(plan.script, 200);
      terminal.finish(`${name} ${endWord(outcome)} after ${formatDuration(Date.now() - began)}.`);
    }
    services.active.remove(active);
    services.folders.changed();
    await presentEnd(services, plan, outcome, active.showOutput);
    return outcome;
  } finally {
    if (!terminal.finished) terminal.dispose();
    if (services.active.all().includes(active)) services.active.remove(active);
    cancelling.dispose();
  }
}

/** The run's terminal, or where that was closed, what the run folder kept of the output. */
function showOutput({ report }: Services, script: string, terminal: RunTerminal, folder: string | undefined): void {
  if (terminal.show() || folder === undefined) return;
  void report.guard("Showing the output", () => openOutput(folder, script, report));
}

function openTerminal(name: string, actions: Parameters<typeof createRunTerminal>[1]): RunTerminal {
  // As tasks do it: a new run takes the place of what is finished, whose output is in its run folder.
  for (const last of terminals) {
    if (!last.finished) continue;
    last.dispose();
    terminals.delete(last);
  }
  const terminal = createRunTerminal(name, actions);
  terminals.add(terminal);
  return terminal;
}

interface EventHooks {
  report(message: string): void;
  connected(): void;
  started(folder: string): void;
}

function createEventHandler(
  services: Services,
  plan: SessionPlan,
  terminal: RunTerminal,
  hooks: EventHooks,
): (event: RunEvent) => void {
  const { log, report, active } = services;
  let warnings = 0;
  return (event) => {
    const message = progressText(event);
    if (message !== undefined) hooks.report(plainText(message, 300));
    const status = statusText(plan.script, event);
    if (status !== undefined) active.say(status);
    switch (event.kind) {
      case "phase":
        log.info(`${plan.script}: ${event.phase}`);
        if (event.phase === "run") terminal.show();
        break;
      case "connected":
        log.info(
          `${plan.script}: connected to ${plainText(JSON.stringify({ ...event.board, ...event.versions }), 600)}`,
        );
        hooks.connected();
        break;
      case "started":
        log.info(`${plan.script}: run folder ${event.folder}`);
        hooks.started(event.folder);
        break;
      case "output":
        terminal.output(event.stream, event.data);
        break;
      case "warning":
        warnings += 1;
        if (warnings <= MOST_WARNINGS) report.tell("warning", event.message);
        else log.warn(`${plan.script}: [${event.code}] ${event.message}`);
        break;
      case "reconnecting":
        log.warn(`${plan.script}: ${message}`);
        break;
      default:
        break;
    }
  };
}

function endWord(outcome: RunOutcome): string {
  if (outcome.kind === "failed") return "could not be followed to its end";
  return outcome.kind === "cancelled" ? "was cancelled" : "ended";
}
