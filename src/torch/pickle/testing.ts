/** Writes pickles as Python's pickle does, for tests and benchmarks: everything is remembered, texts and objects once. */
import { OP } from "./opcodes.ts";

/** Dicts are objects, lists arrays or generators, tuples `Tuple`s; numbers without fraction are integers. */
export type Picklable =
  | null
  | boolean
  | number
  | bigint
  | string
  | Fresh
  | Float
  | Tuple
  | Iterable<Picklable>
  | { readonly [key: string]: Picklable };

/** A text that is another object each time: C++ makes such, Python's own are shared. */
export class Fresh {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

export class Tuple {
  readonly items: readonly Picklable[];

  constructor(...items: readonly Picklable[]) {
    this.items = items;
  }
}

const BATCH = 1000;
const FRAME_BYTES = 64 * 1024;

/** @returns the whole file */
export function pickle(value: Picklable, protocol: 2 | 3 | 4 | 5 = 4): Uint8Array {
  const pieces: Uint8Array[] = [];
  writePickle(value, (piece) => pieces.push(piece), protocol);
  return Buffer.concat(pieces);
}

/** @param write is given the file piece by piece */
export function writePickle(value: Picklable, write: (piece: Uint8Array) => void, protocol: 2 | 3 | 4 | 5 = 4): void {
  const texts = new Map<string, number>();
  const objects = new WeakMap<object, number>();
  const encoder = new TextEncoder();
  let buffer = Buffer.alloc(2 * FRAME_BYTES);
  let length = 0;
  let remembered = 0;

  function room(bytes: number): void {
    if (length >= FRAME_BYTES) flush();
    if (length + bytes <= buffer.length) return;
    const longer = Buffer.alloc(2 * (length + bytes));
    buffer.copy(longer, 0, 0, length);
    buffer = longer;
  }

  function flush(): void {
    if (protocol >= 4) {
      const head = Buffer.alloc(9);
      head[0] = OP.FRAME;
      head.writeBigUInt64LE(BigInt(length), 1);
      write(head);
    }
    write(Buffer.from(buffer.subarray(0, length)));
    length = 0;
  }

  function op(code: number, bytes = 0): void {
    room(1 + bytes);
    buffer[length++] = code;
  }

  function remember(): number {
    if (protocol >= 4) op(OP.MEMOIZE);
    else withNumber(OP.BINPUT, OP.LONG_BINPUT, remembered);
    return remembered++;
  }

  function withNumber(short: number, long: number, number: number): void {
    op(number < 256 ? short : long, 4);
    if (number < 256) buffer[length++] = number;
    else length = buffer.writeUInt32LE(number, length);
  }

  function integer(number: number | bigint): void {
    if (number >= 0 && number < 256) withNumber(OP.BININT1, OP.BININT1, Number(number));
    else if (number >= 0 && number < 65_536) {
      op(OP.BININT2, 2);
      length = buffer.writeUInt16LE(Number(number), length);
    } else if (number >= -(2 ** 31) && number < 2 ** 31) {
      op(OP.BININT, 4);
      length = buffer.writeInt32LE(Number(number), length);
    } else long(BigInt(number));
  }

  function long(number: bigint): void {
    let bytes = 1;
    while (BigInt.asIntN(8 * bytes, number) !== number) bytes++;
    op(OP.LONG1, 1 + bytes);
    buffer[length++] = bytes;
    for (let at = 0; at < bytes; at++) buffer[length++] = Number((number >> BigInt(8 * at)) & 0xffn);
  }

  function text(string: string): void {
    const bytes = encoder.encode(string);
    const short = protocol >= 4 && bytes.length < 256;
    op(short ? OP.SHORT_BINUNICODE : OP.BINUNICODE, 4 + bytes.length);
    if (short) buffer[length++] = bytes.length;
    else length = buffer.writeUInt32LE(bytes.length, length);
    buffer.set(bytes, length);
    length += bytes.length;
  }

  function sharedText(string: string): void {
    const known = texts.get(string);
    if (known !== undefined) withNumber(OP.BINGET, OP.LONG_BINGET, known);
    else {
      text(string);
      texts.set(string, remember());
    }
  }

  /** The items between marks as Python's pickle batches them. */
  function batches<T>(items: Iterable<T>, one: number, many: number, item: (value: T) => void): void {
    let batch: T[] = [];
    const end = () => {
      if (batch.length > 1) op(OP.MARK);
      batch.forEach(item);
      if (batch.length > 0) op(batch.length === 1 ? one : many);
      batch = [];
    };
    for (const value of items) if (batch.push(value) === BATCH) end();
    end();
  }

  function object(value: Exclude<Picklable, null | boolean | number | bigint | string>): void {
    const known = objects.get(value);
    if (known !== undefined) withNumber(OP.BINGET, OP.LONG_BINGET, known);
    else if (value instanceof Fresh) {
      text(value.text);
      remember();
    } else if (value instanceof Float) {
      op(OP.BINFLOAT, 8);
      length = buffer.writeDoubleBE(value.value, length);
    } else if (value instanceof Tuple) {
      if (value.items.length > 3) op(OP.MARK);
      value.items.forEach(any);
      op([OP.EMPTY_TUPLE, OP.TUPLE1, OP.TUPLE2, OP.TUPLE3][value.items.length] ?? OP.TUPLE);
      objects.set(value, remember());
    } else if (Symbol.iterator in value) {
      op(OP.EMPTY_LIST);
      objects.set(value, remember());
      batches(value as Iterable<Picklable>, OP.APPEND, OP.APPENDS, any);
    } else {
      op(OP.EMPTY_DICT);
      objects.set(value, remember());
      batches(Object.entries(value), OP.SETITEM, OP.SETITEMS, ([key, item]) => {
        sharedText(key);
        any(item);
      });
    }
  }

  function any(item: Picklable): void {
    if (item === null) op(OP.NONE);
    else if (typeof item === "boolean") op(item ? OP.NEWTRUE : OP.NEWFALSE);
    else if (typeof item === "string") sharedText(item);
    else if (typeof item === "object") object(item);
    else integer(item);
  }

  write(Uint8Array.of(OP.PROTO, protocol));
  any(value);
  op(OP.STOP);
  flush();
}
