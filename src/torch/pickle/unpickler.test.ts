import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { UserError } from "../../profile/userError.ts";
import { createBudget, LIMITS } from "./limits.ts";
import { OP } from "./opcodes.ts";
import type { Fold } from "./stack.ts";
import { Float, Fresh, pickle, Tuple } from "./testing.ts";
import { createUnpickler } from "./unpickler.ts";
import { Folded, PickleDict, PickleList, PickleObject, PickleTuple, type PickleValue } from "./values.ts";

const asIs: Fold = (container) => container;

function read(bytes: Uint8Array, fold: Fold = asIs, chunk = bytes.length): PickleValue {
  const unpickler = createUnpickler({ fold, budget: createBudget(), texts: ["known"] });
  for (let at = 0; at < bytes.length; at += Math.max(1, chunk)) unpickler.push(bytes.subarray(at, at + chunk));
  return unpickler.finish().value;
}

/** Only for what the tests know to be small and without cycles. */
function plain(value: PickleValue | undefined): unknown {
  if (value instanceof PickleList || value instanceof PickleTuple) return value.items.map(plain);
  if (value instanceof PickleDict)
    return Object.fromEntries(value.keys.map((key, at) => [key, plain(value.values[at])]));
  if (typeof value === "bigint") return `${value}n`;
  return value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value;
}

function ops(...parts: readonly (number | string | readonly number[])[]): Uint8Array {
  const body = parts.flatMap((part) => (typeof part === "string" ? [...Buffer.from(part, "latin1")] : part));
  return Uint8Array.from([OP.PROTO, 4, ...body]);
}

function refusal(bytes: Uint8Array): UserError {
  try {
    read(bytes);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error("It was read.");
}

const VALUE = {
  none: null,
  truth: [true, false],
  integers: [0, 1, 255, 256, 65_535, 65_536, 2 ** 31 - 1, 2 ** 31, -1, -128, -129, -(2 ** 31), -(2 ** 31) - 1],
  addresses: [0x7f3a80000000, 2 ** 53 - 1, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n, -(2n ** 60n), -(2 ** 53 - 1)],
  floats: [new Float(0.5), new Float(-1e300)],
  texts: ["", "known", "é", "𝒳", "a".repeat(63), "b".repeat(300), new Fresh("known")],
  tuples: [new Tuple(), new Tuple(1), new Tuple(1, 2), new Tuple(1, 2, 3), new Tuple(1, 2, 3, 4)],
  many: Array.from({ length: 2_345 }, (_, at) => at),
  nested: { list: [[[]]], dict: { key: {} } },
};
const EXPECTED = {
  none: null,
  truth: [true, false],
  integers: VALUE.integers,
  addresses: [
    0x7f3a80000000,
    2 ** 53 - 1,
    "9007199254740992n",
    "9223372036854775808n",
    "18446744073709551615n",
    "-1152921504606846976n",
    -(2 ** 53 - 1),
  ],
  floats: [0.5, -1e300],
  texts: ["", "known", "é", "𝒳", "a".repeat(63), "b".repeat(300), "known"],
  tuples: [[], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4]],
  many: VALUE.many,
  nested: { list: [[[]]], dict: { key: {} } },
};

