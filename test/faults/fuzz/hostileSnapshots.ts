/**
 * A program for a process of its own with a small heap: reads files that nobody would write, and prints as JSON how
 * many were read or refused, whatever was thrown that is no UserError, and what it took.
 */

import { UserError } from "../../../src/profile/userError.ts";
import { OP } from "../../../src/torch/pickle/opcodes.ts";
import { pickle } from "../../../src/torch/pickle/testing.ts";
import { deviceMemories } from "../../../src/torch/snapshot/deviceMemory.ts";
import { liveTree } from "../../../src/torch/snapshot/liveTree.ts";
import { createSnapshotReader } from "../../../src/torch/snapshot/reading/readSnapshot.ts";
import { stateAt } from "../../../src/torch/snapshot/stateAt.ts";
import { smallSnapshot, trainingSnapshot } from "../../../src/torch/snapshot/testing.ts";
import { seeded } from "../support/random.ts";

const tally = { read: 0, refused: {} as Record<string, number>, faults: [] as string[], slowestMs: 0 };

/** Reads an input and works everything out of it that the page would ask for. */
function attempt(name: string, pieces: Iterable<Uint8Array>): void {
  const began = process.cpuUsage();
  try {
    const reader = createSnapshotReader();
    for (const piece of pieces) reader.push(piece);
    const snapshot = reader.finish();
    for (const { allocations } of deviceMemories(snapshot)) {
      for (const moment of [0, allocations.events]) {
        stateAt(snapshot, allocations, moment);
        liveTree(snapshot, allocations, moment, "all");
      }
    }
    tally.read++;
  } catch (error) {
    if (error instanceof UserError) tally.refused[error.code] = (tally.refused[error.code] ?? 0) + 1;
    else tally.faults.push(`${name}: ${(error as Error).stack}`);
  }
  const { user, system } = process.cpuUsage(began);
  tally.slowestMs = Math.max(tally.slowestMs, (user + system) / 1000);
}

const SMALL = pickle(smallSnapshot());

function cutAnywhere(): void {
  for (let end = 0; end < SMALL.length; end++) attempt(`cut at ${end}`, [SMALL.subarray(0, end)]);
}

/** Bytes changed, left out, doubled and moved. */
function mutated(count: number): void {
  const next = seeded(11).next;
  const files = [
    SMALL,
    pickle(trainingSnapshot({ seed: 1, events: 30, frames: 5, places: 8 })),
    pickle(smallSnapshot(), 2),
  ];
  const within = (length: number) => Math.floor(next() * length);
  for (let number = 0; number < count; number++) {
    let bytes = Buffer.from(files[number % files.length] ?? SMALL);
    for (let changes = 1 + within(4); changes > 0; changes--) {
      const [from, to] = [within(bytes.length), within(bytes.length)].sort((a, b) => a - b) as [number, number];
      const end = Math.min(to, from + 40);
      const kind = within(4);
      if (kind === 0) bytes[from] = within(256);
      else if (kind === 1) bytes = Buffer.concat([bytes.subarray(0, from), bytes.subarray(end)]);
      else if (kind === 2) bytes = Buffer.concat([bytes.subarray(0, end), bytes.subarray(from)]);
      else bytes = Buffer.concat([bytes.subarray(0, to), bytes.subarray(from, end), bytes.subarray(to)]);
    }
    attempt(`mutation ${number}`, [bytes]);
  }
}

/** Instructions that are allowed, in any order, with texts that snapshots have. */
function soup(count: number): void {
  const next = seeded(12).next;
  const codes = Object.values(OP).filter((code) => code !== OP.PROTO);
  const words = [
    "segments",
    "blocks",
    "action",
    "alloc",
    "addr",
    "size",
    "frames",
    "state",
    "filename",
    "line",
    "name",
  ];
  for (let number = 0; number < count; number++) {
    const parts: Buffer[] = [Buffer.of(OP.PROTO, 4)];
    for (let length = next() * 200; length > 0; length--) {
      const word = words[Math.floor(next() * words.length)] ?? "";
      const code = codes[Math.floor(next() * codes.length)] ?? OP.NONE;
      parts.push(
        code === OP.SHORT_BINUNICODE
          ? Buffer.concat([Buffer.of(code, word.length), Buffer.from(word)])
          : Buffer.of(code, ...Array.from({ length: Math.floor(next() * 3) }, () => Math.floor(next() * 40))),
      );
    }
    attempt(`soup ${number}`, [Buffer.concat([...parts, Buffer.of(OP.STOP)])]);
  }
}

const MIB = 1024 * 1024;

