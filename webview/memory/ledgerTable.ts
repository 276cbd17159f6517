/**
 * The ledger as a table. Its rows are kept from one moment to the next and only filled anew, so that a live board takes
 * neither the focus nor what is unfolded from the reader.
 */
import { GROUP_LABELS, GROUP_ORDER, groupTotals } from "../../src/board/ledger/ledger.ts";
import type { Ledger, LedgerChange, LedgerGroup, LedgerRow } from "../../src/board/ledger/model.ts";
import { formatCount } from "../../src/profile/format.ts";
import { element } from "../dom.ts";
import { swatch } from "./groups.ts";
import { changeText, SURENESS_SIGNS, shareText, sizeText } from "./words.ts";

const COLUMNS = "6";

export interface LedgerTable {
  /** `changes` since the baseline; absent where there is none or it is shown itself. */
  show(ledger: Ledger, changes: readonly LedgerChange[] | undefined): void;
  /** Unfolds a row and brings it into view. */
  reveal(row: string): void;
}

type Figures = readonly [size: HTMLElement, share: HTMLElement, meter: HTMLElement, change: HTMLElement];

function figureCells(row: HTMLTableRowElement): Figures {
  const cells = ["number", "number share", "meter", "number since"].map((css) => element("td", "", { class: css }));
  row.append(...cells);
  const [size, share, meter, change] = cells;
  if (!size || !share || !meter || !change) throw new Error("A row of the ledger has four figures.");
  return [size, share, meter, change];
}

function fillFigures([size, share, meter, change]: Figures, bytes: number, total: number, group: LedgerGroup): void {
  size.textContent = sizeText(bytes);
  share.textContent = shareText(bytes, total);
  const bar = meter.firstElementChild instanceof HTMLElement ? meter.firstElementChild : element("span", "");
  bar.className = `bar-of ${group}`;
  bar.style.width = `${total > 0 ? (100 * bytes) / total : 0}%`;
  meter.replaceChildren(bar);
  change.textContent = "";
}

function fillChange([, , , cell]: Figures, change: number | undefined): void {
  cell.textContent = changeText(change);
  // What stayed as it was steps back behind what did not.
  cell.classList.toggle("none", change === undefined || change === 0);
}

interface Section {
  readonly body: HTMLTableSectionElement;
}
interface RowSection extends Section {
  fill(row: LedgerRow, total: number, change: LedgerChange | undefined): void;
  open(): void;
}

function headSection(
  group: LedgerGroup,
): Section & { fill(bytes: number | undefined, total: number, change: number | undefined): void } {
  const body = element("tbody", "", { class: "group" });
  const row = body.insertRow();
  const name = element("th", "", { scope: "rowgroup" });
  const key = element("span", "", { class: "key" });
  key.append(swatch(group), element("span", GROUP_LABELS[group]));
  name.append(key);
  row.append(name);
  const figures = figureCells(row);
  row.append(element("td"));
  return {
    body,
    fill(bytes, total, change) {
      if (bytes === undefined) {
        for (const cell of figures) cell.replaceChildren();
        figures[0].textContent = "not read";
        return;
      }
      fillFigures(figures, bytes, total, group);
      fillChange(figures, change);
    },
  };
}

