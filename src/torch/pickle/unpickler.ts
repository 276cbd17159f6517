/**
 * Reads pickles of data, from bytes that nobody vouches for. It follows only the instructions of `OP`; nothing in a file
 * can name code, but for the classes that the caller takes as data: of those only the states are kept, nothing runs.
 * Time grows with the file's length alone: each container is looked at once, however often it is used.
 *
 * A `fold` sees each list and dict when it is put into another container, which Python's pickle does when it is
 * complete, and may let something smaller stand for it. So a file of millions of dicts never has them all in memory.
 */
import { defined } from "../../profile/defined.ts";
import { formatBytes } from "../../profile/text/format.ts";
import { t } from "../../words/t.ts";
import { cutOff, damagedAt, foreign, refused, tooLarge } from "./errors.ts";
import { largeInteger, smallInteger } from "./integers.ts";
import { type Budget, LIMITS } from "./limits.ts";
import { ARGUMENT_BYTES, IS_COUNTED, NOT_READ, OBJECT_OP, OP } from "./opcodes.ts";
import { COST, createStack, type Fold } from "./stack.ts";
import { createTexts } from "./texts.ts";
import { type Folded, PickleClass, PickleDict, PickleList, PickleTuple, type PickleValue } from "./values.ts";

export interface Unpickler {
  /** Reads on. @throws UserError `pickle-refused`, `pickle-damaged`, `pickle-foreign`, `pickle-too-large`, and what `fold` throws */
  push(chunk: Uint8Array): void;
  /** @throws UserError `pickle-damaged`: the file ends too early */
  finish(): { readonly value: PickleValue; readonly bytesAfter: number };
}

export interface UnpicklerOptions {
  readonly fold: Fold;
  readonly budget: Budget;
  /** As StackOptions. */
  readonly countedItem?: Folded;
  /** Texts that the file is likely to hold. */
  readonly texts: readonly string[];
  /** `module.name` of the classes whose objects the file may hold; absent: none. */
  readonly classes?: ReadonlySet<string>;
}