describe("a pickle of data", () => {
  it.each([2, 3, 4, 5] as const)("is read as it was written, protocol %i", (protocol) => {
    expect(plain(read(pickle(VALUE, protocol)))).toEqual(EXPECTED);
  });

  it.each([1, 2, 7, 64])("is the same in pieces of %i bytes", (chunk) => {
    expect(plain(read(pickle(VALUE), asIs, chunk))).toEqual(EXPECTED);
  });

  it("keeps what is shared shared", () => {
    const shared = { key: "value" };
    const value = read(pickle([shared, shared]));
    expect(value instanceof PickleList && value.items[0] === value.items[1]).toBe(true);
  });

  it("takes the last of equal keys, as Python does", () => {
    const value = read(ops(OP.EMPTY_DICT, "(", "K\x01K\x02", "K\x01K\x03", "u."));
    expect(value instanceof PickleDict && value.values).toEqual([2, 3]);
    const texts = read(
      ops(OP.EMPTY_DICT, "(", [OP.SHORT_BINUNICODE, 1], "aK\x02", [OP.SHORT_BINUNICODE, 1], "aK\x03", "u."),
    );
    expect(texts instanceof PickleDict && texts.get("a")).toBe(3);
  });

  it("lets a fold put something smaller in place of a container, wherever it is used again", () => {
    const shared = { small: 1 };
    const fold: Fold = (container) => (container instanceof PickleDict ? "folded" : container);
    expect(plain(read(pickle([shared, [shared], shared]), fold))).toEqual(["folded", ["folded"], "folded"]);
  });

  it("shows a fold each container once", () => {
    const shared = [1];
    let seen = 0;
    const fold: Fold = (container) => {
      seen++;
      return container;
    };
    read(pickle([shared, shared, shared]), fold);
    expect(seen).toBe(1);
  });

  it("says how many bytes follow its end", () => {
    const unpickler = createUnpickler({ fold: asIs, budget: createBudget(), texts: [] });
    unpickler.push(ops("N.more"));
    unpickler.push(Uint8Array.of(1, 2));
    expect(unpickler.finish()).toEqual({ value: null, bytesAfter: 6 });
  });
});

describe("a pickle that could run a program", () => {
  const command = "cos\nsystem\n";
  it.each([
    ["GLOBAL", ops(`${command}(X\x02\0\0\0lstR.`)],
    ["STACK_GLOBAL", ops([OP.SHORT_BINUNICODE, 2], "os", [OP.SHORT_BINUNICODE, 6], "system", [0x93], "(tR.")],
    ["REDUCE", ops("N)R.")],
    ["BUILD", ops("}}b.")],
    ["INST", ops("(ios\nsystem\n.")],
    ["OBJ", ops("(No.")],
    ["NEWOBJ", ops("N)", [0x81], ".")],
    ["NEWOBJ_EX", ops("N)}", [0x92], ".")],
    ["EXT1", ops([0x82, 1], ".")],
    ["EXT2", ops([0x83, 1, 0], ".")],
    ["EXT4", ops([0x84, 1, 0, 0, 0], ".")],
  ])("is refused by the name of its instruction: %s", (name, bytes) => {
    const error = refusal(bytes);
    expect(error.code).toBe("pickle-refused");
    expect(error.message).toMatch(
      new RegExp(`at byte \\d+ stands the pickle instruction ${name}, which could run a program`),
    );
    expect(error.hint).toContain("Do not open this file with Python's pickle");
  });

  it("is refused with the instruction's place in the file, however the file is cut", () => {
    const bytes = ops("]", "K\x01".repeat(20), "0");
    const unpickler = createUnpickler({ fold: asIs, budget: createBudget(), texts: [] });
    expect(() => {
      for (const byte of bytes) unpickler.push(Uint8Array.of(byte));
    }).toThrow("at byte 43 stands the pickle instruction POP, which is not one that PyTorch's snapshots have");
  });

  it("and all other instructions outside of the table are refused too", () => {
    const known = new Set<number>(Object.values(OP));
    for (let opcode = 0; opcode < 256; opcode++) {
      if (!known.has(opcode)) expect(refusal(ops([opcode], "\0".repeat(16))).code).toBe("pickle-refused");
    }
    expect(refusal(ops([0xff])).message).toContain("0xff, which is unknown");
    expect(refusal(ops("Pid\n.")).message).toContain("PERSID, which needs something from outside the file");
  });
});

