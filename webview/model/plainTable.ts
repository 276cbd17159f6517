/** A table of texts; rows beyond the first come on demand. */
import { formatCount } from "../../src/profile/text/format.ts";
import { t } from "../../src/words/t.ts";
import { button, element } from "../dom.ts";
import { withTerms } from "../terms.ts";

export interface PlainColumn<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string | HTMLElement;
  /** Figures stand at the right. */
  readonly figure?: true;
}

const PAGE = 50;

export function plainTable<Row>(
  caption: string,
  columns: readonly PlainColumn<Row>[],
  rows: readonly Row[],
): HTMLElement {
  const table = element("table");
  table.createCaption().textContent = caption;
  const head = table.createTHead().insertRow();
  for (const { title, figure } of columns)
    head.append(withTerms("th", title, { scope: "col", ...(figure ? { class: "figure" } : {}) }));
  const body = table.createTBody();
  const more = button("", () => show());
  const show = (): void => {
    const made = body.rows.length;
    for (const row of rows.slice(made, made + PAGE)) {
      const line = body.insertRow();
      for (const { cell, figure } of columns) {
        const content = element("td", "", figure ? { class: "figure" } : {});
        content.append(cell(row));
        line.append(content);
      }
    }
    const left = rows.length - body.rows.length;
    more.hidden = left === 0;
    more.textContent = t("Show more ({0} left)", formatCount(left));
  };
  show();
  // What is wider than the page scrolls by itself; a keyboard must be able to do that too.
  const holder = element("div", "", { class: "wide-table", tabindex: "0", role: "group", "aria-label": caption });
  holder.append(table, more);
  return holder;
}
