/** Lines and counted bytes out of a stream, holding no more than one line or chunk in memory. */

import { t } from "../../words/t.ts";
import { growingBytes } from "./growingBytes.ts";

export interface ByteReader {
  /** The next line without its newline; undefined at the end. Throws `StreamFault` for a torn or too long line. */
  line(maxBytes: number): Promise<string | undefined>;
  /** Exactly `count` bytes, in pieces as they come. Throws `StreamFault` where the stream ends before. */
  bytes(count: number): AsyncGenerator<Buffer, void>;
}

/** The stream does not hold what was announced. */
export class StreamFault extends Error {
  readonly kind: "torn" | "too-long";

  constructor(kind: "torn" | "too-long", message: string) {
    super(message);
    this.name = "StreamFault";
    this.kind = kind;
  }
}

const NEWLINE = 0x0a;

export function createByteReader(source: AsyncIterable<Buffer>): ByteReader {
  const chunks = source[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);

  async function more(): Promise<Buffer | undefined> {
    const next = await chunks.next();
    return next.done === true ? undefined : next.value;
  }

  /** What is held up to the next newline, which is passed over. */
  function takeToNewline(): { readonly part: Buffer; readonly ended: boolean } {
    const end = held.indexOf(NEWLINE);
    const part = end < 0 ? held : held.subarray(0, end);
    held = end < 0 ? Buffer.alloc(0) : held.subarray(end + 1);
    return { part, ended: end >= 0 };
  }

  async function line(maxBytes: number): Promise<string | undefined> {
    const gathered = growingBytes();
    for (;;) {
      const { part, ended } = takeToNewline();
      if (gathered.length + part.length > maxBytes) {
        throw new StreamFault("too-long", t("a line is longer than {0} bytes", maxBytes));
      }
      // Most lines lie in one piece and need not be gathered.
      if (ended && gathered.length === 0) return part.toString("utf8");
      gathered.add(part);
      if (ended) return gathered.view().toString("utf8");
      const next = await more();
      if (next === undefined && gathered.length === 0) return undefined;
      if (next === undefined) throw new StreamFault("torn", t("the output ends in the middle of a line"));
      held = next;
    }
  }

  async function* bytes(count: number): AsyncGenerator<Buffer, void> {
    let left = count;
    while (left > 0) {
      if (held.length === 0) {
        const next = await more();
        if (next === undefined) throw new StreamFault("torn", t("{0} of {1} announced bytes are missing", left, count));
        held = next;
        continue;
      }
      const part = held.subarray(0, left);
      held = held.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  return { line, bytes };
}
