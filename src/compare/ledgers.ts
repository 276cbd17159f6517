/** The board's RAM row by row, each side at the moment when its run held the most. */
import { GROUP_ORDER } from "../board/ledger/ledger.ts";
import type { LedgerRow } from "../board/ledger/model.ts";
import type { LedgerLine } from "./model.ts";
import { BOARD_FLOOR, differenceOf, type Repeated } from "./noise.ts";
import type { LoadedSide } from "./side.ts";

/** Every row of any run; empty where a side has no ledger. */
export function compareLedgers(before: LoadedSide, after: LoadedSide): LedgerLine[] {
  const [old, now] = [before, after].map(ledgersOf);
  if (old === undefined || now === undefined || old.length === 0 || now.length === 0) return [];
  const rows = new Map([...now, ...old].flatMap((ledger) => [...ledger.values()].map((row) => [row.id, row] as const)));
  return [...rows.values()]
    .sort((a, b) => GROUP_ORDER.indexOf(a.group) - GROUP_ORDER.indexOf(b.group))
    .map(({ id, group, label }) => ({
      id,
      group,
      label,
      difference: differenceOf(valuesOf(old, id), valuesOf(now, id), BOARD_FLOOR),
    }));
}

type ById = ReadonlyMap<string, LedgerRow>;

function ledgersOf({ runs }: LoadedSide): ById[] {
  return runs.flatMap(({ ledger }) =>
    ledger === undefined ? [] : [new Map(ledger.rows.map((row) => [row.id, row] as const))],
  );
}

/** A row that a ledger does not have held nothing there; one without bytes could not be read. */
function valuesOf(ledgers: readonly ById[], id: string): Repeated {
  const values = ledgers.flatMap((ledger) => {
    const row = ledger.get(id);
    return row === undefined ? 0 : (row.bytes ?? []);
  });
  return { values, uncertain: 0 };
}
