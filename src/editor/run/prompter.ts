/** Asks the person at the editor what a connection needs to know, one question at a time over all runs. */
import * as vscode from "vscode";
import type { Prompter, RunDependencies, SecretQuestion } from "../../protocol/board.ts";
import { plainText } from "../plainText.ts";
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
        const accept = "Trust This Key and Connect";
        const via = question.via.length === 0 ? [] : [`Reached through: ${question.via.join(" → ")}`];
        const facts = [...via, `Key type: ${question.keyType}`, `Fingerprint: ${question.fingerprint}`];
        const choice = await vscode.window.showWarningMessage(
          `The host ${plainText(question.host, MOST_TEXT)} is not known yet.`,
          {
            modal: true,
            detail: [
              ...facts.map((fact) => plainText(fact, MOST_TEXT)),
              "",
              "Compare the fingerprint with the board's own. It is printed on the board by " +
                "ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub (ecdsa or rsa for the other key types).",
              "",
              "If you trust the key, it is stored in your SSH known hosts file, normally ~/.ssh/known_hosts.",
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
        const again = question.attempt > 1 ? "That was not accepted. " : "";
        const secret = await vscode.window.showInputBox(
          {
            title: plainText(secretTitle(question), MOST_TEXT),
            prompt:
              question.kind === "sudo"
                ? `${again}It is used for this command and not stored.`
                : `${again}It is not stored unless you choose so after connecting.`,
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
              title: plainText(`${question.user}@${question.host} asks: ${prompt}`, MOST_TEXT),
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

function secretTitle(question: SecretQuestion): string {
  switch (question.kind) {
    case "password":
      return `Password of ${question.user}@${question.host}`;
    case "sudo":
      return `Password that sudo on ${question.host} wants of ${question.user}`;
    case "passphrase":
      return `Passphrase of the key ${question.keyPath}`;
  }
}

/** @param token as createPrompter's */
export function createRiskQuestion(token: vscode.CancellationToken): RunDependencies["acceptRisk"] {
  return ({ message, suggestions }) =>
    inTurn(token, false, async () => {
      const goOn = "Run Anyway";
      const change = "Open Massif Settings";
      const ways = suggestions.map((suggestion) => `• ${plainText(suggestion, MOST_TEXT)}`);
      const options: vscode.MessageOptions = {
        modal: true,
        ...(ways.length === 0 ? {} : { detail: ["What would help:", ...ways].join("\n") }),
      };
      const choice = await vscode.window.showWarningMessage(plainText(message, MOST_RISK_TEXT), options, goOn, change);
      if (choice === change) {
        await vscode.commands.executeCommand("workbench.action.openSettings", "jetsonMemprof.massif");
      }
      return choice === goOn;
    });
}

function inTurn<Answer>(
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
