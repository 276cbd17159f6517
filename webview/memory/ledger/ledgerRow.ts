/**
 * A group's heading and the rows of the ledger. Each is a table body of its own that is filled anew for each moment, so
 * that a live board takes neither the focus nor what is unfolded from the reader.
 */

import { groupLabel } from "../../../src/board/ledger/ledger.ts";
import { surenessWord } from "../../../src/board/ledger/ledgerText.ts";
import type { LedgerChange, LedgerGroup, LedgerRow } from "../../../src/board/ledger/model.ts";
import { printable } from "../../../src/profile/text/text.ts";
import { t } from "../../../src/words/t.ts";
import { element } from "../../dom.ts";
import { changeText, notRead, SURENESS_SIGNS, shareText, sizeText } from "../words.ts";
import { swatch } from "./groups.ts";

const COLUMNS = "6";

type Figures = readonly [size: HTMLElement, share: HTMLElement, meter: HTMLElement, change: HTMLElement];

function figureCells(row: HTMLTableRowElement): Figures {
  const cell = (css: string): HTMLElement => element("td", "", { class: css });
  const figures = [cell("number"), cell("number share"), cell("meter"), cell("number since")] as const;
  row.append(...figures);
  return figures;
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

function fillUnknown(figures: Figures): void {
  for (const cell of figures) cell.replaceChildren();
  figures[0].textContent = notRead();
}

function fillChange([, , , cell]: Figures, change: number | undefined): void {
  cell.textContent = changeText(change);
  // What stayed as it was steps back behind what did not.
  cell.classList.toggle("none", change === undefined || change === 0);
}

export interface HeadSection {
  readonly body: HTMLTableSectionElement;
  /** @param isLeast some of its rows could not be read */
  fill(bytes: number | undefined, isLeast: boolean, total: number, change: number | undefined): void;
}

export interface RowSection {
  readonly body: HTMLTableSectionElement;
  fill(row: LedgerRow, total: number, change: LedgerChange | undefined): void;
  /** For a row that held something at the baseline and holds nothing now. */
  fillGone(change: LedgerChange, total: number): void;
  /** Unfolds it and brings it into view. */
  open(): void;
}

export function headSection(group: LedgerGroup): HeadSection {
  const body = element("tbody", "", { class: "group" });
  const row = body.insertRow();
  const name = element("th", "", { scope: "rowgroup" });
  const key = element("span", "", { class: "key" });
  key.append(swatch(group), element("span", groupLabel(group)));
  name.append(key);
  row.append(name);
  const figures = figureCells(row);
  row.append(element("td"));
  return {
    body,
    fill(bytes, isLeast, total, change) {
      if (bytes === undefined) {
        fillUnknown(figures);
        return;
      }
      fillFigures(figures, bytes, total, group);
      if (isLeast) figures[0].textContent = `≥ ${sizeText(bytes)}`;
      fillChange(figures, change);
    },
  };
}

type Part = NonNullable<LedgerRow["parts"]>[number];

function partRow(part: Part, total: number, group: LedgerGroup): HTMLTableRowElement {
  const row = element("tr", "", { class: "part" });
  row.append(element("th", part.label, { scope: "row" }));
  fillFigures(figureCells(row), part.bytes, total, group);
  row.append(element("td"));
  return row;
}

/** What is no part of the row has no share and no change. */
function saidRow({ label, bytes }: NonNullable<LedgerRow["said"]>[number]): HTMLTableRowElement {
  const row = element("tr", "", { class: "part said" });
  row.append(element("th", label, { scope: "row" }));
  figureCells(row)[0].textContent = sizeText(bytes);
  row.append(element("td", t("as it says itself"), { class: "sureness" }));
  return row;
}

export function rowSection(id: string, group: LedgerGroup): RowSection {
  const body = element("tbody", "", { "data-row": id });
  const row = body.insertRow();
  const fold = element("button", "", { class: "fold" });
  const name = element("th", "", { scope: "row" });
  // The swatch is seen where the row stands for its group.
  name.append(swatch(group), fold);
  row.append(name);
  const figures = figureCells(row);
  const sureness = element("td", "", { class: "sureness" });
  row.append(sureness);
  const detail = element("tr", "", { class: "detail" });
  const how = element("td", "", { colspan: COLUMNS });
  detail.append(how);
  body.append(detail);
  let unfolded = false;
  let makeParts = (): readonly HTMLTableRowElement[] => [];

  /** A board may have hundreds of processes: their rows are made where somebody looks. */
  function showParts(): void {
    while (detail.nextSibling) detail.nextSibling.remove();
    if (unfolded) body.append(...makeParts());
  }
  function setOpen(open: boolean): void {
    unfolded = open;
    fold.setAttribute("aria-expanded", String(open));
    detail.hidden = !open;
    showParts();
  }
  function fillName(label: string, obtained: string, unknown: boolean): void {
    fold.textContent = printable(label);
    how.textContent = printable(obtained);
    // Why a figure is not there is not to be looked for.
    if (unknown && !body.classList.contains("unknown")) setOpen(true);
    body.classList.toggle("unknown", unknown);
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
      fillName(label, t("It held memory at the baseline and holds none now."), false);
      sureness.replaceChildren();
      fillFigures(figures, 0, total, group);
      fillChange(figures, change);
      makeParts = () => [];
      showParts();
    },
    fill({ label, how: obtained, sureness: sure, bytes, parts = [], said = [] }, total, change) {
      fillName(label, obtained, bytes === undefined);
      sureness.replaceChildren(
        element("span", SURENESS_SIGNS[sure], { "aria-hidden": "true", class: "sign" }),
        element("span", surenessWord(sure), { class: "word" }),
      );
      if (bytes === undefined) {
        fillUnknown(figures);
      } else {
        fillFigures(figures, bytes, total, group);
        fillChange(figures, change?.change);
      }
      makeParts = () => [...parts.map((part) => partRow(part, total, group)), ...said.map(saidRow)];
      showParts();
    },
  };
}
