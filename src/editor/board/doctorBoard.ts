/**
 * A board for Check Board and for advice: looking at it, and running a command on it. It belongs to the part of the
 * extension that is there from the start, because questions to the person stand in one queue for the whole window.
 */
import * as vscode from "vscode";
import type { DoctorReport } from "../../board/doctor/model.ts";
import { printableLines } from "../../profile/text.ts";
import type { Prompter } from "../../protocol/board.ts";
import { plainText } from "../plainText.ts";
import { createPrompter } from "../run/prompter.ts";
import { offerToRemember } from "../run/rememberSecrets.ts";
import { createSecretKeeper } from "../run/secretKeeper.ts";
import type { Services } from "../services.ts";
import type { RunSettings } from "../settings.ts";
import { targetLabel } from "../targets/targetItems.ts";

export interface Board {
  /** In the form `parseTarget` reads. */
  readonly target: string;
  /** As a person calls it. */
  readonly label: string;
  /** Shows its progress. Rejects with a UserError, or a CancellationError where the person cancelled. */
  check(): Promise<DoctorReport>;
  /** The same without a word or a question. */
  checkQuietly(): Promise<DoctorReport>;
  /** Runs a command that the person agreed to, with its output in view; `undefined` where it ended well. */
  run(command: string): Promise<BadEnd | undefined>;
}

/** How a command ended that did not end well: `exit status 100`, `SIGKILL`. */
export type BadEnd = string;

export type BoardSettings = Pick<RunSettings, "python" | "boardFolder">;

/** How a board of a target is made; for parts of the extension that are loaded on need. */
export type BoardOf = (target: string) => Promise<Board>;

const OUTPUT = "Jetson Board Commands";
let output: vscode.OutputChannel | undefined;

/** @throws UserError `bad-target` */
export async function boardOf(services: Services, text: string, settings: BoardSettings): Promise<Board> {
  const { context } = services;
  const { diagnoseBoard, formatTarget, parseTarget, runCommand, surveyBoard } = await import("../remote.ts");
  const address = parseTarget(text);
  const target = formatTarget(address);
  const label = targetLabel(target);
  const helperFolder = context.asAbsolutePath("python-helper");
  const survey = async (prompter: Prompter, signal: AbortSignal): Promise<DoctorReport> => {
    const { boardFolder, python } = settings;
    const request = { target: address, boardFolder, ...(python === undefined ? {} : { python }) };
    return diagnoseBoard(await surveyBoard(request, { prompter, helperFolder }, signal));
  };

  return {
    target,
    label,
    check: () => connected(services, `Checking ${label}`, survey),
    checkQuietly: () => survey(silentPrompter(context.secrets), AbortSignal.timeout(QUIET_LIMIT_MS)),
    async run(command) {
      const channel = outputChannel(context);
      channel.show(true);
      channel.appendLine(`${label}: ${command}`);
      const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
      const onOutput = (stream: "stdout" | "stderr", data: Uint8Array): void =>
        channel.append(printableLines(decoders[stream].decode(data, { stream: true }).replaceAll("\r", "")));
      const end = await connected(services, `Running a command on ${label}`, (prompter, signal) =>
        runCommand({ target: address, command }, { prompter, onOutput }, signal),
      ).catch((error: unknown) => {
        if (error instanceof vscode.CancellationError)
          channel.appendLine("\nCancelled. What it had begun may go on on the board.\n");
        throw error;
      });
      const how = end.code === undefined ? (end.signal ?? "an unknown end") : `exit status ${end.code}`;
      channel.appendLine(`\nIt ended with ${how}.\n`);
      return end.code === 0 ? undefined : how;
    },
  };
}

const QUIET_LIMIT_MS = 60_000;

function outputChannel(context: vscode.ExtensionContext): vscode.OutputChannel {
  if (output === undefined) {
    output = vscode.window.createOutputChannel(OUTPUT);
    context.subscriptions.push(output);
  }
  return output;
}

/** Does something with the board while a notification shows that and offers to cancel it. */
async function connected<Result>(
  { context, report }: Services,
  title: string,
  body: (prompter: Prompter, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const over = new vscode.CancellationTokenSource();
  const abort = new AbortController();
  const keeper = createSecretKeeper(context.secrets);
  const where = { location: vscode.ProgressLocation.Notification, title: plainText(title, 200), cancellable: true };
  try {
    return await vscode.window.withProgress(where, async (_progress, token) => {
      token.onCancellationRequested(() => {
        over.cancel();
        abort.abort(new vscode.CancellationError());
      });
      const result = await body(createPrompter(keeper, over.token), abort.signal);
      void offerToRemember(keeper.accepted(), context.globalState, report);
      return result;
    });
  } finally {
    // An open question goes away with what it was for.
    over.cancel();
    over.dispose();
  }
}

/** Gives what was stored and declines everything else. */
function silentPrompter(secrets: vscode.SecretStorage): Prompter {
  const keeper = createSecretKeeper(secrets);
  return {
    confirmHostKey: async () => false,
    secret: async (question) => (question.kind === "sudo" ? undefined : keeper.recall(question)),
    keyboardInteractive: async () => undefined,
  };
}
