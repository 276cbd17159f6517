/** A moment as text for a mail or an issue. */
import { ledgerText } from "../../src/board/ledger/ledgerText.ts";
import type { Ledger, LedgerChange } from "../../src/board/ledger/model.ts";
import type { ToolReading } from "../../src/board/tools/model.ts";
import { toolsText } from "../../src/board/tools/toolsText.ts";
import { t } from "../../src/words/t.ts";
import { withCommas } from "../prose.ts";

export interface CopiedMoment {
  readonly title: string;
  readonly board: string | undefined;
  readonly simulated: string | undefined;
  /** The moment's name: `12.0 s, peak`. */
  readonly moment: string;
  readonly ledger: Ledger;
  readonly changes: readonly LedgerChange[] | undefined;
  readonly readings: readonly ToolReading[];
}

export function momentAsText({ title, board, simulated, moment, ledger, changes, readings }: CopiedMoment): string {
  const head = withCommas([title, ...(board === undefined ? [] : [board]), moment]);
  return [
    simulated === undefined ? head : t("{0}, simulated: {1}", head, simulated),
    ledgerText(ledger, changes),
    t("Why the tools disagree"),
    toolsText(readings),
  ].join("\n\n");
}
