/** Decodes pprof's profiles as far as the tests look at them, by the wire format and nothing of the writer. */
import { gunzipSync } from "node:zlib";

interface Field {
  readonly number: number;
  readonly value: bigint | Uint8Array;
}

function* fields(bytes: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const number = key >> 3;
    if ((key & 7) === 0) {
      yield { number, value: varint() };
      continue;
    }
    if ((key & 7) !== 2) throw new Error(`wire type ${key & 7}`);
    const length = Number(varint());
    yield { number, value: bytes.subarray(at, at + length) };
    at += length;
  }
}

class Message {
  readonly #fields: readonly Field[];

  constructor(bytes: Uint8Array) {
    this.#fields = [...fields(bytes)];
  }

  all(number: number): Message[] {
    return this.#of(number).map((value) => new Message(value as Uint8Array));
  }

  texts(number: number): string[] {
    return this.#of(number).map((value) => new TextDecoder().decode(value as Uint8Array));
  }

  packed(number: number): number[] {
    const [value] = this.#of(number);
    if (value === undefined) return [];
    const prefixed = [...fields(wrapped(value as Uint8Array))];
    return prefixed.map((field) => Number(BigInt.asIntN(64, field.value as bigint)));
  }

  number(number: number): number {
    return Number(BigInt.asIntN(64, (this.#of(number)[0] as bigint | undefined) ?? 0n));
  }

  #of(number: number): (bigint | Uint8Array)[] {
    return this.#fields.filter((field) => field.number === number).map(({ value }) => value);
  }
}

/** Packed varints as fields of their own, so that one reader reads both. */
function wrapped(packed: Uint8Array): Uint8Array {
  const result: number[] = [];
  let first = true;
  for (const byte of packed) {
    if (first) result.push(8);
    result.push(byte);
    first = byte < 0x80;
  }
  return Uint8Array.from(result);
}

export interface DecodedSample {
  /** `function file:line`, the innermost first. */
  readonly stack: readonly string[];
  readonly values: readonly number[];
  readonly labels: Readonly<Record<string, string>>;
}

export interface DecodedProfile {
  readonly types: readonly string[];
  readonly preferred: string;
  readonly samples: readonly DecodedSample[];
  readonly mappings: readonly string[];
  readonly timeNanos: number;
  readonly durationNanos: number;
  readonly comments: readonly string[];
}

export function decodePprof(packed: Uint8Array): DecodedProfile {
  const profile = new Message(gunzipSync(packed));
  const strings = profile.texts(6);
  const text = (index: number): string => strings[index] ?? "?";
  const functions = new Map(profile.all(5).map((one) => [one.number(1), one]));
  const place = (id: number): string => {
    const location = profile.all(4).find((one) => one.number(1) === id);
    const [line] = location?.all(4) ?? [];
    const called = functions.get(line?.number(1) ?? 0);
    return `${text(called?.number(2) ?? -1)} ${text(called?.number(4) ?? -1)}:${line?.number(2) ?? -1}`;
  };
  const places = new Map(profile.all(4).map((one) => [one.number(1), place(one.number(1))]));
  return {
    types: profile.all(1).map((type) => `${text(type.number(1))}/${text(type.number(2))}`),
    preferred: text(profile.number(14)),
    samples: profile.all(2).map((sample) => ({
      stack: sample.packed(1).map((id) => places.get(id) ?? "?"),
      values: sample.packed(2),
      labels: Object.fromEntries(sample.all(3).map((label) => [text(label.number(1)), text(label.number(2))])),
    })),
    mappings: profile.all(3).map((mapping) => text(mapping.number(5))),
    timeNanos: profile.number(9),
    durationNanos: profile.number(10),
    comments: profile.packed(13).map(text),
  };
}
