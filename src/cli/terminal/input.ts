/** Standard input: answers to our questions first, then the script's own. */
import type { Readable } from "node:stream";
import type { ReadStream } from "node:tty";

export interface Input {
  readonly isTerminal: boolean;
  /**
   * Reads one line.
   * @param hidden does not show what is typed (terminals only)
   * @returns undefined where the input ended or the person pressed Ctrl-C
   */
  line(hidden: boolean): Promise<string | undefined>;
  /** Gives up the line that is being read. */
  abandon(): void;
  /** Passes everything on, byte for byte, until `stop`; the next bytes are read when `data` has resolved. */
  forward(to: { data(bytes: Uint8Array): Promise<void>; end(): void }): void;
  /** Lets the program end although there may be more to read. */
  stop(): void;
}

type Source = Readable & Partial<Pick<ReadStream, "isTTY" | "setRawMode">>;

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const BACKSPACE = /[\b\u007f]/;

/** @param onInterrupt Ctrl-C while what is typed is hidden: the terminal then sends no signal */
export function createInput(stream: Source, onInterrupt: () => void): Input {
  let abandon = () => {};
  let stop = () => {};

  function read(take: (character: string) => "more" | "done" | "none"): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (given: boolean, rest = "") => {
        stream.off("data", onData);
        stream.off("end", onEnd);
        stream.pause();
        abandon = () => {};
        if (rest !== "") stream.unshift(Buffer.from(rest));
        resolve(given);
      };
      const onData = (data: Uint8Array | string) => {
        const characters = [...(typeof data === "string" ? data : Buffer.from(data).toString("utf8"))];
        for (const [position, character] of characters.entries()) {
          const result = take(character);
          if (result !== "more") return finish(result === "done", characters.slice(position + 1).join(""));
        }
      };
      const onEnd = () => finish(false);
      if (stream.readableEnded) {
        resolve(false);
        return;
      }
      abandon = () => finish(false);
      stream.on("data", onData);
      stream.on("end", onEnd);
      stream.resume();
    });
  }

  async function readLine(): Promise<string | undefined> {
    const typed: string[] = [];
    const given = await read((character) => {
      if (character === "\n" || character === "\r") return "done";
      if (character === CTRL_C) onInterrupt();
      if (character === CTRL_C || character === CTRL_D) return "none";
      if (BACKSPACE.test(character)) typed.pop();
      else typed.push(character);
      return "more";
    });
    return given ? typed.join("") : undefined;
  }

  return {
    isTerminal: stream.isTTY === true,
    async line(hidden) {
      if (!hidden) return await readLine();
      stream.setRawMode?.(true);
      try {
        return await readLine();
      } finally {
        stream.setRawMode?.(false);
      }
    },
    abandon: () => abandon(),
    forward(to) {
      if (stream.readableEnded) {
        to.end();
        return;
      }
      let forwarding = true;
      const onData = async (data: Uint8Array | string) => {
        stream.pause();
        await to.data(typeof data === "string" ? Buffer.from(data) : data);
        if (forwarding) stream.resume();
      };
      const onEnd = () => to.end();
      stream.on("data", onData);
      stream.on("end", onEnd);
      stream.on("error", onEnd);
      stop = () => {
        forwarding = false;
        stream.off("data", onData);
        stream.off("end", onEnd);
        stream.off("error", onEnd);
      };
      stream.resume();
    },
    stop() {
      stop();
      stream.pause();
    },
  };
}
