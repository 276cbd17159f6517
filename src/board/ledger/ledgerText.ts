/** A ledger as text: for a terminal and for the clipboard. */
import { formatBytes, formatChange, formatShare } from "../../profile/text/format.ts";
import { aligned } from "../../profile/text/table.ts";
import { printable } from "../../profile/text/text.ts";
import { type Phrase, phrase, say, t } from "../../words/t.ts";
import { GROUP_ORDER, groupLabel, groupTotals, readInPart } from "./ledger.ts";
import type { Ledger, LedgerChange, LedgerRow, Sureness } from "./model.ts";

const SURENESS_WORDS: Readonly<Record<Sureness, Phrase>> = {
  exact: phrase("exact"),
  estimated: phrase("estimated"),
  inferred: phrase("inferred"),
  unknown: phrase("not readable"),
};

export const surenessWord = (sureness: Sureness): string => say(SURENESS_WORDS[sureness]);

const MOST_PARTS = 6;

/** Without a line end. @param changes since the moment before the run, as of `compareLedgers` */
export function ledgerText(ledger: Ledger, changes?: readonly LedgerChange[]): string {
  if (ledger.total === 0) return ledger.notes.map((note) => printable(t("Note: {0}", note))).join("\n");
  const changed = new Map(changes?.map((change) => [change.id, change.change]));
  const column = (text: string) => (changes === undefined ? [] : [text]);
  const totals = groupTotals(ledger);
  const present = new Set(ledger.rows.map(({ id }) => id));
  const gone = changes?.filter(({ id, before }) => !present.has(id) && before !== undefined && before > 0) ?? [];
  const table = [[t("Size"), t("Share"), ...column(t("Change")), t("Certainty"), t("What")]];
  const rowLines = (row: LedgerRow, indent: string) => {
    const change = column(changeText(changed.get(row.id)));
    const figures = [sizeText(row.bytes), shareText(row.bytes, ledger.total), ...change];
    return [[...figures, surenessWord(row.sureness), `${indent}${row.label}`], ...partLines(row, indent, column(""))];
  };
  for (const group of GROUP_ORDER) {
    const rows = ledger.rows.filter((row) => row.group === group);
    const lost = gone.filter((row) => row.group === group);
    const [only] = rows;
    if (only !== undefined && rows.length + lost.length === 1) {
      table.push(...rowLines(only, ""));
    } else if (rows.length + lost.length > 0) {
      const least = readInPart(rows) ? "≥ " : "";
      const heading = [`${least}${sizeText(totals[group])}`, shareText(totals[group], ledger.total), ...column(""), ""];
      table.push([...heading, groupLabel(group)], ...rows.flatMap((row) => rowLines(row, "  ")));
      for (const { label, change } of lost) {
        table.push(["0 B", shareText(0, ledger.total), ...column(changeText(change)), "", `  ${label}`]);
      }
    }
  }
  table.push([sizeText(ledger.total), "100.0 %", ...column(""), surenessWord("exact"), t("All of the RAM (MemTotal)")]);
  const unread = ledger.rows.flatMap(({ sureness, label, how }) =>
    sureness === "unknown" ? t("{0}: {1}", label, how) : [],
  );
  const lines = aligned(table, changes === undefined ? 2 : 3);
  return [...lines, ...[...unread, ...ledger.notes].map((note) => t("Note: {0}", note))].map(printable).join("\n");
}

function partLines({ parts = [], said = [] }: LedgerRow, indent: string, change: readonly string[]): string[][] {
  const shown = parts.slice(0, parts.length === MOST_PARTS + 1 ? MOST_PARTS + 1 : MOST_PARTS);
  const others = parts.slice(shown.length);
  const rest = others.reduce((sum, { bytes }) => sum + bytes, 0);
  const listed = [...shown, ...(others.length === 0 ? [] : [{ label: t("{0} more", others.length), bytes: rest }])];
  const texts = [
    ...listed.map(({ label, bytes }) => t("{0}: {1}", label, formatBytes(bytes))),
    ...said.map(({ label, bytes }) => t("{0}: {1}, as it says itself", label, formatBytes(bytes))),
  ];
  return texts.map((text) => ["", "", ...change, "", `${indent}  ${text}`]);
}

function sizeText(bytes: number | undefined): string {
  return bytes === undefined ? "-" : formatBytes(bytes);
}

function shareText(bytes: number | undefined, total: number): string {
  return bytes === undefined || total === 0 ? "-" : formatShare(bytes / total);
}

function changeText(change: number | undefined): string {
  return change === undefined ? "-" : formatChange(change);
}
