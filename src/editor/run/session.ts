/** One run from the first question to the last message: progress, terminal, cancel, and what is shown at its end. */
import * as vscode from "vscode";
import { readRunHead } from "../../profile/run/runHead.ts";
import { formatDuration } from "../../profile/text/format.ts";
import { progressText, statusText } from "../../protocol/run/progressText.ts";
import type { RunDependencies, RunEvent, RunHandle, RunOutcome } from "../../protocol/run/run.ts";
import type { RunGroup } from "../../runs/model.ts";
import { t } from "../../words/t.ts";
import { createPrompter, createQuietPrompter, createRiskQuestion } from "../connect/prompter.ts";
import { offerToRemember } from "../connect/rememberSecrets.ts";
import { createSecretKeeper } from "../connect/secretKeeper.ts";
import { createReachQuestion, createSendQuestion } from "../connect/sendQuestion.ts";
import { rememberTarget } from "../connect/targetPicker.ts";
import { plainText } from "../report/plainText.ts";
import type { Actions } from "../report/report.ts";
import type { ActiveRun } from "../runs/followed/activeRuns.ts";
import { openOutput } from "../runs/runOutput.ts";
import type { Services } from "../services.ts";
import { type ConnectionLoss, createConnectionLoss } from "./connectionLoss.ts";
import { earlierOutput } from "./end/earlierOutput.ts";
import { mayGoOn, presentEnd } from "./end/presentEnd.ts";
import { watchTyping } from "./end/showAnswer.ts";
import { createLiveFigures } from "./liveFigures.ts";
import { createRunTerminal, type RunTerminal } from "./runTerminal.ts";

export interface SessionPlan {
  /** The script relative to its project, as it is called in messages. */
  readonly script: string;
  /** Short name of the target: `nano`. */
  readonly targetName: string;
  /** The script runs under valgrind, which is slow. */
  readonly massif: boolean;
  /** A model account was asked for. */
  readonly model: boolean;
  /** It is one of several. */
  readonly group?: RunGroup;
  /**
   * `again`: it began before, and what it has printed is shown first. `by-itself`: the same, but nobody asked for it
   * now, so nobody is asked anything, and the caller tells where it cannot be followed.
   */
  readonly occasion: "new" | "again" | "by-itself";
  /** To be offered first from now on, once it has answered. */
  readonly picked?: string;
  /** The same once more, offered where it could not be begun. */
  readonly tryAgain?: () => Promise<void>;
  /** Where it is known before the board was reached: nobody may follow or delete it meanwhile. */
  readonly folder?: string;
  /** What can be done where the run cannot be reached there any more. */
  readonly moved?: Actions;
  start(dependencies: RunDependencies): RunHandle;
}

/** Warnings shown as notifications in one run; the log has all of them. */
const MOST_WARNINGS = 3;
const terminals = new Set<RunTerminal>();

export async function runSession(services: Services, plan: SessionPlan): Promise<RunOutcome> {
  // A run that is found again is named by its own files, which are not ours: no links, no control characters.
  const place = plan.group === undefined ? "" : t(", {0} of {1}", plan.group.index, plan.group.of);
  const title = plainText(`${plan.script} @ ${plan.targetName}${place}`, 200);
  const cancelling = new vscode.CancellationTokenSource();
  let handle: RunHandle | undefined;
  let folder: string | undefined;
  let loss: ConnectionLoss | undefined;
  const cancel = (): void => {
    cancelling.cancel();
    handle?.cancel();
  };
  const terminal = openTerminal(t("Jetson: {0}", title), {
    input: (data) => handle?.input(data),
    closeInput: () => handle?.closeInput(),
    interrupt: cancel,
    closed: () => {
      if (cancelling.token.isCancellationRequested) return;
      const text = t(
        "{0} continues without its terminal. The status bar has its output and a way to cancel it.",
        plan.script,
      );
      services.report.tell("information", text);
    },
  });
  const active: ActiveRun = {
    title,
    get folder() {
      return folder ?? plan.folder;
    },
    get isCutOff() {
      return loss?.isLost ?? false;
    },
    cancel,
    letGo: () => {
      // Without a folder there is nothing on the board that could go on.
      if (active.folder === undefined)
        services.report.tell("information", notBegunText(title), { Cancel: async () => cancel() });
      else handle?.letGo();
    },
    tryNow: () => handle?.tryNow(),
    snapshot: async () => (await handle?.snapshot()) ?? 0,
    showOutput: () => showOutput(services, plan.script, terminal, folder),
  };
  services.active.add(active);
  const typing = watchTyping();
  const live = createLiveFigures(services.shown.show, (error) => services.log.debug(`Not shown yet: ${error}`));
  try {
    const outcome = await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: occasionText(plan, title),
        cancellable: true,
      },
      async (progress, token) => {
        token.onCancellationRequested(cancel);
        cancelling.token.onCancellationRequested(() =>
          progress.report({ message: t("Cancelling: ending the script on the board…") }),
        );
        const keeper = createSecretKeeper(services.context.secrets);
        const report = (message: string): void => {
          if (!cancelling.token.isCancellationRequested) progress.report({ message });
        };
        loss = createConnectionLoss(title, {
          progress: report,
          note: (...lines) => terminal.note(...lines.map((line) => plainText(line, 300))),
          offer: (text) => services.report.tell("warning", text, lossActions(active)),
          tell: (text) => services.report.tell("information", text),
          changed: services.active.changed,
        });
        const onEvent = createEventHandler(services, plan, terminal, loss, {
          report,
          connected: () => {
            if (plan.picked !== undefined) void rememberTarget(services, plan.picked);
            void offerToRemember(keeper.accepted(), services.context.globalState, services.report);
          },
          started: (runFolder) => {
            folder = runFolder;
            services.followed.begin(runFolder);
            if (plan.occasion !== "new") showEarlier(terminal, runFolder);
            services.active.changed();
            services.folders.changed();
            services.active.tell({ kind: "started", folder: runFolder });
          },
          progressed: (event) => {
            if (folder === undefined) return;
            services.active.tell({ ...event, folder });
            if (event.hits > 0 && isShownLive(plan, services)) live.progressed(folder, event.elapsedMs);
          },
        });
        handle = plan.start({
          prompter:
            plan.occasion === "by-itself" ? createQuietPrompter(keeper) : createPrompter(keeper, cancelling.token),
          acceptRisk: createRiskQuestion(cancelling.token),
          maySend: createSendQuestion(cancelling.token),
          mayReach: plan.occasion === "by-itself" ? async () => false : createReachQuestion(cancelling.token),
          helperFolder: services.context.asAbsolutePath("python-helper"),
          onEvent,
        });
        if (cancelling.token.isCancellationRequested) handle.cancel();
        return handle.done;
      },
    );
    loss?.dispose();
    // A run that never began has nothing in its terminal.
    if (folder === undefined) terminal.dispose();
    else terminal.finish(endText(plainText(plan.script, 200), outcome, await elapsedOf(folder)));
    const left = outcome.folder ?? plan.folder;
    if (left !== undefined) {
      if (mayGoOn(outcome)) services.followed.leave(left);
      else services.followed.end(left);
    }
    services.active.remove(active);
    services.folders.changed();
    if (left !== undefined) services.active.tell({ kind: "ended", folder: left, outcome: outcome.kind });
    // What a group of runs comes to is shown at its end; what cannot be seen there is told at once.
    if (outcome.kind === "failed" ? plan.occasion !== "by-itself" : plan.group === undefined) {
      await presentEnd(services, { ...plan, typing }, outcome, active.showOutput);
    }
    return outcome;
  } finally {
    typing.dispose();
    loss?.dispose();
    if (!terminal.finished) terminal.dispose();
    if (services.active.all().includes(active)) services.active.remove(active);
    // An open question goes away with what it was for.
    cancelling.cancel();
    cancelling.dispose();
  }
}

