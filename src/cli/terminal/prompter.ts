/** Asks in the terminal what reaching a board takes: host keys, passwords, passphrases. Nothing is stored. */
import { printable, printableLines } from "../../profile/text/text.ts";
import { createTurns } from "../../profile/turns.ts";
import type { HostKeyQuestion, Prompter, SecretQuestion } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";
import type { Input } from "./input.ts";
import type { Output } from "./output.ts";
import type { StatusLine } from "./statusLine.ts";

const TRIES = 3;

export function createPrompter(input: Input, output: Output, status: StatusLine): Prompter {
  const inTurn = createTurns();

  /** Questions come one after the other, and only where somebody can answer. */
  function ask<T>(refusal: { value: T; needs: string; advice: string }, question: () => Promise<T>): Promise<T> {
    return inTurn(async () => {
      status.clear();
      if (input.isTerminal) return await question();
      output.write(t("{0}, and standard input is not a terminal. {1}\n", refusal.needs, refusal.advice));
      return refusal.value;
    });
  }

  return {
    confirmHostKey: (question) =>
      ask(
        {
          value: false,
          needs: t("The key of {0} ({1}) is not known yet", printable(question.host), printable(question.fingerprint)),
          advice: t("Connect once with ssh, or run this in a terminal, to check and accept it."),
        },
        async () => {
          output.write(hostKeyText(question));
          return await yesOrNo(input, output, t("Connect and remember this key? Type yes or no: "));
        },
      ),
    secret: (question) =>
      ask(
        {
          value: undefined,
          needs: t("{0} is needed", secretName(question)),
          advice: t("Use an ssh agent or a key without passphrase, or run this in a terminal."),
        },
        () => typed(input, output, `${again(question.attempt)}${secretName(question)}: `, true),
      ),
    keyboardInteractive: (question) =>
      ask<readonly string[] | undefined>(
        {
          value: undefined,
          needs: t("{0} asks questions before it lets {1} in", printable(question.host), printable(question.user)),
          advice: t("Use an ssh agent or a key, or run this in a terminal."),
        },
        async () => {
          for (const text of [question.name, question.instructions])
            if (text !== "") output.write(`${printableLines(text)}\n`);
          const answers: string[] = [];
          for (const { prompt, echo } of question.prompts) {
            const answer = await typed(
              input,
              output,
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

/** Asks, some times where the answer is neither; the end of the input is a no. */
export async function yesOrNo(input: Input, output: Output, question: string): Promise<boolean> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const answer = (await typed(input, output, question, false))?.trim().toLowerCase();
    if (answer === "yes") return true;
    if (answer === "no" || answer === undefined) return false;
  }
  return false;
}

async function typed(input: Input, output: Output, prompt: string, hidden: boolean): Promise<string | undefined> {
  // The terminal is silent before the question shows: whoever types at once is not shown either.
  const answer = input.line(hidden);
  output.write(prompt);
  const line = await answer;
  if (hidden || line === undefined) output.write("\n");
  return line;
}

function hostKeyText({ host, keyType, fingerprint, via, known }: HostKeyQuestion): string {
  const way = via.length === 0 ? "" : t(", reached through {0},", via.map(printable).join(", "));
  const kind = /ed25519|ecdsa|dsa|rsa/.exec(keyType)?.[0] ?? "ed25519";
  const news =
    known === undefined
      ? t("The host {0}{1} is not known yet.", printable(host), way)
      : t(
          "The host {0}{1} is known by a different key, {2}, and not by this one.",
          printable(host),
          way,
          printable(known),
        );
  return [
    t("{0} Its {1} key has the fingerprint", news, printable(keyType)),
    `  ${printable(fingerprint)}`,
    t("Compare it with what the board itself shows (ssh-keygen -lf /etc/ssh/ssh_host_{0}_key.pub).\n", kind),
  ].join("\n");
}

function secretName(question: SecretQuestion): string {
  switch (question.kind) {
    case "password":
      return t("The password of {0}@{1}", printable(question.user), printable(question.host));
    case "sudo":
      return t("The sudo password for {1} on {0}", printable(question.host), printable(question.user));
    case "passphrase":
      return t("The passphrase of the key {0}", printable(question.keyPath));
  }
}

function again(attempt: number): string {
  return attempt > 1 ? t("That was not correct. ") : "";
}
