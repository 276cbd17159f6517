/** Sizes as kernels and NVIDIA's tools print them: a number and a letter, powers of 1024. */

const FACTORS: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Bytes. @param letter `k`, `K`, `M`, `G`, or nothing for bytes */
export function sizeOf(count: string, letter = ""): number {
  return Number(count) * (FACTORS[letter.toLowerCase()] ?? Number.NaN);
}
