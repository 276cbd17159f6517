/** A table that can be sorted by its columns. Every text is set as text, never as markup. */
import { printable } from "../../src/profile/text/text.ts";
import { t } from "../../src/words/t.ts";
import { button, element } from "../dom.ts";
import { withWholeFigures } from "../prose.ts";

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  /** Of a column of figures; they are sorted largest first, texts by the alphabet. */
  readonly figure?: (row: Row) => number;
  /** What a longer name is cut from. */
  readonly hint?: (row: Row) => string;
}

export interface TableParts<Row> {
  readonly caption: string;
  /** The first column's cells are buttons. */
  readonly columns: readonly [Column<Row>, ...Column<Row>[]];
  readonly rows: readonly Row[];
  readonly empty: string;
  readonly onPick: (row: Row) => void;
}

/** Rows made at once; more of them on demand. */
const PAGE = 200;

function sorted<Row>(rows: readonly Row[], { figure, text }: Column<Row>): readonly Row[] {
  const size = (row: Row): number => Math.abs(figure?.(row) ?? 0);
  return [...rows].sort((a, b) => (figure ? size(b) - size(a) : text(a).localeCompare(text(b))));
}

function cellsOf<Row>(row: Row, { columns, onPick }: TableParts<Row>): HTMLTableRowElement {
  const line = element("tr");
  columns.forEach(({ text, figure, hint }, i) => {
    const cell = element("td", "", figure ? { class: "figure" } : {});
    // What a figure may be off by may stand below it.
    if (i > 0) cell.append(...(figure ? withWholeFigures(text(row)) : [text(row)]));
    const title = hint?.(row);
    if (title !== undefined) cell.title = printable(title);
    if (i === 0) cell.append(button(text(row), () => onPick(row), { class: "link" }));
    line.append(cell);
  });
  return line;
}

/** Rows come as they are given, until a column's heading is clicked. */
export function fillTable<Row>(holder: HTMLElement, parts: TableParts<Row>): void {
  if (parts.rows.length === 0) {
    holder.replaceChildren(element("p", parts.empty, { class: "empty" }));
    return;
  }
  const table = element("table");
  table.createCaption().textContent = parts.caption;
  const head = table.createTHead().insertRow();
  const body = table.createTBody();
  const more = button("", () => show(shown + PAGE), { class: "more" });
  let rows = parts.rows;
  let shown = 0;

  function show(count: number): void {
    body.append(...rows.slice(shown, count).map((row) => cellsOf(row, parts)));
    shown = Math.min(count, rows.length);
    more.hidden = shown === rows.length;
    more.textContent = t("Show more ({0} left)", rows.length - shown);
  }

  for (const column of parts.columns) {
    const cell = element("th", "", {
      scope: "col",
      "aria-sort": "none",
      ...(column.figure ? { class: "figure" } : {}),
    });
    cell.append(
      button(column.title, () => {
        for (const other of head.cells) other.setAttribute("aria-sort", "none");
        cell.setAttribute("aria-sort", column.figure ? "descending" : "ascending");
        rows = sorted(parts.rows, column);
        body.replaceChildren();
        const count = Math.max(PAGE, shown);
        shown = 0;
        show(count);
      }),
    );
    head.append(cell);
  }
  show(PAGE);
  holder.replaceChildren(table, more);
}
