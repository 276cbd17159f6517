/**
 * The events of a Chrome trace as they come, without the file ever being in memory as a whole: the objects in the array
 * `traceEvents` of the outermost object, or in the outermost array.
 */
export interface EventSplitter {
  /** Takes the next piece; `onEvent` is called with the text of each event that ended in it. */
  push(piece: Uint8Array): void;
  /** The array of events has ended: what comes after it is of no interest. */
  readonly ended: boolean;
  /** Events too long to be read. */
  readonly skipped: number;
}

/** An event is a few hundred bytes, with a call stack some KiB. */
const LONGEST_EVENT = 1024 * 1024;
const KEY = "traceEvents";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

export function createEventSplitter(onEvent: (text: string) => void): EventSplitter {
  const decoder = new TextDecoder();
  let depth = 0;
  let inString = false;
  let escaped = false;
  /** The string at depth 1 that is being read or was read last, and whether a colon came after it. */
  let word = "";
  let isKey = false;
  /** Depth inside the array of events; 0: not there yet. */
  let eventsDepth = 0;
  let ended = false;
  let parts: Uint8Array[] = [];
  let size = 0;
  let skipped = 0;

  function keep(part: Uint8Array): void {
    size += part.length;
    // A copy, which slice() of a Buffer is not: the caller may use its piece again.
    if (size <= LONGEST_EVENT) parts.push(new Uint8Array(part));
  }

  function finish(last: Uint8Array): void {
    keep(last);
    if (size > LONGEST_EVENT) skipped += 1;
    else onEvent(parts.map((part, place) => decoder.decode(part, { stream: place < parts.length - 1 })).join(""));
    parts = [];
    size = 0;
  }

  function insideString(byte: number): void {
    if (byte === QUOTE && !escaped) inString = false;
    // With its backslashes: the key has none.
    else if (depth === 1 && word.length <= KEY.length) word += String.fromCharCode(byte);
    escaped = byte === BACKSLASH && !escaped;
  }

  function open(byte: number): void {
    const isEvents = byte === OPEN_ARRAY && (depth === 0 || (depth === 1 && isKey && word === KEY));
    depth += 1;
    if (isEvents && eventsDepth === 0) eventsDepth = depth;
    isKey = false;
  }

  function outsideString(byte: number): void {
    if (byte === QUOTE) {
      inString = true;
      if (depth === 1) {
        word = "";
        isKey = false;
      }
    } else if (byte === COLON) isKey = depth === 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) open(byte);
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
  }

  /** The text of an event begins or ends at this byte. */
  function mark(piece: Uint8Array, at: number, before: number, start: number): number {
    if (before === eventsDepth && depth > before) return at;
    if (depth === eventsDepth && before > depth) finish(piece.subarray(start, at + 1));
    else if (depth < eventsDepth) ended = true;
    return start;
  }

  return {
    push(piece) {
      let start = 0;
      for (let at = 0; at < piece.length && !ended; at += 1) {
        const byte = piece[at] ?? 0;
        if (inString) {
          insideString(byte);
          continue;
        }
        const before = depth;
        outsideString(byte);
        if (eventsDepth > 0 && depth !== before) start = mark(piece, at, before, start);
      }
      if (!ended && eventsDepth > 0 && depth > eventsDepth) keep(piece.subarray(start));
    },
    get ended() {
      return ended;
    },
    get skipped() {
      return skipped;
    },
  };
}
