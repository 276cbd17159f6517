/**
 * Damage to bytes and to what they stand for, decided by a seed alone. Inputs are handled as strings of bytes (one
 * character, 0 to 255, for each): cutting and joining those is quick, and no encoding gets in the way.
 */
import type { Random } from "../support/random.ts";

/** No input is larger, so that a million of them take minutes. */
export const LARGEST_INPUT = 64 * 1024;

const bytesOf = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

/** What has broken readers of numbers. */
const NUMBERS = [
  "0", "-0", "-1", "1", "0.1", "1e999", "-1e999", "1e-999", "1e308", "NaN", "nan", "Infinity", "inf", "-inf", "null",
  "2147483647", "2147483648", "4294967295", "4294967296", "9007199254740991", "9007199254740992", "9007199254740993",
  "9223372036854775807", "9223372036854775808", "18446744073709551616", "99999999999999999999999999", "00", "0x10",
  "1_000", "1,5", "1.5.5", "+1", "١", "",
] as const; // biome-ignore format: a table

/** What has broken readers of text, terminals and pages. */
const TEXTS = [
  "\0", "\r", "\n", "\r\n", "\t", "\v", "\f", "\x1b[2J", "\x1b]0;t\x07", "\x7f", "\x85", "\u2028", "\u202e", "\u2066", "\ufeff",
  "\ufffd", "é", "日本", "👩‍👩‍👧", "e\u0301\u0301", "../", "/../../etc/passwd", "..\\", "C:\\", "//", "file:///etc/passwd", "/dev/zero",
  "__proto__", "constructor", "toString", "<script>alert(1)</script>", "[a](command:x)", "$(x)", "%s%n", "`", "'", '"',
  "\\", "\\u0000", "\\ud800", ",", ";", ":", "=", "#", "{", "}", "[", "]", "(", ")", "-", "+", ".", "/", "|", " ", "    ", "@", "~",
] as const; // biome-ignore format: a table

/** Bytes that are no UTF-8: cut off, overlong, a lone surrogate, beyond U+10FFFF, and marks of other encodings. */
const BYTES = [
  "\xff",
  "\xc3",
  "\xc0\x80",
  "\xed\xa0\x80",
  "\xf4\x90\x80\x80",
  "\xff\xfe",
  "\xfe\xff",
  "\x80",
  "\xe2\x80",
];

const PIECES = [...NUMBERS, ...TEXTS].map(bytesOf).concat(BYTES);

/** What a reader's inputs are made of, as strings of bytes. */
export interface Corpus {
  readonly samples: readonly [string, ...string[]];
  /** Pieces of the reader's own grammar. */
  readonly pieces: readonly string[];
}

type Mutator = (input: string, random: Random, corpus: Corpus) => string;

/** A place, and a length of which short ones are the likeliest. */
function range(input: string, random: Random): { readonly from: number; readonly to: number } {
  const from = random.below(input.length + 1);
  const most = [4, 40, 400, input.length][random.below(4)] ?? 4;
  return { from, to: Math.min(input.length, from + random.below(most + 1)) };
}

/** Now and then beyond what recursion and backtracking stand. */
function howOften(random: Random): number {
  return random.below(12) === 0 ? 20_000 : random.pick([2, 30, 400]);
}

const replace = (input: string, from: number, to: number, by: string): string =>
  input.slice(0, from) + by + input.slice(to);

function anyPiece(random: Random, { pieces }: Corpus): string {
  const list = pieces.length > 0 && random.below(2) === 0 ? pieces : PIECES;
  return list[random.below(list.length)] ?? "";
}

/** The line around a place, without its end. */
function lineAt(input: string, at: number): { readonly from: number; readonly to: number } {
  const from = input.lastIndexOf("\n", at - 1) + 1;
  const end = input.indexOf("\n", from);
  return { from, to: end < 0 ? input.length : end };
}

const cut: Mutator = (input, random) => {
  const { from, to } = range(input, random);
  return random.below(4) === 0 ? input.slice(0, from) : replace(input, from, to, "");
};

const insert: Mutator = (input, random, corpus) => {
  const { from, to } = range(input, random);
  return replace(input, from, random.below(3) === 0 ? to : from, anyPiece(random, corpus));
};

const splice: Mutator = (input, random, { samples }) => {
  const other = random.pick(samples);
  const at = random.below(input.length + 1);
  const from = random.below(other.length + 1);
  if (random.below(2) === 0) return input.slice(0, at) + other.slice(from);
  return replace(input, at, at, other.slice(from, range(other, random).to));
};

const duplicate: Mutator = (input, random) => {
  const { from, to } = random.below(2) === 0 ? range(input, random) : lineAt(input, random.below(input.length + 1));
  const block = input.slice(from, to + 1);
  const copies = random.below(24) === 0 ? 2000 : 1 + random.below(4);
  return replace(input, from, from, block.repeat(Math.min(copies, Math.ceil(LARGEST_INPUT / (block.length + 1)))));
};

const flip: Mutator = (input, random) => {
  const at = random.below(Math.max(1, input.length));
  return replace(input, at, at + 1, String.fromCharCode((input.charCodeAt(at) || 0) ^ (1 << random.below(8))));
};

const noise: Mutator = (input, random) => {
  const { from, to } = range(input, random);
  const bytes = Array.from({ length: Math.min(64, to - from) }, () => random.below(256));
  return replace(input, from, from + bytes.length, String.fromCharCode(...bytes));
};

/** The next number after a place becomes an extreme one. */
const number: Mutator = (input, random) => {
  const pattern = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;
  pattern.lastIndex = random.below(input.length + 1);
  const found = pattern.exec(input);
  return found === null ? input : replace(input, found.index, pattern.lastIndex, bytesOf(random.pick(NUMBERS)));
};

