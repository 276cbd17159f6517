/** Asks the person at the editor what a connection needs to know, one question at a time over all runs. */
import * as vscode from "vscode";
import { fingerprintCommand } from "../../protocol/run/hostKeys.ts";
import type { Prompter, RunDependencies, SecretQuestion } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";
import { plainText } from "../report/plainText.ts";
import type { SecretKeeper } from "./secretKeeper.ts";

const MOST_TEXT = 300;
/** A risk is told with its figures. */
const MOST_RISK_TEXT = 1_000;
let turn: Promise<unknown> = Promise.resolve();

/** @param token cancelled with the run; an open question goes away then and counts as declined */
export function createPrompter(keeper: SecretKeeper, token: vscode.CancellationToken): Prompter {
  return {
    confirmHostKey: (question) =>
      inTurn(token, false, async () => {
        const accept = t("Trust This Key and Connect");
        const via = question.via.length === 0 ? [] : [t("Reached through: {0}", question.via.join(" → "))];
        const known = question.known === undefined ? [] : [t("Known by a different key: {0}", question.known)];
        const facts = [
          ...via,
          ...known,
          t("Key type: {0}", question.keyType),
          t("Fingerprint: {0}", question.fingerprint),
        ];
        const host = plainText(question.host, MOST_TEXT);
        const choice = await vscode.window.showWarningMessage(
          question.known === undefined
            ? t("The host {0} is not known yet.", host)
            : t("The presented key of {0} is not known yet.", host),
          {
            modal: true,
            detail: [
              ...facts.map((fact) => plainText(fact, MOST_TEXT)),
              "",
              t(
                "Compare the fingerprint with the board's own, which this prints on the board: {0}",
                fingerprintCommand(question.keyType),
              ),
              "",
              t("If you trust the key, it is stored in your SSH known hosts file, normally ~/.ssh/known_hosts."),
            ].join("\n"),
          },
          accept,
        );
        return choice === accept;
      }),
    secret: (question) =>
      inTurn(token, undefined, async () => {
        const stored = question.kind === "sudo" ? undefined : await keeper.recall(question);
        if (stored !== undefined) return stored;
        const again = question.attempt > 1 ? t("That was not accepted. ") : "";
        const secret = await vscode.window.showInputBox(
          {
            title: plainText(secretTitle(question), MOST_TEXT),
            prompt:
              question.kind === "sudo"
                ? t("{0}It is used for this command and not stored.", again)
                : t("{0}It is not stored unless you choose so after connecting.", again),
            password: true,
            ignoreFocusOut: true,
          },
          token,
        );
        if (secret !== undefined && question.kind !== "sudo") keeper.typed(question, secret);
        return secret;
      }),
    keyboardInteractive: (question) =>
      inTurn(token, undefined, async () => {
        const answers: string[] = [];
        for (const { prompt, echo } of question.prompts) {
          const answer = await vscode.window.showInputBox(
            {
              title: plainText(t("{0}@{1} asks: {2}", question.user, question.host, prompt), MOST_TEXT),
              prompt: plainText([question.name, question.instructions].filter(Boolean).join(": "), MOST_TEXT),
              password: !echo,
              ignoreFocusOut: true,
            },
            token,
          );
          if (answer === undefined) return undefined;
          answers.push(answer);
        }
        return answers;
      }),
  };
}

/** For what happens by itself: gives what is stored, and asks nobody. */
export function createQuietPrompter(keeper: SecretKeeper): Prompter {
  return {
    confirmHostKey: async () => false,
    secret: async (question) => (question.kind === "sudo" ? undefined : keeper.recall(question)),
    keyboardInteractive: async () => undefined,
  };
}

function secretTitle(question: SecretQuestion): string {
  switch (question.kind) {
    case "password":
      return t("Password of {0}@{1}", question.user, question.host);
    case "sudo":
      return t("sudo password for {1} on {0}", question.host, question.user);
    case "passphrase":
      return t("Passphrase of the key {0}", question.keyPath);
  }
}

/** @param token as createPrompter's */
export function createRiskQuestion(token: vscode.CancellationToken): RunDependencies["acceptRisk"] {
  return ({ message, suggestions }) =>
    inTurn(token, false, async () => {
      const goOn = t("Run Anyway");
      const change = t("Open Massif Settings");
      const ways = suggestions.map((suggestion) => `• ${plainText(suggestion, MOST_TEXT)}`);
      const options: vscode.MessageOptions = {
        modal: true,
        ...(ways.length === 0 ? {} : { detail: [t("What would help:"), ...ways].join("\n") }),
      };
      const choice = await vscode.window.showWarningMessage(plainText(message, MOST_RISK_TEXT), options, goOn, change);
      if (choice === change) {
        await vscode.commands.executeCommand("workbench.action.openSettings", "jetsonMemprof.massif");
      }
      return choice === goOn;
    });
}

/** One question at a time over all runs; `declined` is the answer once the run is cancelled. */
export function inTurn<Answer>(
  token: vscode.CancellationToken,
  declined: Answer,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const answer = turn.then(async () => {
    if (token.isCancellationRequested) return declined;
    const cancelled = new Promise<Answer>((resolve) => token.onCancellationRequested(() => resolve(declined)));
    return Promise.race([ask(), cancelled]);
  });
  turn = answer.catch(() => undefined);
  return answer;
}
