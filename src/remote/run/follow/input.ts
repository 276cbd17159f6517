/** What a person types for the script, on its way to the board. */

export interface ControlLine {
  /** With its newline. */
  readonly line: string;
  /** Of the script's input in it. */
  readonly bytes: number;
}

export interface InputQueue {
  /** Bytes for the script's standard input; false where too much is waiting already. */
  push(data: Uint8Array): boolean;
  /** Resolves when little is waiting, or when the input was ended. */
  room(): Promise<void>;
  /** Ends the script's standard input after what was pushed. */
  close(): void;
  /** The next control line; waits until there is one or `signal` aborts (then undefined). */
  next(signal: AbortSignal): Promise<ControlLine | undefined>;
  /** A connection begins: the end of the input is told again, as the telling may have been lost with the last one. */
  renew(): void;
}

/** A control line stays well below what the helper takes. */
const PIECE = 64 * 1024;
const WAITING_LIMIT = 64 * 1024 * 1024;
const ROOM = 1024 * 1024;
const END = { close_input: true };

export function createInputQueue(): InputQueue {
  const waiting: ControlLine[] = [];
  let bytes = 0;
  let closed = false;
  let wake: () => void = () => {};
  let forRoom: (() => void)[] = [];
  const tellRoom = (): void => {
    if (!closed && bytes > ROOM) return;
    for (const resolve of forRoom) resolve();
    forRoom = [];
  };
  const add = (message: object, size: number): void => {
    waiting.push({ line: `${JSON.stringify(message)}\n`, bytes: size });
    bytes += size;
    wake();
  };
  return {
    push(data) {
      if (closed || bytes + data.length > WAITING_LIMIT) return false;
      for (let start = 0; start < data.length; start += PIECE) {
        const piece = Buffer.from(data.subarray(start, start + PIECE));
        add({ input: piece.toString("base64") }, piece.length);
      }
      return true;
    },
    room: () =>
      new Promise((resolve) => {
        forRoom.push(resolve);
        tellRoom();
      }),
    close() {
      if (!closed) add(END, 0);
      closed = true;
      tellRoom();
    },
    renew() {
      if (closed && waiting.length === 0) add(END, 0);
    },
    async next(signal) {
      while (waiting.length === 0 && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = () => {
            signal.removeEventListener("abort", wake);
            resolve();
          };
          signal.addEventListener("abort", wake);
        });
      }
      if (signal.aborted) return undefined;
      const first = waiting.shift();
      bytes -= first?.bytes ?? 0;
      tellRoom();
      return first;
    },
  };
}
