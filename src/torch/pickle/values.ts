/** What a pickle of data holds. Containers may share their parts, and may even hold themselves: walk with care. */

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
  items: PickleValue[] = [];
}

/** Keys in the file's order; of equal ones the last counts, as in Python. */
export class PickleDict extends Container {
  keys: PickleValue[] = [];
  values: PickleValue[] = [];

  get(key: string): PickleValue | undefined {
    return this.values[this.keys.lastIndexOf(key)];
  }
}

/** For messages: `a text`, `a list`. */
export function describe(value: PickleValue | undefined): string {
  switch (typeof value) {
    case "string":
      return "a text";
    case "boolean":
      return "a truth value";
    case "object":
      return value === null ? "None" : describeObject(value);
    case "undefined":
      return "missing";
    default:
      return `the number ${value}`;
  }
}

function describeObject(value: object & PickleValue): string {
  if (value instanceof Folded) return value.what;
  if (value instanceof PickleList) return "a list";
  if (value instanceof PickleDict) return "a dict";
  return value instanceof PickleTuple ? "a tuple" : "bytes";
}
