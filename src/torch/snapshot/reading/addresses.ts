/** Columns of addresses, without a BigInt for each: most are below 2^53, and numbers are much faster. */

const HIGH = 2 ** 32;

/** The column's halves, low ones first; every machine that VS Code runs on is little-endian. */
export function halvesOf(column: BigUint64Array): Uint32Array {
  return new Uint32Array(column.buffer, column.byteOffset, 2 * column.length);
}

export function setAddress(halves: Uint32Array, row: number, address: number | bigint): void {
  const isNumber = typeof address === "number";
  const low = isNumber ? address >>> 0 : Number(address & 0xffff_ffffn);
  halves[2 * row] = low;
  halves[2 * row + 1] = isNumber ? (address - low) / HIGH : Number(address >> 32n);
}
