/** The ledger as a table: its groups, their rows, and all of them together. */
import { GROUP_ORDER, groupTotals, readInPart } from "../../../src/board/ledger/ledger.ts";
import type { Ledger, LedgerChange, LedgerGroup, LedgerRow } from "../../../src/board/ledger/model.ts";
import { formatCount } from "../../../src/profile/text/format.ts";
import { t } from "../../../src/words/t.ts";
import { element } from "../../dom.ts";
import { shareText, sizeText } from "../words.ts";
import { headSection, type RowSection, rowSection } from "./ledgerRow.ts";

export interface LedgerTable {
  /** `changes` since the baseline; absent where there is none or it is shown itself. */
  show(ledger: Ledger, changes: readonly LedgerChange[] | undefined): void;
  /** Unfolds a row and brings it into view. */
  reveal(row: string): void;
  /** Brings a group and its rows into view. */
  revealGroup(group: LedgerGroup): void;
}

/** All rows together, which is MemTotal by the ledger's promise. */
function sumRow(ledger: Ledger): HTMLTableRowElement {
  const sum = ledger.rows.reduce((all, { bytes }) => all + (bytes ?? 0), 0);
  const row = element("tr", "", { class: "sum" });
  const rest = element("td", t("{0} bytes, the board’s MemTotal", formatCount(sum)), { colspan: "4", class: "quiet" });
  row.append(
    element("th", t("All rows together"), { scope: "row" }),
    element("td", sizeText(sum), { class: "number" }),
    element("td", shareText(sum, ledger.total), { class: "number share" }),
    rest,
  );
  return row;
}

/** The change of a group, of what is known of it. */
function sumOf(changes: readonly LedgerChange[]): number | undefined {
  const known = changes.flatMap(({ change }) => change ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, change) => sum + change, 0);
}

export function createLedgerTable(table: HTMLTableElement, foot: HTMLTableSectionElement): LedgerTable {
  const heads = new Map(GROUP_ORDER.map((group) => [group, headSection(group)]));
  const rows = new Map<string, RowSection>();
  const placed = new Map<LedgerGroup, readonly HTMLTableSectionElement[]>();

  function sectionOf({ id, group }: Pick<LedgerRow, "id" | "group">): RowSection {
    const section = rows.get(id) ?? rowSection(id, group);
    rows.set(id, section);
    return section;
  }

  /** The bodies of a group: its heading and its rows, or a single row that stands for both. */
  function bodiesOf(
    group: LedgerGroup,
    ledger: Ledger,
    changes: readonly LedgerChange[] | undefined,
  ): readonly HTMLTableSectionElement[] {
    const own = ledger.rows.filter((row) => row.group === group);
    const changed = changes?.filter((change) => change.group === group);
    const gone = changed?.filter(({ id, before }) => (before ?? 0) > 0 && !own.some((row) => row.id === id)) ?? [];
    const bodies = [
      ...own.map((row) => {
        const section = sectionOf(row);
        section.fill(
          row,
          ledger.total,
          changed?.find(({ id }) => id === row.id),
        );
        return section.body;
      }),
      ...gone.map((change) => {
        const section = sectionOf(change);
        section.fillGone(change, ledger.total);
        return section.body;
      }),
    ];
    for (const body of bodies) body.classList.toggle("group", bodies.length === 1);
    const head = heads.get(group);
    if (head === undefined || bodies.length < 2) return bodies;
    head.fill(groupTotals(ledger)[group], readInPart(own), ledger.total, changed && sumOf(changed));
    return [head.body, ...bodies];
  }

  return {
    show(ledger, changes) {
      for (const group of GROUP_ORDER) placed.set(group, bodiesOf(group, ledger, changes));
      const bodies = GROUP_ORDER.flatMap((group) => placed.get(group) ?? []);
      table.classList.toggle("without-baseline", changes === undefined);
      foot.replaceChildren(sumRow(ledger));
      const before = [...table.tBodies];
      if (before.length === bodies.length && before.every((body, i) => body === bodies[i])) return;
      const focused = document.activeElement;
      for (const body of before) body.remove();
      for (const body of bodies) table.insertBefore(body, foot);
      if (focused instanceof HTMLElement && table.contains(focused)) focused.focus({ preventScroll: true });
    },

    reveal(id) {
      rows.get(id)?.open();
    },

    revealGroup(group) {
      const bodies = placed.get(group) ?? [];
      // The heading has nothing to press; the group's first row has.
      bodies
        .find((body) => body.querySelector("button"))
        ?.querySelector("button")
        ?.focus();
      bodies[0]?.scrollIntoView({ block: "nearest" });
    },
  };
}
