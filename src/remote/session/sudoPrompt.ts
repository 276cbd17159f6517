/** Telling sudo's questions for a password from what a command prints. */
import { possibleBeginning } from "../secrets.ts";

export interface PromptFilter {
  take(data: Buffer): void;
  /**
   * To be called when no more comes.
   * @returns whose password was asked for in the first question that nobody answered
   */
  end(): string | undefined;
}

/** A name is short; a mark without an end after so many bytes is no question. */
const NAME_LIMIT = 100;

/**
 * Questions have the form `mark:name:`; all else is passed on, as soon as it cannot be the beginning of one. What comes
 * after an unanswered question is not: it is only sudo's complaint about that.
 * @param mark undefined: there are no questions
 * @param answers how many questions are answered
 */
export function withoutPrompts(mark: string | undefined, answers: number, pass: (data: Buffer) => void): PromptFilter {
  const begin = mark === undefined ? undefined : Buffer.from(`${mark}:`);
  const asked: string[] = [];
  let held: Buffer = Buffer.alloc(0);

  function give(length: number): void {
    if (length > 0 && asked.length <= answers) pass(held.subarray(0, length));
    held = held.subarray(length);
  }

  function sift(start: Buffer): void {
    for (;;) {
      const at = held.indexOf(start);
      if (at < 0) {
        give(held.length - possibleBeginning(held, start));
        return;
      }
      give(at);
      const end = held.indexOf(":", start.length);
      if (end < 0 && held.length < start.length + NAME_LIMIT) return;
      if (end < 0 || end > start.length + NAME_LIMIT) give(start.length);
      else {
        asked.push(held.toString("utf8", start.length, end));
        held = held.subarray(end + 1);
      }
    }
  }

  return {
    take(data) {
      if (begin === undefined) {
        pass(data);
        return;
      }
      held = Buffer.concat([held, data]);
      sift(begin);
    },
    end() {
      give(held.length);
      return asked[answers];
    },
  };
}
