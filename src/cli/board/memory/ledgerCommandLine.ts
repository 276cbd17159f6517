/** The command `ledger`: of which run, and of which moment of it. */

import { defined } from "../../../profile/defined.ts";
import { t } from "../../../words/t.ts";
import { onlyOneRun, readWords, usageError } from "../../commandLine/options.ts";
import { LEDGER } from "../../commandLine/reference/reading.ts";

export interface LedgerCommand {
  readonly kind: "ledger";
  readonly run: string;
  readonly project?: string;
  readonly at: MomentChoice;
  readonly tools: boolean;
  readonly json: boolean;
}

/** Seconds since the run began, or the moment that is meant by a word. */
export type MomentChoice = "peak" | "baseline" | number;

/**
 * @returns undefined where help was asked for
 * @throws UserError `usage`
 */
export function parseLedger(argv: readonly string[]): LedgerCommand | undefined {
  const { values, positionals } = readWords(argv, LEDGER.options);
  if (values.help) return undefined;
  return {
    kind: "ledger",
    run: onlyOneRun(positionals),
    at: momentChoice(values.at ?? "peak"),
    tools: values.tools ?? false,
    json: values.json ?? false,
    ...defined({ project: values.project }),
  };
}

function momentChoice(text: string): MomentChoice {
  if (text === "peak" || text === "baseline") return text;
  if (/^\d{1,9}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw usageError(t('--at is "peak", "baseline" or seconds since the run began, such as 12.5, not "{0}".', text));
}
