/** Fields of a snapshot's dicts, checked; `where` names the dict in messages. All throw UserError `snapshot-damaged`. */

import { type Phrase, t } from "../../../words/t.ts";
import { type PickleDict, PickleList, type PickleValue } from "../../pickle/values.ts";
import { wrongValue } from "./errors.ts";

export const ADDRESS_END = 2n ** 64n;

export function sizeOf(value: PickleValue | undefined, key: string, where: Phrase): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
    throw wrongValue(key, where, value, t("a size"));
  }
  return value;
}

export function size(dict: PickleDict, key: string, where: Phrase): number {
  return sizeOf(dict.get(key), key, where);
}

/** @returns a number where it is below 2^53: most are, and BigInts are slow */
export function addressOf(value: PickleValue | undefined, key: string, where: Phrase): number | bigint {
  const isAddress =
    typeof value === "number"
      ? Number.isSafeInteger(value) && value >= 0
      : typeof value === "bigint" && value >= 0n && value < ADDRESS_END;
  if (!isAddress) throw wrongValue(key, where, value, t("an address"));
  return value as number | bigint;
}

export function integer(dict: PickleDict, key: string, where: Phrase): number | bigint {
  const value = dict.get(key);
  if (typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value))) return value;
  throw wrongValue(key, where, value, t("an integer"));
}

export function text(dict: PickleDict, key: string, where: Phrase): string {
  const value = dict.get(key);
  if (typeof value !== "string") throw wrongValue(key, where, value, t("a text"));
  return value;
}

export function list(dict: PickleDict, key: string, where: Phrase): readonly PickleValue[] {
  const value = dict.get(key);
  if (!(value instanceof PickleList)) throw wrongValue(key, where, value, t("a list"));
  return value.items;
}