function rowSection(id: string, group: LedgerGroup): RowSection {
  const body = element("tbody", "", { "data-row": id });
  const row = body.insertRow();
  const fold = element("button", "", { class: "fold", "aria-expanded": "false" });
  const name = element("th", "", { scope: "row" });
  name.append(fold);
  row.append(name);
  const figures = figureCells(row);
  const sureness = element("td", "", { class: "sureness" });
  row.append(sureness);
  let parts: HTMLTableRowElement[] = [];
  const detail = element("tr", "", { class: "detail" });
  const how = element("td", "", { colspan: COLUMNS });
  detail.append(how);
  body.append(detail);
  let unfolded = false;

  function setOpen(open: boolean): void {
    unfolded = open;
    fold.setAttribute("aria-expanded", String(open));
    for (const inner of [detail, ...parts]) inner.hidden = !open;
  }
  setOpen(false);
  fold.addEventListener("click", () => setOpen(!unfolded));

  return {
    body,
    open() {
      setOpen(true);
      fold.focus({ preventScroll: true });
      row.scrollIntoView({ block: "nearest" });
    },
    fill(next, total, change) {
      fold.textContent = next.label;
      how.textContent = next.how;
      sureness.replaceChildren(
        element("span", SURENESS_SIGNS[next.sureness], { "aria-hidden": "true", class: "sign" }),
        element("span", next.sureness, { class: "word" }),
      );
      const unknown = next.bytes === undefined;
      // Why a figure is not there is not to be looked for.
      if (unknown && !body.classList.contains("unknown")) setOpen(true);
      body.classList.toggle("unknown", unknown);
      if (next.bytes === undefined) {
        for (const cell of figures) cell.replaceChildren();
        figures[0].textContent = "not read";
      } else {
        fillFigures(figures, next.bytes, total, group);
        fillChange(figures, change?.change);
      }
      for (const part of parts) part.remove();
      parts = (next.parts ?? []).map((part) => {
        const made = element("tr", "", { class: "part" });
        made.append(element("th", part.label, { scope: "row" }));
        fillFigures(figureCells(made), part.bytes, total, group);
        made.append(element("td"));
        made.hidden = !unfolded;
        return made;
      });
      body.append(...parts);
    },
  };
}

/** All rows together, which is MemTotal by the ledger's promise. */
function sumRow(ledger: Ledger): HTMLTableRowElement {
  const sum = ledger.rows.reduce((all, { bytes }) => all + (bytes ?? 0), 0);
  const row = element("tr", "", { class: "sum" });
  const rest = element("td", `${formatCount(sum)} bytes, the board’s MemTotal`, { colspan: "4", class: "quiet" });
  row.append(
    element("th", "All rows together", { scope: "row" }),
    element("td", sizeText(sum), { class: "number" }),
    element("td", shareText(sum, ledger.total), { class: "number share" }),
    rest,
  );
  return row;
}

/** The change of a group, where each of its rows' is known. */
function groupChange(changes: readonly LedgerChange[], group: LedgerGroup): number | undefined {
  const known = changes.flatMap((row) => (row.group === group && row.change !== undefined ? [row.change] : []));
  return known.length === 0 ? undefined : known.reduce((sum, change) => sum + change, 0);
}

export function createLedgerTable(table: HTMLTableElement, foot: HTMLTableSectionElement): LedgerTable {
  const heads = new Map(GROUP_ORDER.map((group) => [group, headSection(group)]));
  const rows = new Map<string, RowSection>();

  function sectionOf({ id, group }: LedgerRow): RowSection {
    const section = rows.get(id) ?? rowSection(id, group);
    rows.set(id, section);
    return section;
  }

  return {
    show(ledger, changes) {
      const totals = groupTotals(ledger);
      const bodies = GROUP_ORDER.flatMap((group) => {
        const own = ledger.rows.filter((row) => row.group === group);
        if (own.length === 0) return [];
        const head = heads.get(group);
        head?.fill(totals[group], ledger.total, changes && groupChange(changes, group));
        return [
          ...(head ? [head.body] : []),
          ...own.map((row) => {
            const section = sectionOf(row);
            section.fill(
              row,
              ledger.total,
              changes?.find(({ id }) => id === row.id),
            );
            return section.body;
          }),
        ];
      });
      table.classList.toggle("without-baseline", changes === undefined);
      foot.replaceChildren(sumRow(ledger));
      const placed = [...table.tBodies];
      if (placed.length === bodies.length && placed.every((body, i) => body === bodies[i])) return;
      const focused = document.activeElement;
      for (const body of placed) body.remove();
      for (const body of bodies) table.insertBefore(body, foot);
      if (focused instanceof HTMLElement && table.contains(focused)) focused.focus({ preventScroll: true });
    },

    reveal(id) {
      rows.get(id)?.open();
    },
  };
}
