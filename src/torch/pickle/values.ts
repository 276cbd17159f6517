/** What a pickle of data holds. Containers may share their parts, and may even hold themselves: walk with care. */
import { t } from "../../words/t.ts";

/** Integers are numbers up to 2^53, else BigInts. */
export type PickleValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | PickleTuple
  | PickleList
  | PickleDict
  | PickleClass
  | PickleObject
  | Folded;

/** What a reader made of a container, and what stands for it from then on. */
export abstract class Folded {
  /** For messages: `a frame`. */
  abstract readonly what: string;
}

export class PickleTuple {
  readonly items: readonly PickleValue[];

  constructor(items: readonly PickleValue[]) {
    this.items = items;
  }
}

/** Of all that have nothing yet: nothing is put into it. */
const NONE: PickleValue[] = [];

/** A list or a dict. */
export abstract class Container {
  /** Place in the memo; -1: none. */
  memo = -1;
  /** What stands for it since it was put into another container; it can no longer change then. */
  placed: PickleValue | undefined = undefined;
  /** Bytes that were counted for it. */
  cost = 0;
}

export class PickleList extends Container {
  items: PickleValue[] = NONE;
  /** How often it has what is only counted; of these `items` has the first. */
  counted = 0;

  clear(): void {
    this.items = NONE;
  }
}

/** Keys in the file's order; of equal ones the last counts, as in Python. */
export class PickleDict extends Container {
  values: PickleValue[] = NONE;
  #keys: readonly PickleValue[] = NONE;
  /** Where they are no other dict's too. */
  #own: PickleValue[] | undefined = undefined;

  get keys(): readonly PickleValue[] {
    return this.#keys;
  }

  /** @param keys are left as they are */
  addKeys(keys: readonly PickleValue[]): void {
    if (this.#keys.length === 0) {
      this.#keys = keys;
      return;
    }
    this.#own ??= [...this.#keys];
    this.#keys = this.#own;
    for (const key of keys) this.#own.push(key);
  }

  addValues(values: PickleValue[]): void {
    if (this.values.length === 0) this.values = values;
    else for (const value of values) this.values.push(value);
  }

  clear(): void {
    this.#keys = NONE;
    this.#own = undefined;
    this.values = NONE;
  }

  get(key: string): PickleValue | undefined {
    return this.values[this.keys.lastIndexOf(key)];
  }
}

/** A class that the file may name: `module.name`. */
export class PickleClass {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** An object of such a class, as data: nothing of the class ever runs. */
export class PickleObject {
  readonly name: string;
  state: PickleValue | undefined = undefined;

  constructor(name: string) {
    this.name = name;
  }
}

/** For messages: `a text`, `a list`. */
export function describe(value: PickleValue | undefined): string {
  switch (typeof value) {
    case "string":
      return t("a text");
    case "boolean":
      return t("a truth value");
    case "object":
      return value === null ? "None" : describeObject(value);
    case "undefined":
      return t("missing");
    default:
      return t("the number {0}", String(value));
  }
}

function describeObject(value: object & PickleValue): string {
  if (value instanceof Folded) return value.what;
  if (value instanceof PickleList) return t("a list");
  if (value instanceof PickleDict) return t("a dict");
  if (value instanceof PickleClass) return t("the class {0}", value.name);
  if (value instanceof PickleObject) return t("an object of {0}", value.name);
  return value instanceof PickleTuple ? t("a tuple") : t("bytes");
}
