/** Where the command writes. A reader that went away (`| head`) ends the writing, not the run. */
import { StringDecoder } from "node:string_decoder";
import { createTerminalText } from "../../profile/text/terminalText.ts";

export interface Output {
  readonly isTerminal: boolean;
  /** Characters in a terminal's line. */
  readonly columns: number;
  write(data: string | Uint8Array): void;
  /** Resolves when nothing can be written any more. */
  readonly ended: Promise<void>;
  /** What went wrong with the writing, so far; a reader that went away is no fault. */
  readonly fault: Error | undefined;
  /** Resolves when everything written has been handed over. */
  flushed(): Promise<void>;
}

export function createOutput(stream: NodeJS.WriteStream): Output {
  let open = true;
  let fault: Error | undefined;
  const ended = new Promise<void>((resolve) =>
    stream.on("error", (error: NodeJS.ErrnoException) => {
      open = false;
      if (error.code !== "EPIPE") fault ??= error;
      resolve();
    }),
  );
  return {
    ended,
    get fault() {
      return fault;
    },
    isTerminal: stream.isTTY === true,
    get columns() {
      // A terminal that was not told its size says 0.
      return stream.columns || 80;
    },
    write(data) {
      if (open) stream.write(data);
    },
    flushed: () =>
      new Promise((resolve) => {
        if (!open) return resolve();
        const done = () => {
          stream.off("error", done);
          resolve();
        };
        stream.once("error", done);
        stream.write("", done);
      }),
  };
}

/**
 * What a program on the board prints: byte for byte, but for what would do more with a terminal than show text.
 * @returns writes the next piece
 */
export function passingOn(output: Output): (data: Uint8Array) => void {
  if (!output.isTerminal) return (data) => output.write(data);
  const decoder = new StringDecoder("utf8");
  const harmless = createTerminalText();
  return (data) => output.write(harmless.take(decoder.write(data as Buffer)));
}

/** Colors go to a terminal that has them and a person who did not refuse them (https://no-color.org). */
export function showsColors(output: Output, env: NodeJS.ProcessEnv): boolean {
  return output.isTerminal && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

/**
 * As JSON, escaped where a terminal would obey the characters or hide what stands beside them.
 * @param indent spaces for each level; 0 for one line
 */
export function jsonText(value: object, indent = 2): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `${JSON.stringify(value, null, indent).replace(/[^\P{Cc}\n]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, escaped)}\n`;
}
