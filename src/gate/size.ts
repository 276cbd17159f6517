/** Sizes as people write limits: `3.2GiB`, `500 MB`. Binary and decimal units are kept apart. */
import { UserError } from "../profile/userError.ts";

const UNITS: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

const HINT = "Write a number with its unit, such as 500MiB, 3.2GiB (2^30 bytes) or 3.4GB (10^9 bytes).";

/**
 * @returns bytes
 * @throws UserError `usage`
 */
export function parseSize(option: string, text: string): number {
  const [, digits, unit] = /^\s*(\d+(?:\.\d+)?|\.\d+)\s*(\p{L}*)\s*$/u.exec(text) ?? [];
  if (digits === undefined || unit === undefined) throw usage(`${option}: "${text}" is not a size.`);
  if (unit === "") throw usage(`${option}: ${text} has no unit.`);
  const factor = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
  if (factor === undefined) throw usage(`${option}: "${unit}" is no unit that is known here.`);
  const bytes = Math.round(Number(digits) * factor);
  if (!Number.isSafeInteger(bytes)) throw usage(`${option}: ${text} is more than can be measured.`);
  return bytes;
}

function usage(message: string): UserError {
  return new UserError("usage", message, HINT);
}
