/** `profile --repeat N`: the same run several times. `profile --dry-run`: none. */

import { t } from "../../words/t.ts";
import { takeOptions, usageError } from "../commandLine/options.ts";
import { DRY_RUN_OPTIONS, MOST_REPEATS, REPEAT_OPTIONS } from "../commandLine/reference/profile.ts";
import { type ProfileCommand, parseProfile } from "./profileCommandLine.ts";

export interface RepeatCommand {
  readonly kind: "repeat";
  readonly profile: ProfileCommand;
  readonly times: number;
}

export interface DryRunCommand {
  readonly kind: "dry-run";
  readonly profile: ProfileCommand;
}

/**
 * `profile` with or without `--repeat` or `--dry-run`.
 * @returns undefined where help was asked for
 * @throws UserError `usage`
 */
export function parseProfileOrRepeat(
  argv: readonly string[],
): ProfileCommand | RepeatCommand | DryRunCommand | undefined {
  const { values, rest } = takeOptions(argv, { ...REPEAT_OPTIONS, ...DRY_RUN_OPTIONS });
  const value = values.repeat;
  const profile = parseProfile(rest);
  if (profile !== undefined && values["dry-run"] === true) return { kind: "dry-run", profile };
  if (profile === undefined || value === undefined) return profile;
  const times = Number(value);
  if (!/^\d{1,3}$/.test(value) || times < 1 || times > MOST_REPEATS) {
    throw usageError(t('--repeat is a whole number of runs from 1 to {0}, not "{1}".', MOST_REPEATS, value));
  }
  if (profile.metric === "all") throw usageError(t("--repeat compares one kind of memory: rss, cuda or system."));
  return { kind: "repeat", profile, times };
}
