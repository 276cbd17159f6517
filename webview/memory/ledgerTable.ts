/**
 * The ledger as a table. Its rows are kept from one moment to the next and only filled anew, so that a live board takes
 * neither the focus nor what is unfolded from the reader.
 */
import { GROUP_LABELS, GROUP_ORDER, groupTotals } from "../../src/board/ledger/ledger.ts";
import { SURENESS_WORDS } from "../../src/board/ledger/ledgerText.ts";
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
  /** Brings a group and its rows into view. */
  revealGroup(group: LedgerGroup): void;
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
  /** For a row that held something at the baseline and holds nothing now. */
  fillGone(change: LedgerChange, total: number): void;
  /** Unfolds it and brings it into view. */
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
  // The swatch is seen where the row stands for its group.
  name.append(swatch(group), fold);
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
    fillGone({ label, change }, total) {
      fold.textContent = label;
      how.textContent = "It held memory at the baseline and holds none now.";
      sureness.replaceChildren();
      body.classList.remove("unknown");
      fillFigures(figures, 0, total, group);
      fillChange(figures, change);
      for (const part of parts) part.remove();
      parts = [];
    },
    fill(next, total, change) {
      fold.textContent = next.label;
      how.textContent = next.how;
      sureness.replaceChildren(
        element("span", SURENESS_SIGNS[next.sureness], { "aria-hidden": "true", class: "sign" }),
        element("span", SURENESS_WORDS[next.sureness], { class: "word" }),
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
    head.fill(groupTotals(ledger)[group], ledger.total, changed && sumOf(changed));
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
