/** Python's integers: two's complement, little-endian, of any length. */

const LOW_BYTES = 6;

/** What a number holds exactly, up to 2^53 of either sign; undefined for any other. */
export function smallInteger(bytes: Uint8Array, from: number, to: number): number | undefined {
  if (to - from > LOW_BYTES + 2) return undefined;
  const middle = Math.min(to, from + LOW_BYTES);
  let value = 0;
  let weight = 1;
  for (let at = from; at < middle; at++) {
    value += (bytes[at] ?? 0) * weight;
    weight *= 256;
  }
  // Of seven or eight bytes the rest is one number: a sum that would have to be rounded is above 2^53.
  let high = 0;
  for (let at = to - 1; at >= middle; at--) high = high * 256 + (bytes[at] ?? 0);
  const isNegative = to > from && (bytes[to - 1] ?? 0) > 127;
  if (isNegative) high -= 256 ** (to - middle);
  value += high * weight;
  return Number.isSafeInteger(value) ? value : undefined;
}

export function largeInteger(bytes: Uint8Array, from: number, to: number): bigint {
  let digits = "";
  for (let at = to - 1; at >= from; at--) digits += (bytes[at] ?? 0).toString(16).padStart(2, "0");
  return to === from ? 0n : BigInt.asIntN(8 * (to - from), BigInt(`0x${digits}`));
}
