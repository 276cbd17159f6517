/**
 * A model's shape from the head of a GGUF file, as llama.cpp and Ollama load it (versions 2 and 3 of the format:
 * github.com/ggml-org/ggml, docs/gguf.md). Anybody may have made it: lengths are checked before anything is read.
 */
import { defined } from "../../profile/defined.ts";
import { t } from "../../words/t.ts";
import { alike, type CacheShape } from "./model.ts";
import {
  believable,
  believableCount,
  doesNotSay,
  keepsNothing,
  MOST_LAYERS,
  MOST_SIZE,
  notAModel,
  otherState,
  windowOfSome,
} from "./says.ts";

type Field = number | string | readonly number[];
export type GgufFields = ReadonlyMap<string, Field>;

const MAGIC = 0x46554747;
const MOST_FIELDS = 65_536;
const MOST_TEXT = 256;
/** Bytes of a value by its type; text and lists have none. */
const SIZES = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8] as const;
const TEXT = 8;
const LIST = 9;

/** The bytes end before the fields do. */
class Short extends Error {}

/**
 * The fields that say a model's shape, from the file's first bytes.
 *
 * @returns undefined where more of the file is needed
 * @throws UserError `not-a-model`
 */
export function ggufFields(bytes: Uint8Array, file: string): GgufFields | undefined {
  try {
    return fieldsOf(new Cursor(bytes, file));
  } catch (error) {
    if (error instanceof Short) return undefined;
    throw error;
  }
}

function fieldsOf(cursor: Cursor): GgufFields {
  if (cursor.uint32() !== MAGIC) throw cursor.wrong(t("it does not begin as one"));
  const version = cursor.uint32();
  if (version !== 2 && version !== 3) throw cursor.wrong(t("its version is {0}", version));
  cursor.skip(8);
  const count = cursor.length(MOST_FIELDS);
  const fields = new Map<string, Field>();
  for (let at = 0; at < count; at++) {
    const name = cursor.text();
    const field = cursor.value(cursor.uint32());
    if (field !== undefined) fields.set(name, field);
  }
  return fields;
}

class Cursor {
  readonly #view: DataView;
  readonly #file: string;
  #at = 0;

  constructor(bytes: Uint8Array, file: string) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#file = file;
  }

  wrong(why: string): Error {
    return notAModel(t("{0} is not a GGUF file that can be read: {1}.", this.#file, why));
  }

  skip(bytes: number): number {
    const at = this.#at;
    if (at + bytes > this.#view.byteLength) throw new Short();
    this.#at += bytes;
    return at;
  }

  uint32(): number {
    return this.#view.getUint32(this.skip(4), true);
  }

  length(most = Number.MAX_SAFE_INTEGER): number {
    const length = this.#view.getBigUint64(this.skip(8), true);
    if (length > BigInt(most)) throw this.wrong(t("its head has a length that cannot be"));
    return Number(length);
  }

  /** Its beginning, where it is long. */
  text(): string {
    const length = this.length();
    const at = this.skip(length);
    const kept = new Uint8Array(this.#view.buffer, this.#view.byteOffset + at, Math.min(length, MOST_TEXT));
    return new TextDecoder().decode(kept);
  }

  /** Undefined for what is no figure or text of one line, and for longer lists than a model has layers. */
  value(type: number): Field | undefined {
    if (type === TEXT) return this.text();
    if (type !== LIST) return this.#number(type);
    const of = this.uint32();
    const length = this.length();
    if (of === TEXT) {
      for (let at = 0; at < length; at++) this.skip(this.length());
      return undefined;
    }
    if (length > MOST_LAYERS) {
      this.skip(length * this.#sizeOf(of));
      return undefined;
    }
    const list = Array.from({ length }, () => this.#number(of));
    return list.every((one) => one !== undefined) ? list : undefined;
  }

  #sizeOf(type: number): number {
    const size = SIZES[type] ?? 0;
    if (size === 0) throw this.wrong(t("a value has the type {0}", type));
    return size;
  }

  #number(type: number): number | undefined {
    const at = this.skip(this.#sizeOf(type));
    const view = this.#view;
    switch (type) {
      case 0:
        return view.getUint8(at);
      case 1:
        return view.getInt8(at);
      case 2:
        return view.getUint16(at, true);
      case 3:
        return view.getInt16(at, true);
      case 4:
        return view.getUint32(at, true);
      case 5:
        return view.getInt32(at, true);
      case 10:
        return Number(view.getBigUint64(at, true));
      case 11:
        return Number(view.getBigInt64(at, true));
      default:
        return undefined;
    }
  }
}

/** @throws UserError `not-a-model` */
export function shapeOfGguf(fields: GgufFields, file: string): CacheShape {
  const architecture = fields.get("general.architecture");
  if (typeof architecture !== "string") throw doesNotSay(file, "general.architecture");
  const known = new Known(fields, architecture, file);
  const count = believableCount(known.needed("block_count"), file);
  const longest = defined({ longest: known.figure("context_length") });
  const rank = known.figure("attention.kv_lora_rank");
  if (rank !== undefined) {
    const keys = rank + (known.figure("rope.dimension_count") ?? 0);
    const notes = [t("Keys and values are kept as latent vectors (MLA), as llama.cpp does since 2025.")];
    return { layers: believable([{ count, keys, values: 0 }], file), ...longest, notes };
  }
  const size =
    known.figure("attention.key_length") ?? known.needed("embedding_length") / known.needed("attention.head_count");
  if (!Number.isInteger(size)) throw doesNotSay(file, `${architecture}.attention.key_length`);
  const values = known.figure("attention.value_length") ?? size;
  const kept = known.headsByLayer(count).filter((heads) => heads > 0);
  const layers = alike(kept.map((heads) => ({ keys: heads * size, values: heads * values })));
  if (layers.length === 0) throw keepsNothing(file);
  const window = known.figure("attention.sliding_window");
  return {
    layers: believable(layers, file),
    ...longest,
    notes: [
      ...(kept.length === count ? [] : [otherState(count - kept.length, architecture)]),
      ...(window === undefined ? [] : [windowOfSome(window)]),
    ],
  };
}

/** What a file says of its architecture. */
class Known {
  readonly #fields: GgufFields;
  readonly #architecture: string;
  readonly #file: string;

  constructor(fields: GgufFields, architecture: string, file: string) {
    this.#fields = fields;
    this.#architecture = architecture;
    this.#file = file;
  }

  figure(name: string): number | undefined {
    const value = this.#field(name);
    return isSize(value) && value > 0 ? value : undefined;
  }

  needed(name: string): number {
    const value = this.figure(name);
    if (value === undefined) throw this.#doesNotSay(name);
    return value;
  }

  /** How many heads keep keys and values: one figure for all layers, or one each, 0 for those that keep none. */
  headsByLayer(count: number): readonly number[] {
    const name = "attention.head_count_kv";
    const said = this.#field(name);
    if (typeof said !== "object") {
      const heads = this.figure(name) ?? this.needed("attention.head_count");
      return Array.from({ length: count }, () => heads);
    }
    if (said.length !== count || !said.every(isSize)) throw this.#doesNotSay(name);
    return said;
  }

  #field(name: string): Field | undefined {
    return this.#fields.get(`${this.#architecture}.${name}`);
  }

  #doesNotSay(name: string): Error {
    return doesNotSay(this.#file, `${this.#architecture}.${name}`);
  }
}

const isSize = (value: Field | undefined): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= MOST_SIZE;
