/** What a person typed, kept out of all that is shown and written: a board or a server may repeat it. Pure. */
import { UserError } from "../profile/userError.ts";
import type { Prompter } from "../protocol/run/run.ts";

const MASK = "•••";
/** Anything shorter would take ordinary words apart, and is no secret. */
const SHORTEST = 4;

/** The prompter; what is typed in answer to hidden questions is added to `secrets`. */
export function noting(prompter: Prompter, secrets: Set<string>): Prompter {
  return {
    confirmHostKey: (question) => prompter.confirmHostKey(question),
    async secret(question) {
      const typed = await prompter.secret(question);
      if (typed !== undefined) secrets.add(typed);
      return typed;
    },
    async keyboardInteractive(question) {
      const answers = await prompter.keyboardInteractive(question);
      for (const [index, answer] of (answers ?? []).entries()) {
        if (question.prompts[index]?.echo === false) secrets.add(answer);
      }
      return answers;
    },
  };
}

export function conceal(text: string, secrets: Iterable<string>): string {
  return longestFirst(secrets).reduce((shown, secret) => shown.replaceAll(secret, MASK), text);
}

/** The same error without them; what caused it is left out where it may hold them too. */
export function concealIn<E>(error: E, secrets: Iterable<string>): E | UserError {
  if (!(error instanceof UserError)) return error;
  const all = [...secrets];
  const message = conceal(error.message, all);
  const hint = error.hint === undefined ? undefined : conceal(error.hint, all);
  return message === error.message && hint === error.hint ? error : new UserError(error.code, message, hint);
}

export interface Concealing {
  take(data: Buffer): void;
  /** To be called when no more comes. */
  end(): void;
}

/** Passes bytes on as they come, with the mask where the secret was; what may be its beginning waits for the rest. */
export function concealing(secret: string | undefined, pass: (data: Buffer) => void): Concealing {
  const wanted = Buffer.from(secret ?? "");
  const mask = Buffer.from(MASK);
  let held: Buffer = Buffer.alloc(0);
  const give = (data: Buffer): void => {
    if (data.length > 0) pass(data);
  };
  return {
    take(data) {
      if (wanted.length < SHORTEST) return give(data);
      held = Buffer.concat([held, data]);
      for (let at = held.indexOf(wanted); at >= 0; at = held.indexOf(wanted)) {
        give(Buffer.concat([held.subarray(0, at), mask]));
        held = held.subarray(at + wanted.length);
      }
      const waiting = possibleBeginning(held, wanted);
      give(held.subarray(0, held.length - waiting));
      held = held.subarray(held.length - waiting);
    },
    end: () => give(held),
  };
}

/** How many bytes at the end of `data` may be the beginning of `wanted`. */
export function possibleBeginning(data: Buffer, wanted: Buffer): number {
  for (let length = Math.min(data.length, wanted.length - 1); length > 0; length--) {
    if (data.subarray(data.length - length).equals(wanted.subarray(0, length))) return length;
  }
  return 0;
}

/** So that of two secrets of which one is in the other nothing is left over. */
function longestFirst(secrets: Iterable<string>): readonly string[] {
  return [...secrets].filter(({ length }) => length >= SHORTEST).sort((a, b) => b.length - a.length);
}
