/** A setting's value, checked by its declaration: what a workspace's settings file says is untrusted. */
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import type { SettingValue } from "../contributions/model.ts";
import { SETTING_VALUES, type SettingName, type SettingOf } from "../contributions/settings.ts";

/** Reads one setting below `jetsonMemprof`. */
export type ReadSetting = (name: SettingName) => unknown;
export type CheckedSetting = <Name extends SettingName>(name: Name) => SettingOf<Name>;

/** How it is said that a setting is not as it `must be`. */
type Complaint = (id: string, expected: string) => string;

const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const notAsItMust: Complaint = (id, expected) => t("The setting {0} {1}.", id, expected);

/**
 * What is not set is the default; what cannot be taken is an error.
 *
 * @returns what throws UserError `bad-setting`
 */
export function checkedSettings(read: ReadSetting, complaint: Complaint = notAsItMust): CheckedSetting {
  return (name) => {
    const { value, expected } = check(SETTING_VALUES[name], read(name));
    if (expected !== undefined) {
      throw new UserError(
        "bad-setting",
        complaint(`jetsonMemprof.${name}`, expected),
        t("Correct it in the settings."),
      );
    }
    return value as SettingOf<typeof name>;
  };
}

/** What cannot be taken counts as not set. Never fails. */
export function lenientSettings(read: ReadSetting): CheckedSetting {
  return (name) => {
    const declared = SETTING_VALUES[name];
    const { value, expected } = check(declared, read(name));
    return (expected === undefined ? value : declared.default) as SettingOf<typeof name>;
  };
}

interface Checked {
  readonly value?: unknown;
  /** What it must be, where it is not. */
  readonly expected?: string;
}

function check(declared: SettingValue, given: unknown): Checked {
  const value = given ?? declared.default;
  const { kind } = declared;
  switch (kind) {
    case "text":
      return typeof value === "string" ? { value: value.trim() || declared.default } : { expected: t("must be text") };
    case "flag":
      return typeof value === "boolean" ? { value } : { expected: t("must be true or false") };
    case "number": {
      const { least, most = Number.POSITIVE_INFINITY, whole } = declared;
      if (typeof value === "number" && value >= least && value <= most)
        return { value: whole ? Math.round(value) : value };
      return { expected: rangeText(least, most) };
    }
    case "choice":
      return declared.of.some((one) => one === value)
        ? { value }
        : { expected: t("must be one of these: {0}", declared.of.map((one) => `"${one}"`).join(", ")) };
    case "patterns":
      return Array.isArray(value) && value.every((item) => typeof item === "string")
        ? { value: value.filter((item) => item.trim() !== "") }
        : { expected: t("must be a list of patterns") };
    case "variables":
      return areVariables(value)
        ? { value: { ...value } }
        : { expected: t('must be names of variables with a text each, such as { "OMP_NUM_THREADS": "2" }') };
  }
}

const rangeText = (least: number, most: number): string =>
  Number.isFinite(most)
    ? t("must be a number from {0} to {1}", least, most)
    : t("must be a number, {0} or more", least);

function areVariables(value: unknown): value is Readonly<Record<string, string>> {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(value).every(([name, text]) => ENVIRONMENT_NAME.test(name) && typeof text === "string")
  );
}
