/** Random numbers that are the same for the same seed, so that what failed can be tried again. */

export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
}

/** Mulberry32. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { next, below, pick: (items) => items[below(items.length)] ?? items[0] };
}
