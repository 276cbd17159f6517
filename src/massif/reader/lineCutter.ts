/** Cuts a file that comes in chunks into lines, without copying more than what a chunk leaves unfinished. */

/** Longer lines are no massif line: a label is at most a few KiB, and a command line's arguments 2 MiB in all. */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** How a line came to its end; of one that is `too-long` only the first MAX_LINE_BYTES are there. */
export type LineEnd = "newline" | "end-of-file" | "too-long";

export interface LineSink {
  /**
   * Offers what is left of a chunk, from the beginning of a line; the sink may take whole lines that it knows how to
   * read in one go.
   * @param start offset of that line in the file
   * @returns where the first line begins that it did not take; `from` when it takes none
   */
  lines(bytes: Uint8Array, from: number, start: number): number;
  /**
   * One line lies in `bytes` from `from` to `to`, without its `\n` or `\r\n`; only valid during the call.
   * @param next offset in the file of the line after it
   */
  line(bytes: Uint8Array, from: number, to: number, end: LineEnd, next: number): void;
}

export interface LineCutter {
  push(chunk: Uint8Array): void;
  /** Hands out a last line that has no `\n`. */
  end(): void;
}

const NEWLINE = 10;
const RETURN = 13;
const NOTHING = new Uint8Array(0);

/** @param offset of the first chunk in the file */
export function createLineCutter(sink: LineSink, offset = 0): LineCutter {
  /** The beginning of a line whose end has not come yet, in `held[0..heldBytes)`. */
  let held = NOTHING;
  let heldBytes = 0;
  /** Offset of the line that is being read, and of the next byte to come. */
  let lineStart = offset;
  let position = offset;

  function hold(chunk: Uint8Array, from: number, to: number): void {
    const room = MAX_LINE_BYTES - heldBytes;
    const part = chunk.subarray(from, Math.min(to, from + room));
    if (heldBytes + part.length > held.length) {
      const larger = new Uint8Array(Math.min(MAX_LINE_BYTES, Math.max(4096, 2 * (heldBytes + part.length))));
      larger.set(held.subarray(0, heldBytes));
      held = larger;
    }
    held.set(part, heldBytes);
    heldBytes += part.length;
  }

  function emit(bytes: Uint8Array, from: number, to: number, newline: boolean, next: number): void {
    const tooLong = next - lineStart - (newline ? 1 : 0) > to - from;
    const content = to > from && bytes[to - 1] === RETURN ? to - 1 : to;
    const end = tooLong ? "too-long" : newline ? "newline" : "end-of-file";
    sink.line(bytes, from, content, end, next);
    lineStart = next;
  }

  return {
    push(chunk) {
      let from = 0;
      while (from < chunk.length) {
        if (heldBytes === 0) {
          from = sink.lines(chunk, from, lineStart);
          lineStart = position + from;
        }
        const end = chunk.indexOf(NEWLINE, from);
        if (end < 0) break;
        const next = position + end + 1;
        if (heldBytes > 0) {
          hold(chunk, from, end);
          emit(held, 0, heldBytes, true, next);
          heldBytes = 0;
        } else {
          emit(chunk, from, Math.min(end, from + MAX_LINE_BYTES), true, next);
        }
        from = end + 1;
      }
      hold(chunk, from, chunk.length);
      position += chunk.length;
    },
    end() {
      if (heldBytes > 0) emit(held, 0, heldBytes, false, position);
      heldBytes = 0;
    },
  };
}
