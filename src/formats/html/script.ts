/**
 * The report's own program: all can be read without it. It opens and folds sources, sorts tables by a column, and opens
 * all before printing.
 */
export const SCRIPT = `"use strict";
for (const tools of document.querySelectorAll(".tools")) {
  const files = () => document.querySelectorAll("details.file");
  for (const [label, open] of [["Open all", true], ["Fold all", false]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", () => { for (const file of files()) file.open = open; });
    tools.append(button);
  }
}
const UNITS = { B: 1, KiB: 1024, MiB: 1048576, GiB: 1073741824 };
function amount(text) {
  const found = /^[~±≥]? ?([+-]?[\\d.,]+) ?(KiB|MiB|GiB|B)?/.exec(text);
  return found === null ? null : Number(found[1].replaceAll(",", "")) * (UNITS[found[2]] || 1);
}
function compare(a, b) {
  const [x, y] = [amount(a), amount(b)];
  if (x !== null && y !== null) return y - x;
  if (x === null && y === null) return a.localeCompare(b, "en", { numeric: true });
  return x === null ? 1 : -1;
}
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  for (const [column, head] of heads.entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.title = "Sort by this column";
    head.replaceChildren(button);
    if (!head.hasAttribute("aria-sort")) head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const again = head.getAttribute("aria-sort") === "descending";
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", again ? "ascending" : "descending");
      const shown = ({ cells }) => cells[column].dataset.amount ?? cells[column].textContent;
      const rows = [...body.rows].sort((a, b) => compare(shown(a), shown(b)));
      body.append(...(again ? rows.reverse() : rows));
    });
  }
}
addEventListener("beforeprint", () => { for (const part of document.querySelectorAll("details")) part.open = true; });
`;
