/** Cuts appended bytes into whole lines; what has no line end yet waits for the next bytes. */

/** No record we write comes near this; longer ones are dropped so that a broken file cannot fill the memory. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

export interface LineSplitter {
  /** The lines completed by `bytes`, without their `\n`. */
  push(bytes: Uint8Array): string[];
}

export function createLineSplitter(): LineSplitter {
  const decoder = new TextDecoder("utf-8");
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let dropping = false;

  function keep(part: Uint8Array): void {
    if (dropping || part.length === 0) return;
    if (waitingBytes + part.length > MAX_LINE_BYTES) {
      waiting = [];
      waitingBytes = 0;
      dropping = true;
      return;
    }
    // A copy, which slice() of a Buffer is not: who reads uses the same one again.
    waiting.push(new Uint8Array(part));
    waitingBytes += part.length;
  }

  function complete(): string | undefined {
    const line = dropping ? undefined : decoder.decode(Buffer.concat(waiting, waitingBytes));
    waiting = [];
    waitingBytes = 0;
    dropping = false;
    return line;
  }

  /** The line that ends with `part`; undefined where it is dropped. */
  function rest(part: Uint8Array): string | undefined {
    keep(part);
    return complete();
  }

  return {
    push(bytes) {
      const lines: string[] = [];
      let from = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
        const part = bytes.subarray(from, end);
        // Nearly all: whole, and so not copied.
        const line =
          waiting.length === 0 && !dropping && part.length <= MAX_LINE_BYTES ? decoder.decode(part) : rest(part);
        if (line !== undefined) lines.push(line);
        from = end + 1;
      }
      keep(bytes.subarray(from));
      return lines;
    },
  };
}