/**
 * Of a group what it comes to is shown, massif's figures come at its end, what goes on by itself takes nothing away from
 * anybody, and who compares runs goes on comparing.
 */
function isShownLive({ group, occasion, massif }: SessionPlan, { shown }: Services): boolean {
  return group === undefined && occasion !== "by-itself" && !massif && shown.compared === undefined;
}

/** The run's terminal, or where that was closed, what the run folder kept of the output. */
function showOutput({ report }: Services, script: string, terminal: RunTerminal, folder: string | undefined): void {
  if (terminal.show() || folder === undefined) return;
  void report.guard(t("Showing the output"), () => openOutput(folder, script, report));
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

function occasionText({ occasion, massif }: Pick<SessionPlan, "occasion" | "massif">, title: string): string {
  if (occasion === "new") return massif ? t("Profiling {0} with Massif (slow)", title) : t("Profiling {0}", title);
  return massif ? t("Following {0} with Massif (slow)", title) : t("Following {0}", title);
}

/** Buttons may be pressed when the connection has long been back, or the run over. */
function lossActions(run: ActiveRun): Actions {
  return {
    [t("Try Now")]: async () => run.tryNow(),
    [t("Stop Following")]: async () => run.letGo(),
  };
}

function showEarlier(terminal: RunTerminal, folder: string): void {
  const earlier = earlierOutput(folder);
  for (const { title, stream, data } of earlier) {
    terminal.note(title);
    terminal.output(stream, data);
  }
  if (earlier.length > 0) terminal.note(t("What comes from now on:"));
}

interface EventHooks {
  report(message: string): void;
  connected(): void;
  started(folder: string): void;
  progressed(event: Extract<RunEvent, { kind: "progress" }>): void;
}

function createEventHandler(
  services: Services,
  plan: SessionPlan,
  terminal: RunTerminal,
  loss: ConnectionLoss,
  hooks: EventHooks,
): (event: RunEvent) => void {
  const { log, report, active } = services;
  let warnings = 0;
  return (event) => {
    const message = progressText(event);
    if (message !== undefined && event.kind !== "reconnecting") hooks.report(plainText(message, 300));
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
      case "progress":
        hooks.progressed(event);
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
        loss.reconnecting({ ...event, reason: plainText(event.reason, 300) });
        break;
      case "reconnected":
        log.info(`${plan.script}: connected again`);
        loss.reconnected();
        break;
      default:
        break;
    }
  };
}

function notBegunText(title: string): string {
  return t("{0} has not begun on the board yet, so there is nothing that could continue without this window.", title);
}

/** The run's own time, which all views tell: without connecting, syncing and bringing the profile home. */
async function elapsedOf(folder: string): Promise<number | undefined> {
  return await readRunHead(folder).then(
    ({ run }) => run.elapsedMs,
    () => undefined,
  );
}

function endText(name: string, outcome: RunOutcome, elapsedMs: number | undefined): string {
  const after = elapsedMs === undefined ? undefined : formatDuration(elapsedMs);
  switch (outcome.kind) {
    case "finished":
      return after === undefined ? t("{0} ended.", name) : t("{0} ended after {1}.", name, after);
    case "cancelled":
      return after === undefined ? t("{0} was cancelled.", name) : t("{0} was cancelled after {1}.", name, after);
    case "released":
      return t("{0} is no longer followed. It keeps running on the board.", name);
    case "failed":
      return t("{0} was lost before it ended.", name);
  }
}
