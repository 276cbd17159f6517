/** An event of device_traces as a row. It is the commonest dict of a file by far, so its keys are gone over once. */

import { type Phrase, t } from "../../../words/t.ts";
import type { PickleDict, PickleValue } from "../../pickle/values.ts";
import { ACTIONS } from "../model.ts";
import { wrongValue } from "./errors.ts";
import type { EventRow } from "./eventColumns.ts";
import { addressOf, sizeOf } from "./fields.ts";

export const UNKNOWN_ACTION = 255;
const ACTION_NUMBERS: ReadonlyMap<string, number> = new Map(ACTIONS.map((action, place) => [action, place]));

type Row = { -readonly [Key in keyof EventRow]: EventRow[Key] } & { name: string };
const row: Row = { name: "", action: 0, address: 0, size: 0, stack: -1, timeUs: Number.NaN, deviceFree: Number.NaN };

/**
 * @param stackOf the place of the stack that a value is
 * @returns the same row each time, so that millions of them leave nothing behind
 * @throws UserError `snapshot-damaged`
 */
export function readEvent(
  { keys, values }: PickleDict,
  where: Phrase,
  stackOf: (value: PickleValue | undefined, where: Phrase) => number,
): Readonly<Row> {
  let name: string | undefined;
  let address: number | bigint | undefined;
  let size: number | undefined;
  let stack = -1;
  let timeUs = Number.NaN;
  let deviceFree = Number.NaN;
  for (let at = 0; at < keys.length; at++) {
    const value = values[at];
    switch (keys[at]) {
      case "action":
        if (typeof value !== "string") throw wrongValue("action", where, value, t("a text"));
        name = value;
        break;
      case "addr":
        address = addressOf(value, "addr", where);
        break;
      case "size":
        size = sizeOf(value, "size", where);
        break;
      case "frames":
        stack = stackOf(value, where);
        break;
      case "time_us":
        timeUs = sizeOf(value, "time_us", where);
        break;
      case "device_free":
        deviceFree = sizeOf(value, "device_free", where);
        break;
    }
  }
  if (name === undefined) throw wrongValue("action", where, undefined, t("a text"));
  if (size === undefined) throw wrongValue("size", where, undefined, t("a size"));
  if (address === undefined && needsAddress(name)) throw wrongValue("addr", where, undefined, t("an address"));
  row.name = name;
  row.action = ACTION_NUMBERS.get(name) ?? UNKNOWN_ACTION;
  row.address = address ?? 0;
  row.size = size;
  row.stack = stack;
  row.timeUs = timeUs;
  row.deviceFree = deviceFree;
  return row;
}

function needsAddress(action: string): boolean {
  return action !== "oom" && action !== "snapshot" && ACTION_NUMBERS.has(action);
}
