/** Asks in the terminal what reaching a board takes: host keys, passwords, passphrases. Nothing is stored. */
import { printable, printableLines } from "../profile/text.ts";
import type { HostKeyQuestion, Prompter, SecretQuestion } from "../protocol/board.ts";
import type { Input } from "./input.ts";
import type { Output } from "./output.ts";
import type { StatusLine } from "./statusLine.ts";

const TRIES = 3;

export function createPrompter(input: Input, output: Output, status: StatusLine): Prompter {
  let turn: Promise<unknown> = Promise.resolve();

  /** Questions come one after the other, and only where somebody can answer. */
  function ask<T>(refusal: { value: T; needs: string; advice: string }, question: () => Promise<T>): Promise<T> {
    const result = turn.then(async () => {
      status.clear();
      if (input.isTerminal) return await question();
      output.write(`${refusal.needs}, and standard input is not a terminal. ${refusal.advice}\n`);
      return refusal.value;
    });
    turn = result.catch(() => {});
    return result;
  }

  async function typed(prompt: string, hidden: boolean): Promise<string | undefined> {
    output.write(prompt);
    const line = await input.line(hidden);
    if (hidden || line === undefined) output.write("\n");
    return line;
  }

  return {
    confirmHostKey: (question) =>
      ask(
        {
          value: false,
          needs: `The key of ${printable(question.host)} (${printable(question.fingerprint)}) is not known yet`,
          advice: "Connect once with ssh, or run this in a terminal, to check and accept it.",
        },
        async () => {
          output.write(hostKeyText(question));
          return await yesOrNo(() => typed("Connect and remember this key? Type yes or no: ", false));
        },
      ),
    secret: (question) =>
      ask(
        {
          value: undefined,
          needs: `${secretName(question)} is needed`,
          advice: "Use an ssh agent or a key without passphrase, or run this in a terminal.",
        },
        () => typed(`${again(question.attempt)}${secretName(question)}: `, true),
      ),
    keyboardInteractive: (question) =>
      ask<readonly string[] | undefined>(
        {
          value: undefined,
          needs: `${printable(question.host)} asks questions before it lets ${printable(question.user)} in`,
          advice: "Use an ssh agent or a key, or run this in a terminal.",
        },
        async () => {
          for (const text of [question.name, question.instructions])
            if (text !== "") output.write(`${printableLines(text)}\n`);
          const answers: string[] = [];
          for (const { prompt, echo } of question.prompts) {
            const answer = await typed(
              `(${printable(question.user)}@${printable(question.host)}) ${printable(prompt)}`,
              !echo,
            );
            if (answer === undefined) return undefined;
            answers.push(answer);
          }
          return answers;
        },
      ),
  };
}

/** @param ask shows the question and reads a line */
export async function yesOrNo(ask: () => Promise<string | undefined>): Promise<boolean> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const answer = (await ask())?.trim().toLowerCase();
    if (answer === "yes") return true;
    if (answer === "no" || answer === undefined) return false;
  }
  return false;
}

function hostKeyText({ host, keyType, fingerprint, via }: HostKeyQuestion): string {
  const way = via.length === 0 ? "" : `, reached through ${via.map(printable).join(", ")},`;
  const kind = /ed25519|ecdsa|dsa|rsa/.exec(keyType)?.[0] ?? "ed25519";
  return [
    `The host ${printable(host)}${way} is not known yet. Its ${printable(keyType)} key has the fingerprint`,
    `  ${printable(fingerprint)}`,
    `Compare it with what the board itself shows (ssh-keygen -lf /etc/ssh/ssh_host_${kind}_key.pub).\n`,
  ].join("\n");
}

function secretName(question: SecretQuestion): string {
  switch (question.kind) {
    case "password":
      return `The password of ${printable(question.user)}@${printable(question.host)}`;
    case "sudo":
      return `The password that sudo on ${printable(question.host)} wants of ${printable(question.user)}`;
    case "passphrase":
      return `The passphrase of the key ${printable(question.keyPath)}`;
  }
}

function again(attempt: number): string {
  return attempt > 1 ? "That was not right. " : "";
}
