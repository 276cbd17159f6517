/** Properties that may be absent, but not undefined. */

type MaybeUndefined<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];
/** `T`, of which what may be undefined may be absent. */
export type Defined<T> = { [K in Exclude<keyof T, MaybeUndefined<T>>]: T[K] } & {
  [K in MaybeUndefined<T>]?: Exclude<T[K], undefined>;
};

/** Leaves out what is undefined. For what may be null as well, as figures read from files, there is `present`. */
export function defined<T extends object>(value: T): Defined<T> {
  const result: Record<string, unknown> = {};
  // Without a list of entries, as it is made for each moment of a long run too: that takes twice as long.
  for (const key in value) {
    const part = value[key];
    if (part !== undefined) result[key] = part;
  }
  return result as Defined<T>;
}
