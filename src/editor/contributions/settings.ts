/** What each setting may be and is by default, and its value as a type. Only the values are in the program. */
import type { SettingCategory, SettingValue } from "./model.ts";
import { BOARD_SETTINGS, BOARD_VALUES } from "./settings/board.ts";
import { MASSIF_SETTINGS, MASSIF_VALUES } from "./settings/massif.ts";
import { MEASURING_SETTINGS, MEASURING_VALUES } from "./settings/measuring.ts";
import { SHOWING_SETTINGS, SHOWING_VALUES } from "./settings/showing.ts";

export const SETTING_VALUES = { ...BOARD_VALUES, ...MEASURING_VALUES, ...MASSIF_VALUES, ...SHOWING_VALUES };

/** In VS Code's order. */
export const SETTING_CATEGORIES: readonly SettingCategory[] = [
  BOARD_SETTINGS,
  MEASURING_SETTINGS,
  MASSIF_SETTINGS,
  SHOWING_SETTINGS,
];

type Values = typeof SETTING_VALUES;
export type SettingName = keyof Values;
export type SettingId = `jetsonMemprof.${SettingName}`;

interface Kinds {
  readonly text: string;
  readonly flag: boolean;
  readonly number: number;
  readonly patterns: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}
type ValueOf<Value extends SettingValue> = Value extends { readonly of: readonly (infer Choice)[] }
  ? Choice
  : Value["kind"] extends keyof Kinds
    ? Kinds[Value["kind"]]
    : never;
/** What a setting is once it is checked. */
export type SettingOf<Name extends SettingName> = ValueOf<Values[Name]>;