describe("a damaged or hostile pickle", () => {
  it("is told from a file of another kind", () => {
    for (const bytes of [
      Buffer.from("PK\x03\x04zip"),
      Buffer.from("(lp0\n."),
      Uint8Array.of(),
      Uint8Array.of(0x80, 9, 0x4e),
    ]) {
      expect(refusal(bytes).code).toBe("pickle-foreign");
    }
  });

  it("is refused wherever it was cut off", () => {
    const bytes = pickle(VALUE);
    for (let end = 2; end < bytes.length; end += end < 600 ? 1 : 97) {
      expect(refusal(bytes.subarray(0, end)).message, `cut at ${end}`).toMatch(/ends after \d+ bytes/);
    }
  });

  it.each([
    ["a value is missing", ops("](a.")],
    ["a container ends that did not begin", ops("]e.")],
    ["something is appended to what is not a list", ops("}K\x01a.")],
    ["a key is set in what is not a dict", ops("](K\x01K\x01u.")],
    ["a key has no value", ops("}(K\x01u.")],
    ["value 7 is used before it is there", ops("h\x07.")],
    ["value 3 is remembered before value 0", ops("Nq\x03.")],
    ["the end comes before the containers are complete", ops("NN.")],
    ["a second pickle begins", ops("N", [OP.PROTO, 4], ".")],
    ["a list changes after it was complete", ops("]", [OP.MEMOIZE], "](h\0h\0e", "h\0K\x01a", ".")],
  ])("says that %s, and where", (what, bytes) => {
    const error = refusal(bytes);
    expect(error.code).toBe("pickle-damaged");
    expect(error.message).toMatch(new RegExp(`${what} at byte \\d+`));
  });

  it("is not asked for more than its lengths may be", () => {
    const huge = [0xff, 0xff, 0xff, 0x7f];
    const cases = [
      ops([OP.BINUNICODE], huge, "x"),
      ops([OP.BINUNICODE8], huge, huge, "x"),
      ops([OP.BINBYTES], huge, "x"),
      ops([OP.BINBYTES8], [255, 255, 255, 255, 255, 255, 255, 255]),
      ops([OP.LONG4], huge, "x"),
    ];
    for (const bytes of cases) expect(refusal(bytes).code).toBe("pickle-too-large");
  });

  it("is not followed too deep, nor with too much waiting", () => {
    expect(refusal(ops("(".repeat(LIMITS.depth + 1))).message).toContain("containers are open");
    const waiting = Buffer.concat([ops(), Buffer.alloc(LIMITS.waiting + 1, "N")]);
    expect(refusal(waiting).message).toContain("values wait");
  });

  it("may hold a list ten times in a list, and so on: nothing is expanded", () => {
    const level = ["]", [OP.MEMOIZE]] as const;
    const laughs = Array.from({ length: 200 }, (_, at) => [
      ...level,
      "(",
      ...Array(10).fill(`h${String.fromCharCode(at)}`),
      "e",
    ]);
    const value = read(ops("N", [OP.MEMOIZE], "](", ...laughs.flat(), "e", [OP.TUPLE2], "."));
    expect(value).toBeInstanceOf(PickleTuple);
  });

  it("may hold itself", () => {
    const direct = refusal(ops("]", [OP.MEMOIZE], "h\0a."));
    expect(direct.message).toContain("a list changes after it was complete");
    const value = read(ops("]", [OP.MEMOIZE], "(h\0h\0e."));
    expect(value instanceof PickleList && value.items[1] === value).toBe(true);
  });

  it("whose keys come one by one or in batches has them all, and leaves those of other dicts alone", () => {
    const value = read(ops("](}(K\x01K\x02K\x03K\x04u}(K\x01K\x05K\x03K\x06uK\x07K\x08se."));
    const dicts = value instanceof PickleList ? value.items : [];
    expect(dicts.map((dict) => dict instanceof PickleDict && [dict.keys, dict.values])).toEqual([
      [
        [1, 3],
        [2, 4],
      ],
      [
        [1, 3, 7],
        [5, 6, 8],
      ],
    ]);
  });

  it("is stopped when what it holds would take too much memory", () => {
    const unpickler = createUnpickler({ fold: asIs, budget: createBudget(1024 * 1024), texts: [] });
    expect(() => unpickler.push(ops("(", `]${String.fromCharCode(OP.MEMOIZE)}`.repeat(10_000)))).toThrow(
      "would take more than 1.0 MiB of memory",
    );
  });
});

