/** The table of lines: before, after, change. Rows beyond the first come on demand. */
import { COMPARED_NAMES } from "../../src/compare/label.ts";
import { formatBytes, formatCount, UNKNOWN } from "../../src/profile/text/format.ts";
import { printable } from "../../src/profile/text/text.ts";
import type { CompareDocument, CompareLine } from "../../src/protocol/compare.ts";
import { sentences, t } from "../../src/words/t.ts";
import { button, byId, element } from "../dom.ts";
import { type Choice, isChanged, placeOf, type Row, rowsOf, type Sort } from "./rows.ts";
import { BYTES, changeText, SIGNS, sentence, toneOf, unknown } from "./words.ts";

const PAGE = 100;

export interface LinesHooks {
  readonly goTo: (line: CompareLine) => void;
  readonly sort: (by: Sort) => void;
}

interface Column {
  readonly title: () => string;
  readonly sort?: Sort;
  readonly cell: (row: Row, hooks: LinesHooks) => HTMLElement;
}

const LINE: Column = { title: () => t("Line"), sort: "place", cell: placeCell };
const CHANGES: readonly Column[] = [
  LINE,
  { title: () => t("Before"), cell: (row) => figureCell(sideText(row, "before")) },
  { title: () => t("After"), sort: "after", cell: (row) => figureCell(sideText(row, "after")) },
  { title: () => t("Change"), sort: "change", cell: changeCell },
];
const SPREADS: readonly Column[] = [
  LINE,
  { title: () => t("Median"), sort: "after", cell: (row) => figureCell(sideText(row, "after")) },
  { title: () => t("Runs lie apart"), cell: spreadCell },
];

export function showLines(document: CompareDocument, choice: Choice, hooks: LinesHooks): void {
  const spread = document.before === undefined;
  const shown: Choice = spread ? { ...choice, all: true } : choice;
  const rows = rowsOf(document.lines, shown);
  byId("lines-words", HTMLElement).textContent = wordsOf(document, shown, new Set(rows.map(({ line }) => line)).size);
  byId("all-words", HTMLElement).parentElement?.toggleAttribute("hidden", spread);
  fill(rows, spread ? SPREADS : CHANGES, spread && choice.sort === "change" ? "after" : choice.sort, hooks);
}

function wordsOf({ lines, linesLeft, before, metric }: CompareDocument, choice: Choice, shown: number): string {
  const changed = lines.filter(isChanged).length;
  const unsure = lines.filter((line) => !isChanged(line) && line.net.verdict === "unknown").length;
  const same = lines.length - changed - unsure;
  const measure =
    metric === "heap"
      ? t("Figures are the heap at its peak.")
      : t(
          "Figures are {0}: what a line took with all it called, or where it says so its peak.",
          COMPARED_NAMES[metric],
        );
  const left =
    linesLeft === 0 ? "" : t("{0} more lines with smaller figures are not listed here.", formatCount(linesLeft));
  const filtered = choice.search.trim() === "" ? "" : t("The filter shows {0}.", countText(shown));
  if (before === undefined) return sentences(t("{0} took memory.", countText(lines.length)), measure, filtered, left);
  if (lines.length === 0) return t("The runs have no figures by line.");
  const counts = t("{0} changed by more than the noise, {1} did not.", countText(changed), formatCount(same));
  const rest = unsure === 0 ? "" : t("Whether {0} changed is unknown.", countText(unsure));
  return sentences(counts, rest, measure, filtered, left);
}

const countText = (count: number): string => (count === 1 ? t("1 line") : t("{0} lines", formatCount(count)));

function fill(rows: readonly Row[], columns: readonly Column[], sort: Sort, hooks: LinesHooks): void {
  const host = byId("lines", HTMLElement);
  const more = byId("more", HTMLButtonElement);
  const table = element("table");
  table.append(element("caption", t("Lines, with what each took"), { class: "unseen" }));
  const head = table.createTHead().insertRow();
  for (const column of columns) head.append(headCell(column, sort, hooks));
  const body = table.createTBody();
  const show = (): void => {
    const made = body.rows.length;
    for (const row of rows.slice(made, made + PAGE)) {
      body.insertRow().append(...columns.map(({ cell }) => cell(row, hooks)));
    }
    const left = rows.length - body.rows.length;
    more.hidden = left === 0;
    more.textContent = t("Show more ({0} left)", formatCount(left));
  };
  show();
  more.onclick = show;
  host.replaceChildren(rows.length === 0 ? element("p", t("No line to show."), { class: "quiet" }) : table);
}

function headCell(column: Column, chosen: Sort, hooks: LinesHooks): HTMLElement {
  const { sort } = column;
  const title = column.title();
  const figure = column === LINE ? "" : "figure";
  const cell = element("th", sort === undefined ? title : "", { scope: "col", class: figure });
  if (sort === undefined) return cell;
  cell.setAttribute("aria-sort", sort !== chosen ? "none" : sort === "place" ? "ascending" : "descending");
  cell.append(button(title, () => hooks.sort(sort), { class: "link sort", id: `sort-${sort}` }));
  return cell;
}

function placeCell({ line, what }: Row, { goTo }: LinesHooks): HTMLElement {
  const cell = element("th", "", { scope: "row" });
  // A line that is gone has the number that it had.
  const place = printable(`${line.path}:${placeOf(line)}${line.after === undefined ? ` ${t("before")}` : ""}`);
  const tags = [
    ...(line.after === undefined ? [t("gone")] : line.before === undefined ? [t("new")] : []),
    ...(line.edited ? [t("edited")] : []),
    ...(what === "peak" ? [t("peak")] : []),
  ];
  cell.append(
    button(place, () => goTo(line), { class: "link" }),
    ...tags.map((tag) => element("span", tag, { class: "tag" })),
    element("code", printable(line.text)),
  );
  return cell;
}

function sideText({ line, difference }: Row, side: "before" | "after"): string {
  const measured = difference[side];
  if (measured !== undefined) return formatBytes(measured.median);
  return line[side] === undefined ? UNKNOWN : unknown();
}

const figureCell = (text: string): HTMLElement => element("td", text, { class: "figure" });

function changeCell({ difference }: Row): HTMLElement {
  const tone = toneOf(difference);
  const cell = element("td", "", { class: `figure change ${tone}`, title: sentence(difference) });
  const text = tone === "same" ? t("within noise") : changeText(difference, BYTES);
  cell.append(element("span", SIGNS[tone], { "aria-hidden": "true", class: "mark" }), text);
  return cell;
}

function spreadCell({ difference }: Row): HTMLElement {
  const spread = difference.after?.spread;
  return figureCell(spread === undefined ? unknown() : formatBytes(spread));
}