export function createUnpickler({ fold, countedItem, budget, texts, classes }: UnpicklerOptions): Unpickler {
  const strings = createTexts(texts);
  let bytes: Uint8Array = new Uint8Array(0);
  let view = new DataView(bytes.buffer);
  /** Of the instruction, in `bytes`; and of `bytes` in the file. */
  let at = 0;
  let before = 0;
  let begun = false;
  let result: { readonly value: PickleValue } | undefined;
  let bytesAfter = 0;

  const stack = createStack({ fold, budget, offset: () => before + at, ...defined({ countedItem }) });

  /** Bytes that the instruction's own count announces. */
  function counted(opcode: number): number {
    switch (opcode) {
      case OP.SHORT_BINUNICODE:
      case OP.SHORT_BINBYTES:
      case OP.LONG1:
        return bytes[at + 1] ?? 0;
      case OP.BINUNICODE:
      case OP.BINBYTES:
        return limited(view.getUint32(at + 1, true), LIMITS.text, t("a text"));
      case OP.BINUNICODE8:
      case OP.BINBYTES8:
        return limited(Number(view.getBigUint64(at + 1, true)), LIMITS.text, t("a text"));
      case OP.LONG4:
        return limited(view.getUint32(at + 1, true), LIMITS.integer, t("a number"));
      default:
        return 0;
    }
  }

  function limited(count: number, limit: number, what: string): number {
    if (count > limit)
      throw tooLarge(
        t("The file says that {0} of {1} bytes follows byte {2}. That is not read.", what, count, before + at),
      );
    return count;
  }

  function text(from: number, to: number): string {
    const value = strings.read(bytes, from, to);
    if (strings.fresh) budget.take(COST.object + 2 * value.length);
    return value;
  }

  function copied(from: number, to: number): Uint8Array {
    budget.take(COST.object * 2 + to - from);
    // slice() of a Buffer would keep the whole piece of the file in memory.
    return new Uint8Array(bytes.subarray(from, to));
  }

  function integer(from: number, to: number): number | bigint {
    const small = smallInteger(bytes, from, to);
    if (small !== undefined) return small;
    budget.take(COST.object + to - from);
    return largeInteger(bytes, from, to);
  }

  function begin(): void {
    const protocol = bytes[1] ?? 0;
    if (bytes[0] !== OP.PROTO || protocol < 2 || protocol > 5) throw foreign();
    begun = true;
    at = 2;
  }

  /** Follows the instructions whose bytes are there. */
  function run(): void {
    const end = bytes.length;
    if (!begun) begin();
    while (at < end && result === undefined) {
      const opcode = bytes[at] ?? 0;
      // Most of a file: the frames of its stacks.
      if (opcode === OP.LONG_BINGET && at + 5 <= end) {
        stack.recall(view.getUint32(at + 1, true));
        at += 5;
      } else if (!step(opcode, end)) return;
    }
  }

  /** @returns false where bytes of the instruction are missing */
  function step(opcode: number, end: number): boolean {
    const fixed = ARGUMENT_BYTES[opcode] ?? NOT_READ;
    if (fixed === NOT_READ) {
      followObject(opcode);
      at += 1;
      return true;
    }
    let next = at + 1 + fixed;
    if (next > end) return false;
    if (IS_COUNTED[opcode] === 1) next += counted(opcode);
    if (next > end) return false;
    follow(opcode, next);
    at = next;
    return true;
  }

  function followObject(opcode: number): void {
    if (classes === undefined) throw refused(opcode, before + at);
    switch (opcode) {
      case OBJECT_OP.STACK_GLOBAL: {
        const name = stack.className();
        if (!classes.has(name)) throw refused(opcode, before + at);
        stack.push(new PickleClass(name));
        return;
      }
      case OBJECT_OP.NEWOBJ:
        stack.newObject();
        return;
      case OBJECT_OP.BUILD:
        stack.build();
        return;
      default:
        throw refused(opcode, before + at);
    }
  }

  function follow(opcode: number, next: number): void {
    switch (opcode) {
      case OP.BINGET:
        stack.recall(bytes[at + 1] ?? 0);
        return;
      case OP.LONG_BINGET:
        stack.recall(view.getUint32(at + 1, true));
        return;
      case OP.MEMOIZE:
        stack.memoize(undefined);
        return;
      case OP.BINPUT:
        stack.memoize(bytes[at + 1] ?? 0);
        return;
      case OP.LONG_BINPUT:
        stack.memoize(view.getUint32(at + 1, true));
        return;
      case OP.MARK:
        stack.mark();
        return;
      case OP.APPEND:
        stack.append();
        return;
      case OP.APPENDS:
        stack.appends();
        return;
      case OP.SETITEM:
        stack.setItem();
        return;
      case OP.SETITEMS:
        stack.setItems();
        return;
      case OP.TUPLE:
        stack.markedTuple();
        return;
      case OP.TUPLE1:
        stack.tuple(1);
        return;
      case OP.TUPLE2:
        stack.tuple(2);
        return;
      case OP.TUPLE3:
        stack.tuple(3);
        return;
      case OP.STOP:
        result = { value: stack.only() };
        return;
      case OP.FRAME:
        // Says how many bytes may be read at once; nothing depends on it.
        return;
      case OP.PROTO:
        throw damagedAt(t("a second pickle begins"), before + at);
      default:
        stack.push(valueAt(opcode, next));
    }
  }

  function valueAt(opcode: number, next: number): PickleValue {
    switch (opcode) {
      case OP.LONG1:
        return integer(at + 2, next);
      case OP.LONG4:
        return integer(at + 5, next);
      case OP.BININT1:
        return bytes[at + 1] ?? 0;
      case OP.BININT:
        return view.getInt32(at + 1, true);
      case OP.BININT2:
        return view.getUint16(at + 1, true);
      case OP.BINFLOAT:
        return view.getFloat64(at + 1);
      case OP.SHORT_BINUNICODE:
        return text(at + 2, next);
      case OP.BINUNICODE:
        return text(at + 5, next);
      case OP.BINUNICODE8:
        return text(at + 9, next);
      case OP.SHORT_BINBYTES:
        return copied(at + 2, next);
      case OP.BINBYTES:
        return copied(at + 5, next);
      case OP.BINBYTES8:
        return copied(at + 9, next);
      case OP.EMPTY_DICT:
        return new PickleDict();
      case OP.EMPTY_LIST:
        return new PickleList();
      default:
        return simpleValue(opcode);
    }
  }

  function simpleValue(opcode: number): PickleValue {
    switch (opcode) {
      case OP.NEWTRUE:
        return true;
      case OP.NEWFALSE:
        return false;
      case OP.NONE:
        return null;
      case OP.EMPTY_TUPLE:
        return EMPTY_TUPLE;
      default:
        throw refused(opcode, before + at);
    }
  }

  return {
    push(chunk) {
      if (before + bytes.length + chunk.length > LIMITS.file) {
        throw tooLarge(t("The file is larger than {0}.", formatBytes(LIMITS.file)));
      }
      if (result !== undefined) {
        bytesAfter += chunk.length;
        return;
      }
      before += at;
      bytes = joined(bytes.subarray(at), chunk);
      view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      at = 0;
      if (begun || bytes.length >= 2) run();
      if (result !== undefined) bytesAfter = bytes.length - at;
    },
    finish() {
      if (result !== undefined) return { ...result, bytesAfter };
      if (!begun) throw foreign();
      throw cutOff(before + bytes.length);
    },
  };
}

const EMPTY_TUPLE = new PickleTuple([]);

function joined(left: Uint8Array, chunk: Uint8Array): Uint8Array {
  if (left.length === 0) return chunk;
  const all = new Uint8Array(left.length + chunk.length);
  all.set(left);
  all.set(chunk, left.length);
  return all;
}