const python = spawnSync("python3", ["-c", "import sys; print(sys.version_info[0])"], { encoding: "utf8" });

it("what a reader only wants counted is not kept in lists", () => {
  class Item extends Folded {
    override readonly what = "an item";
  }
  const item = new Item();
  const unpickler = createUnpickler({
    fold: (container) => (container instanceof PickleDict ? item : container),
    countedItem: item,
    budget: createBudget(),
    texts: [],
  });
  unpickler.push(ops("](}}eK\x01a}a(}K\x02e."));
  expect(unpickler.finish().value).toMatchObject({ items: [item, 1, 2], counted: 4 });
});

describe("beside Python's own pickle", () => {
  // Random data, written by Python in all protocols as hexadecimal, with what it is as JSON.
  const program = `
import json, pickle, random
random.seed(5)
def value(depth):
    kind = random.randrange(9 if depth else 7)
    if kind == 0: return random.choice([None, True, False])
    if kind == 1: return random.randrange(-300, 300)
    if kind == 2: return random.randrange(-2**53 + 1, 2**53)
    if kind == 3: return random.random() + 0.1
    if kind == 4: return "".join(random.choice("aé𝒳\\u20ac xyz") for _ in range(random.randrange(300)))
    if kind == 5: return str(random.randrange(10))
    if kind == 6: return random.randrange(70000)
    if kind == 7: return [value(depth - 1) for _ in range(random.choice([0, 1, 2, 5, 1500]) if depth == 1 else random.randrange(5))]
    return {str(key): value(depth - 1) for key in range(random.randrange(6))}
for number in range(200):
    data = [value(4), (value(1), value(1))]
    print(json.dumps({"hex": pickle.dumps(data, 2 + number % 4).hex(), "data": data}))
`;
  it.skipIf(python.status !== 0)(
    "reads what Python wrote as Python reads it (skipped where there is no python3)",
    () => {
      const { stdout, stderr } = spawnSync("python3", ["-c", program], { encoding: "utf8", maxBuffer: 2 ** 28 });
      const lines = stdout.trimEnd().split("\n");
      expect(lines.length, stderr).toBe(200);
      for (const line of lines) {
        const { hex, data } = JSON.parse(line) as { hex: string; data: unknown };
        expect(plain(read(Buffer.from(hex, "hex")))).toEqual(data);
      }
    },
  );
});

describe("objects of classes that the reader knows as data", () => {
  const text = (value: string): number[] => [OP.SHORT_BINUNICODE, value.length, ...Buffer.from(value)];
  const known = [...text("m"), ...text("Known"), 0x93];
  const readKnown = (...parts: readonly (readonly number[])[]): PickleValue => {
    const unpickler = createUnpickler({ fold: asIs, budget: createBudget(), texts: [], classes: new Set(["m.Known"]) });
    unpickler.push(Uint8Array.from([OP.PROTO, 4, ...parts.flat(), OP.STOP]));
    return unpickler.finish().value;
  };

  it("keep their state, and nothing of them runs", () => {
    const value = readKnown(
      known,
      [OP.EMPTY_TUPLE, 0x81],
      [OP.EMPTY_DICT, ...text("a"), OP.BININT1, 7, OP.SETITEM, 0x62],
    );
    expect(value).toBeInstanceOf(PickleObject);
    expect(value).toMatchObject({ name: "m.Known" });
    expect(plain((value as PickleObject).state)).toEqual({ a: 7 });
  });

  it("are refused where another class is named, or where more is done with one", () => {
    expect(() => readKnown(text("os"), text("system"), [0x93])).toThrow(/STACK_GLOBAL/);
    expect(() => readKnown(known, [OP.EMPTY_TUPLE, 0x52])).toThrow(/REDUCE/);
    expect(() => readKnown([OP.NONE, OP.EMPTY_TUPLE, 0x81])).toThrow(/made of what is not a class/);
    expect(() => readKnown([OP.NONE, OP.NONE, 0x62])).toThrow(/what is not an object/);
    expect(() => read(ops(known))).toThrow(/STACK_GLOBAL/);
  });
});
