/** Errors and messages for people. What a board sends may be part of the text, so it is shown as plain text only. */
import * as vscode from "vscode";
import type { UserError } from "../../profile/userError.ts";
import { type Phrase, phrase, say, sentences, t } from "../../words/t.ts";
import type { CommandId, HiddenCommandId } from "../contributions/commands.ts";
import type { SettingId } from "../contributions/settings.ts";
import { asUserError } from "./asUserError.ts";
import { plainText } from "./plainText.ts";

export type Actions = Readonly<Record<string, () => PromiseLike<unknown>>>;

type Show = (message: string, ...buttons: string[]) => Thenable<string | undefined>;

export interface Report {
  /**
   * Shows an error: a UserError with its hint, anything else as unexpected with the way to the log.
   * @param actions more buttons, and what each does
   */
  error(error: unknown, doing: string, actions?: Actions): void;
  /** Says something with buttons; nothing waits for an answer. */
  tell(kind: "information" | "warning", message: string, actions?: Actions): void;
  /** Runs a command's body; an error is shown, never lost. */
  guard(doing: string, body: () => Promise<unknown>): Promise<void>;
}

const MOST_TEXT = 600;

type Help = readonly [button: Phrase, command: CommandId | HiddenCommandId | `${"vscode" | "workbench"}.${string}`];
const OTHER_CONTAINER: readonly Help[] = [[phrase("Choose Container…"), "jetsonMemprof.chooseContainer"]];
const VERIFY_KEY: Help = [phrase("Verify Board Key"), "jetsonMemprof.verifyKey"];

/** Commands that help with an error, each by its button's words; each is given the error's board where it has one. */
const HELPFUL_COMMANDS: Readonly<Record<string, readonly Help[]>> = {
  "no-script": [
    [phrase("Open Folder"), "vscode.openFolder"],
    [phrase("Create Sample Project…"), "jetsonMemprof.createSample"],
  ],
  untitled: [[phrase("Save As…"), "workbench.action.files.saveAs"]],
  "no-run": [[phrase("Memory Runs"), "jetsonMemprof.runs.focus"]],
  "sample-not-written": [[phrase("Choose Another Folder…"), "jetsonMemprof.createSample"]],
  "host-key-unknown": [VERIFY_KEY],
  "host-key-declined": [VERIFY_KEY],
  "host-key-changed": [VERIFY_KEY],
  "no-container": OTHER_CONTAINER,
  "container-not-running": OTHER_CONTAINER,
  "no-image": OTHER_CONTAINER,
  "image-architecture": OTHER_CONTAINER,
  "no-shell-in-image": OTHER_CONTAINER,
  "no-python-inside": OTHER_CONTAINER,
  "python-too-old-inside": OTHER_CONTAINER,
};

/** What a person types on the board against an error, by the error's code. */
const HELPFUL_LINE: Readonly<Record<string, string>> = { "valgrind-missing": "sudo apt-get install valgrind" };
const COPIED_MS = 5_000;

/** The setting that helps with an error, by the error's code. */
const HELPFUL_SETTING: Readonly<Record<string, SettingId | "jetsonMemprof">> = {
  "bad-setting": "jetsonMemprof",
  "bad-target": "jetsonMemprof.target",
  "no-python": "jetsonMemprof.python",
  "python-too-old": "jetsonMemprof.python",
  "python-unsupported": "jetsonMemprof.python",
  "no-launcher": "jetsonMemprof.launcher",
  "launcher-unfit": "jetsonMemprof.launcher",
  "no-memory-profiler": "jetsonMemprof.engine",
  "script-excluded": "jetsonMemprof.exclude",
  "too-many-files": "jetsonMemprof.exclude",
  "no-space": "jetsonMemprof.boardFolder",
  // Where no engine answers there is nothing to choose from: emptied, scripts run on the board itself again.
  "bad-inside": "jetsonMemprof.container",
  "no-engine": "jetsonMemprof.container",
  "engine-permission": "jetsonMemprof.container",
  "engine-not-running": "jetsonMemprof.container",
  "engine-failed": "jetsonMemprof.container",
  "engine-silent": "jetsonMemprof.container",
};

/** A board may send any code, "constructor" too. */
function own<Value>(table: Readonly<Record<string, Value>>, code: string): Value | undefined {
  return Object.hasOwn(table, code) ? table[code] : undefined;
}

function helpFor({ code, target }: UserError): Actions | undefined {
  const helpful = own(HELPFUL_COMMANDS, code);
  if (helpful !== undefined) {
    return Object.fromEntries(
      helpful.map(([button, command]) => [
        say(button),
        () => vscode.commands.executeCommand(command, ...(target === undefined ? [] : [target])),
      ]),
    );
  }
  const line = own(HELPFUL_LINE, code);
  if (line !== undefined) return { [t("Copy Install Command")]: () => copyLine(line) };
  const setting = own(HELPFUL_SETTING, code);
  if (setting === undefined) return undefined;
  return { [t("Open Settings")]: () => vscode.commands.executeCommand("workbench.action.openSettings", setting) };
}

async function copyLine(line: string): Promise<void> {
  await vscode.env.clipboard.writeText(line);
  vscode.window.setStatusBarMessage(t("$(check) Copied: {0}. Run it on the board.", line), COPIED_MS);
}

export function createReport(log: vscode.LogOutputChannel): Report {
  const report: Report = {
    error(error, doing, actions = {}) {
      if (error instanceof vscode.CancellationError) return;
      const known = asUserError(error);
      const showLog = { [t("Show Log")]: async () => log.show() };
      if (known === undefined || known.code === "internal") {
        log.error(`${doing}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        const reason = plainText(error instanceof Error ? error.message : String(error), MOST_TEXT);
        const text = t(
          "{0}: something unexpected happened ({1}). The log has the details; please report it with them.",
          doing,
          reason,
        );
        void offer(vscode.window.showErrorMessage, text, showLog);
        return;
      }
      log.error(`${doing}: [${known.code}] ${known.message} ${known.hint ?? ""}`);
      const text = sentences(known.message, known.hint);
      const buttons = { ...actions, ...(helpFor(known) ?? showLog) };
      void offer(vscode.window.showErrorMessage, plainText(text, MOST_TEXT), buttons);
    },
    tell(kind, message, actions = {}) {
      if (kind === "warning") log.warn(message);
      else log.info(message);
      void offer(
        kind === "warning" ? vscode.window.showWarningMessage : vscode.window.showInformationMessage,
        plainText(message, MOST_TEXT),
        actions,
      );
    },
    async guard(doing, body) {
      try {
        await body();
      } catch (error) {
        report.error(error, doing);
      }
    },
  };
  const offer = async (show: Show, text: string, actions: Actions): Promise<void> => {
    const choice = await show(text, ...Object.keys(actions));
    const action = choice === undefined ? undefined : actions[choice];
    if (action !== undefined) await report.guard(choice ?? "", async () => action());
  };
  return report;
}