/** The same bytes again and again, without having them all. */
function* repeated(head: string, unit: (number: number) => string, bytes: number, tail: string): Generator<Uint8Array> {
  yield Buffer.from(`\x80\x04${head}`, "latin1");
  for (let [number, written] = [0, 0]; written < bytes; ) {
    const units: string[] = [];
    for (let length = 0; length < MIB; number++) {
      const text = unit(number);
      units.push(text);
      length += text.length;
    }
    const piece = Buffer.from(units.join(""), "latin1");
    written += piece.length;
    yield piece;
  }
  yield Buffer.from(tail, "latin1");
}

const SIZE = 24 * MIB;
/** For what takes little memory for each byte of the file. */
const LARGE = 64 * MIB;
const uint32 = (number: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number >>> 0);
  return bytes.toString("latin1");
};
const word = (text: string) => `\x8c${String.fromCharCode(text.length)}${text}`;
/** Two values a unit, put into a list every 500. */
const batched = (value: (number: number) => string) => (number: number) =>
  `${number % 500 === 0 ? "(" : ""}${value(number)}${number % 500 === 499 ? "e" : ""}`;

function bombs(): void {
  const memo = "\x94";
  const frame = (number: number) =>
    `}(${word("name")}J${uint32(number)}${word("filename")}${word("f")}${word("line")}K\x01u`;
  const text = (number: number) => `X${uint32(60)}${uint32(number).padEnd(60, "x")}`;
  const named = (number: number) =>
    `}(${word("name")}${text(number)}${word("filename")}${word("f")}${word("line")}K\x01u`;
  const event = (number: number) =>
    `}(${word("action")}${word("alloc")}${word("addr")}J${uint32(number % 2 ** 31)}${word("size")}K\x01u`;
  const block = `}(${word("size")}K\x01${word("state")}${word("inactive")}u`;
  const cases: Record<string, Generator<Uint8Array>> = {
    "values that wait": repeated("(", () => "N".repeat(1000), SIZE, "t."),
    marks: repeated("", () => "(".repeat(1000), SIZE, "."),
    "empty dicts": repeated(
      "]",
      batched(() => "}"),
      SIZE,
      ".",
    ),
    "empty lists, remembered": repeated(
      "]",
      batched(() => `]${memo}`),
      SIZE,
      ".",
    ),
    "one value remembered again and again": repeated("N", () => memo.repeat(1000), LARGE, "."),
    "integers of 255 bytes": repeated(
      "]",
      batched(() => `\x8a\xff${"\x7f".repeat(255)}`),
      SIZE,
      ".",
    ),
    "texts, all different": repeated(
      "]",
      batched((number) => text(number)),
      SIZE,
      ".",
    ),
    "texts of a MiB": repeated(
      "]",
      batched(() => `X${uint32(MIB)}${"é".repeat(MIB)}`),
      SIZE,
      ".",
    ),
    "nested tuples": repeated("N", () => "\x85".repeat(1000), SIZE, "."),
    "nested lists": repeated(`]${memo}`, (number) => `]${memo}j${uint32(number)}a`, SIZE, "."),
    "frames, all different": repeated("]", batched(named), SIZE, "."),
    "frames with a wrong name": repeated("]", batched(frame), SIZE, "."),
    events: repeated(
      `}(${word("segments")}]${word("device_traces")}](](`,
      (number) => `${event(number)}${number % 500 === 499 ? "e(" : ""}`,
      SIZE,
      "eeu.",
    ),
    blocks: repeated(
      `]}(${word("blocks")}]`,
      batched(() => block),
      SIZE,
      "u.",
    ),
    "keys of one dict": repeated("}", (number) => `${text(number)}Ns`, SIZE, "."),
    "bytes that are thrown away": repeated(
      "]",
      batched(() => `B${uint32(MIB)}${"\0".repeat(MIB)}`),
      SIZE,
      ".",
    ),
  };
  for (const [name, pieces] of Object.entries(cases)) attempt(name, pieces);
}

/** Stacks whose hashes an attacker would choose, each list of two frames of many. */
function manyStacks(): void {
  const frames = Array.from({ length: 1_000 }, (_, at) => ({ name: `f${at}`, filename: "f.py", line: at + 1 }));
  const trace = Array.from({ length: 200_000 }, (_, at) => ({
    action: "alloc",
    addr: at,
    size: 1,
    frames: [frames[at % 1_000], frames[Math.floor(at / 1_000)]].flatMap((frame) => frame ?? []),
  }));
  attempt("many stacks", [pickle({ segments: [], device_traces: [trace] })]);
}

cutAnywhere();
mutated(3_000);
soup(3_000);
const { slowestMs: slowestSmallMs } = tally;
manyStacks();
bombs();
console.log(JSON.stringify({ ...tally, slowestSmallMs, rssMib: Math.round(process.resourceUsage().maxRSS / 1024) }));