const nesting: Mutator = (input, random, corpus) => {
  const opening = random.pick(["[", "{", '{"a":', "(", "<", " ", "[[0,", anyPiece(random, corpus)]);
  const depth = howOften(random);
  const { from, to } = range(input, random);
  return replace(input, from, to, opening.repeat(Math.min(depth, Math.ceil(LARGEST_INPUT / (opening.length + 1)))));
};

const lengthen: Mutator = (input, random) => {
  const at = random.below(input.length + 1);
  return replace(input, at, at, (input[at] ?? "0").repeat(howOften(random)));
};

const encoding: Mutator = (input, random) => {
  switch (random.below(6)) {
    case 0:
      return `\xff\xfe${Buffer.from(input.slice(0, LARGEST_INPUT / 2), "utf16le").toString("latin1")}`;
    case 1:
      return `\xfe\xff${Buffer.from(input.slice(0, LARGEST_INPUT / 2), "utf16le")
        .swap16()
        .toString("latin1")}`;
    case 2:
      return `\xef\xbb\xbf${input}`;
    case 3:
      return input.replaceAll("\n", "\r\n");
    case 4:
      return input.replaceAll("\n", "\r");
    default:
      return input.replaceAll(
        input[random.below(input.length)] ?? " ",
        anyPiece(random, { samples: [""], pieces: [] }),
      );
  }
};

const lines: Mutator = (input, random) => {
  const one = lineAt(input, random.below(input.length + 1));
  const text = input.slice(one.from, one.to + 1);
  const without = replace(input, one.from, one.to + 1, "");
  if (random.below(3) === 0) return without;
  const { from } = lineAt(without, random.below(without.length + 1));
  return replace(without, from, from, text);
};

/** Columns that run into each other, or stand apart by something else. */
const columns: Mutator = (input, random) => {
  const pattern = /[ \t,;|:=]+/g;
  pattern.lastIndex = random.below(input.length + 1);
  const found = pattern.exec(input);
  if (found === null) return input;
  return replace(input, found.index, pattern.lastIndex, random.pick(["", "\t", "  ", "\xc2\xa0", ",", "\0"]));
};

/** A line, or all of the input, that is JSON is changed as a value: types, keys and depth. */
const json: Mutator = (input, random) => {
  const { from, to } =
    random.below(2) === 0 ? { from: 0, to: input.length } : lineAt(input, random.below(input.length));
  try {
    const value: unknown = JSON.parse(input.slice(from, to));
    return replace(input, from, to, bytesOf(JSON.stringify(changed(value, random)) ?? "null"));
  } catch {
    return insert(input, random, { samples: [""], pieces: [] });
  }
};

/** A value in which one part, somewhere, is another. */
export function changed(value: unknown, random: Random): unknown {
  if (typeof value !== "object" || value === null || random.below(6) === 0) return oddValue(value, random);
  if (Array.isArray(value)) {
    const at = random.below(value.length + 1);
    const copy: unknown[] = value.slice();
    if (at === value.length) return [...copy, oddValue(value[0], random)];
    const kind = random.below(8);
    if (kind === 0) copy.splice(at, 1);
    else if (kind === 1) copy.splice(random.below(value.length), 0, copy[at]);
    else copy[at] = changed(copy[at], random);
    return copy;
  }
  const entries = Object.entries(value);
  const at = random.below(entries.length + 1);
  const entry = entries[at];
  const kind = random.below(8);
  if (entry === undefined) entries.push([random.pick(TEXTS), oddValue(undefined, random)]);
  else if (kind === 0) entries.splice(at, 1);
  else if (kind === 1) entries[at] = [random.pick(TEXTS), entry[1]];
  else entries[at] = [entry[0], changed(entry[1], random)];
  return Object.fromEntries(entries);
}

function oddValue(value: unknown, random: Random): unknown {
  const numbers = [0, -0, -1, 0.5, 2 ** 31, 2 ** 53, 2 ** 63, 1e308, -1e308, 5e-324] as const;
  switch (random.below(12)) {
    case 0:
      return null;
    case 1:
      return random.below(2) === 0;
    case 2:
      return [];
    case 3:
      return {};
    case 4:
    case 5:
      return random.pick(numbers);
    case 6:
      return random.pick(TEXTS);
    case 7:
      return String(value);
    case 8:
      return [value];
    case 9:
      return { a: value };
    case 10:
      return typeof value === "string" ? value + random.pick(TEXTS) : random.pick(NUMBERS);
    default:
      return "x".repeat(random.below(3) === 0 ? 20_000 : 300);
  }
}

/** Those that make little damage more often than those that make much. */
const MUTATORS = [
  cut, cut, insert, insert, insert, splice, duplicate, flip, flip, noise, number, number, number, nesting, lengthen,
  encoding, lines, lines, columns, json, json, json,
] as const; // biome-ignore format: a table

/** One input: a sample with a few things wrong with it, now and then with many. */
export function mutated(corpus: Corpus, random: Random): Uint8Array {
  let input: string = random.pick(corpus.samples);
  const changes = random.below(16) === 0 ? 5 + random.below(20) : 1 + random.below(4);
  // One JSON value is lost by most damage to its bytes: most often it is changed as a value.
  const isValue = /^[[{]/.test(input) && !/}\s+{/.test(input);
  for (let done = 0; done < changes; done++) {
    const mutate = isValue && random.below(4) > 0 ? json : random.pick(MUTATORS);
    input = mutate(input, random, corpus).slice(0, LARGEST_INPUT);
  }
  return Buffer.from(input, "latin1");
}
