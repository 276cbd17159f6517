/** Python's pickle instructions by their bytes (protocols 0 to 5, Lib/pickletools.py): those we read, and the others' names. */
import { type Phrase, phrase, say, t } from "../../words/t.ts";

/** All that may stand in a file. Data only: none of them can name a function or a class. */
export const OP = {
  PROTO: 0x80,
  FRAME: 0x95,
  STOP: 0x2e,
  MARK: 0x28,
  NONE: 0x4e,
  NEWTRUE: 0x88,
  NEWFALSE: 0x89,
  BININT: 0x4a,
  BININT1: 0x4b,
  BININT2: 0x4d,
  LONG1: 0x8a,
  LONG4: 0x8b,
  BINFLOAT: 0x47,
  SHORT_BINUNICODE: 0x8c,
  BINUNICODE: 0x58,
  BINUNICODE8: 0x8d,
  SHORT_BINBYTES: 0x43,
  BINBYTES: 0x42,
  BINBYTES8: 0x8e,
  EMPTY_LIST: 0x5d,
  APPEND: 0x61,
  APPENDS: 0x65,
  EMPTY_DICT: 0x7d,
  SETITEM: 0x73,
  SETITEMS: 0x75,
  EMPTY_TUPLE: 0x29,
  TUPLE: 0x74,
  TUPLE1: 0x85,
  TUPLE2: 0x86,
  TUPLE3: 0x87,
  MEMOIZE: 0x94,
  BINPUT: 0x71,
  LONG_BINPUT: 0x72,
  BINGET: 0x68,
  LONG_BINGET: 0x6a,
} as const;

/** How objects are written; read only where the reader was told which classes' objects are data to it. */
export const OBJECT_OP = { STACK_GLOBAL: 0x93, NEWOBJ: 0x81, BUILD: 0x62 } as const;

/** In ARGUMENT_BYTES: not an instruction that we read. */
export const NOT_READ = 255;

/** Bytes that follow the instruction, less those that a count announces. */
export const ARGUMENT_BYTES = table({
  0: "STOP MARK NONE NEWTRUE NEWFALSE EMPTY_LIST APPEND APPENDS EMPTY_DICT SETITEM SETITEMS EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 MEMOIZE",
  1: "PROTO BININT1 LONG1 SHORT_BINUNICODE SHORT_BINBYTES BINPUT BINGET",
  2: "BININT2",
  4: "BININT LONG4 BINUNICODE BINBYTES LONG_BINPUT LONG_BINGET",
  8: "FRAME BINFLOAT BINUNICODE8 BINBYTES8",
});

/** 1: the argument counts bytes that follow it. */
export const IS_COUNTED = new Uint8Array(256);
for (const name of [
  "LONG1",
  "LONG4",
  "SHORT_BINUNICODE",
  "BINUNICODE",
  "BINUNICODE8",
  "SHORT_BINBYTES",
  "BINBYTES",
  "BINBYTES8",
] as const) {
  IS_COUNTED[OP[name]] = 1;
}

function table(names: Readonly<Record<number, string>>): Uint8Array {
  const bytes = new Uint8Array(256).fill(NOT_READ);
  for (const [count, list] of Object.entries(names)) {
    for (const name of list.split(" ")) bytes[OP[name as keyof typeof OP]] = Number(count);
  }
  return bytes;
}

const RUNS = phrase("could run a program");
const OUTSIDE = phrase("needs something from outside the file");
const UNUSED = phrase("is not one that PyTorch's snapshots have");

const REFUSED: Readonly<Record<number, readonly [name: string, why: Phrase]>> = {
  99: ["GLOBAL", RUNS],
  147: ["STACK_GLOBAL", RUNS],
  82: ["REDUCE", RUNS],
  98: ["BUILD", RUNS],
  105: ["INST", RUNS],
  111: ["OBJ", RUNS],
  129: ["NEWOBJ", RUNS],
  146: ["NEWOBJ_EX", RUNS],
  130: ["EXT1", RUNS],
  131: ["EXT2", RUNS],
  132: ["EXT4", RUNS],
  80: ["PERSID", OUTSIDE],
  81: ["BINPERSID", OUTSIDE],
  151: ["NEXT_BUFFER", OUTSIDE],
  152: ["READONLY_BUFFER", OUTSIDE],
  150: ["BYTEARRAY8", UNUSED],
  143: ["EMPTY_SET", UNUSED],
  144: ["ADDITEMS", UNUSED],
  145: ["FROZENSET", UNUSED],
  48: ["POP", UNUSED],
  49: ["POP_MARK", UNUSED],
  50: ["DUP", UNUSED],
  70: ["FLOAT", UNUSED],
  73: ["INT", UNUSED],
  76: ["LONG", UNUSED],
  83: ["STRING", UNUSED],
  84: ["BINSTRING", UNUSED],
  85: ["SHORT_BINSTRING", UNUSED],
  86: ["UNICODE", UNUSED],
  100: ["DICT", UNUSED],
  108: ["LIST", UNUSED],
  103: ["GET", UNUSED],
  112: ["PUT", UNUSED],
};

/** Why an instruction is not followed: `GLOBAL, which could run a program`. */
export function refusal(opcode: number): string {
  const [name, why] = REFUSED[opcode] ?? [`0x${opcode.toString(16).padStart(2, "0")}`, phrase("is unknown")];
  return t("{0}, which {1}", name, say(why));
}
