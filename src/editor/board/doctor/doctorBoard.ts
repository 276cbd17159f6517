/** A board for Check Board and for advice: looking at it, and running a command on it. */
import * as vscode from "vscode";
import type { DoctorReport } from "../../../board/doctor/model.ts";
import type { Survey, SurveyedPython } from "../../../board/survey.ts";
import { defined } from "../../../profile/defined.ts";
import { printableLines } from "../../../profile/text/text.ts";
import type { Prompter } from "../../../protocol/run/run.ts";
import { t } from "../../../words/t.ts";
import { connected } from "../../connect/connected.ts";
import { containerSet } from "../../connect/containerSet.ts";
import { createQuietPrompter } from "../../connect/prompter.ts";
import { createSecretKeeper } from "../../connect/secretKeeper.ts";
import { targetLabel, targetShortName } from "../../connect/targetItems.ts";
import type { Services } from "../../services.ts";
import type { RunSettings } from "../../settings/settings.ts";

export interface Board {
  /** In the form `parseTarget` reads. */
  readonly target: string;
  /** As a person calls it. */
  readonly label: string;
  /** Where on it scripts run, as a person calls it. */
  readonly place: string;
  /** Shows its progress. Rejects with a UserError, or a CancellationError where the person cancelled. */
  check(): Promise<DoctorReport>;
  /** Those that it has, as `check` finds them; with its progress. Rejects as `check` does. */
  pythons(): Promise<readonly SurveyedPython[]>;
  /** `check` without a word or a question. */
  checkQuietly(): Promise<DoctorReport>;
  /** Runs a command that the person agreed to, with its output in view; `undefined` where it ended well. */
  run(command: string): Promise<BadEnd | undefined>;
}

/** How a command ended that did not end well, in words: `exit status 100`, `SIGKILL`. */
export type BadEnd = string;

export type BoardSettings = Pick<RunSettings, "python" | "boardFolder" | "container" | "containerOptions">;

/** How a board of a target is made; for parts of the extension that are loaded on need. */
export type BoardOf = (target: string) => Promise<Board>;

let output: vscode.OutputChannel | undefined;

/** @throws UserError `bad-target` */
export async function boardOf(services: Services, text: string, settings: BoardSettings): Promise<Board> {
  const { context } = services;
  const { diagnoseBoard, formatTarget, parseInside, parseTarget, runCommand, surveyBoard } = await import(
    "../../remote.ts"
  );
  const address = parseTarget(text);
  const target = formatTarget(address);
  const label = targetLabel(target);
  const place = settings.container === undefined ? label : t("{0} on {1}", settings.container, targetShortName(target));
  const helperFolder = context.asAbsolutePath("python-helper");
  const survey = (prompter: Prompter, signal: AbortSignal): Promise<Survey> => {
    const { boardFolder, python } = settings;
    const inside = containerSet(settings, parseInside);
    const request = { target: address, boardFolder, ...defined({ inside, python }) };
    return surveyBoard(request, { prompter, helperFolder }, signal);
  };

  return {
    target,
    label,
    place,
    check: async () => diagnoseBoard(await connected(services, t("Checking {0}", place), survey)),
    pythons: async () => {
      const { container, pythons } = await connected(services, t("Looking for Pythons on {0}", place), survey);
      return container?.survey.pythons ?? pythons;
    },
    checkQuietly: async () => {
      const prompter = createQuietPrompter(createSecretKeeper(context.secrets));
      return diagnoseBoard(await survey(prompter, AbortSignal.timeout(QUIET_LIMIT_MS)));
    },
    async run(command) {
      const channel = outputChannel(context);
      channel.show(true);
      channel.appendLine(`${label}: ${command}`);
      const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
      const onOutput = (stream: "stdout" | "stderr", data: Uint8Array): void =>
        channel.append(printableLines(decoders[stream].decode(data, { stream: true }).replaceAll("\r", "")));
      const end = await connected(services, t("Running a command on {0}", label), (prompter, signal) =>
        runCommand({ target: address, command }, { prompter, onOutput }, signal),
      ).catch((error: unknown) => {
        if (error instanceof vscode.CancellationError)
          channel.appendLine(`\n${t("Cancelled. What it had started may keep running on the board.")}\n`);
        throw error;
      });
      const how = end.code === undefined ? (end.signal ?? t("an unknown end")) : t("exit status {0}", end.code);
      channel.appendLine(`\n${t("It ended with {0}.", how)}\n`);
      return end.code === 0 ? undefined : how;
    },
  };
}

const QUIET_LIMIT_MS = 60_000;

function outputChannel(context: vscode.ExtensionContext): vscode.OutputChannel {
  if (output === undefined) {
    output = vscode.window.createOutputChannel(t("Jetson Board Commands"));
    context.subscriptions.push(output);
  }
  return output;
}
