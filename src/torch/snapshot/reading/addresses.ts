/** Columns of addresses, without a BigInt for each: most are below 2^53, and numbers are much faster. */

const HIGH = 2 ** 32;
/** Of the upper half: below it a number holds the whole address. */
const EXACT_HIGH = 2 ** 21;

/** The column's halves, low ones first; every machine that VS Code runs on is little-endian. */
export function halvesOf(column: BigUint64Array): Uint32Array {
  return new Uint32Array(column.buffer, column.byteOffset, 2 * column.length);
}

export function setAddress(halves: Uint32Array, row: number, address: number | bigint): void {
  const isNumber = typeof address === "number";
  halves[2 * row] = isNumber ? address % HIGH : Number(address & 0xffff_ffffn);
  halves[2 * row + 1] = isNumber ? Math.floor(address / HIGH) : Number(address >> 32n);
}

/** Equal addresses give equal keys for a Map. */
export function addressKey(halves: Uint32Array, row: number): number | bigint {
  const low = halves[2 * row] ?? 0;
  const high = halves[2 * row + 1] ?? 0;
  return high < EXACT_HIGH ? high * HIGH + low : (BigInt(high) << 32n) | BigInt(low);
}

/** As addressKey. */
export function keyOfAddress(address: bigint): number | bigint {
  return address <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(address) : address;
}
