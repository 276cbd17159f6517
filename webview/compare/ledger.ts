/** The ledgers side by side: a bar for each side of each row, all of one scale. */
import { GROUP_ORDER, groupLabel } from "../../src/board/ledger/ledger.ts";
import type { Measured } from "../../src/compare/model.ts";
import { printable } from "../../src/profile/text/text.ts";
import type { CompareDocument, CompareLedgerLine } from "../../src/protocol/compare.ts";
import { t } from "../../src/words/t.ts";
import { byId, element } from "../dom.ts";
import { BYTES, changeText, neutralToneOf, SIGNS, sizeText, toneOf } from "./words.ts";

export function showLedger({ ledger, before }: CompareDocument): void {
  byId("ledger-section", HTMLElement).hidden = before === undefined;
  if (before === undefined) return;
  const host = byId("ledger", HTMLElement);
  host.hidden = ledger.length === 0;
  byId("ledger-words", HTMLElement).textContent =
    ledger.length === 0
      ? t("A side has no record of the whole board’s memory, so there is nothing to put side by side.")
      : t(
          "When each run held the most. Bars of all rows have one scale; the upper one is before, the lower one after.",
        );
  if (ledger.length > 0) host.replaceChildren(tableOf(ledger));
}

function tableOf(ledger: readonly CompareLedgerLine[]): HTMLTableElement {
  const table = element("table", "", { class: "ledger" });
  table.append(element("caption", t("Parts of the board’s memory, before and after"), { class: "unseen" }));
  const head = table.createTHead().insertRow();
  const headings = [
    [t("Memory"), ""],
    ["", "bars"],
    [t("Before"), "figure"],
    [t("After"), "figure"],
    [t("Change"), "figure"],
  ];
  for (const [title, css] of headings) {
    head.append(
      title === "" ? element("td", "", { class: "bars" }) : element("th", title, { scope: "col", class: css ?? "" }),
    );
  }
  const most = Math.max(
    1,
    ...ledger.flatMap(({ difference: { before, after } }) => [before?.median ?? 0, after?.median ?? 0]),
  );
  for (const group of GROUP_ORDER) {
    const rows = ledger.filter((row) => row.group === group);
    if (rows.length === 0) continue;
    const body = table.createTBody();
    // A row alone stands for its group.
    if (rows.length > 1) {
      const heading = element("th", groupLabel(group), { scope: "rowgroup", colspan: "5", class: "group" });
      body.insertRow().append(heading);
    }
    for (const row of rows) body.append(rowOf(row, most));
  }
  return table;
}

function rowOf({ group, label, difference }: CompareLedgerLine, most: number): HTMLTableRowElement {
  const isToBeHad = group === "free" || group === "cache";
  const tone = isToBeHad ? neutralToneOf(difference) : toneOf(difference);
  const row = element("tr");
  const bars = element("td", "", { class: "bars", "aria-hidden": "true" });
  bars.append(bar("before", difference.before, most), bar("after", difference.after, most));
  const change = element("td", "", { class: `figure change ${tone}` });
  const text = tone === "same" ? t("within noise") : changeText(difference, BYTES);
  change.append(element("span", SIGNS[tone], { "aria-hidden": "true", class: "mark" }), text);
  row.append(
    element("th", printable(label), { scope: "row" }),
    bars,
    element("td", sizeText(difference.before, BYTES), { class: "figure" }),
    element("td", sizeText(difference.after, BYTES), { class: "figure" }),
    change,
  );
  return row;
}

function bar(side: "before" | "after", measured: Measured | undefined, most: number): HTMLElement {
  // What is not known has an empty place, not a bar of nothing.
  const made = element("span", "", { class: measured === undefined ? "bar-of" : `bar-of known ${side}` });
  made.style.width = `${(100 * Math.max(0, measured?.median ?? 0)) / most}%`;
  return made;
}
