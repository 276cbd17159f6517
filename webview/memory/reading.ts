/** A moment's figures as rows of names and numbers: beside the chart, and the newest ones in the page's head. */
import { GROUP_ORDER, groupLabel, groupTotals } from "../../src/board/ledger/ledger.ts";
import type { Ledger } from "../../src/board/ledger/model.ts";
import type { Moment } from "../../src/board/moments/model.ts";
import { t } from "../../src/words/t.ts";
import { element } from "../dom.ts";
import { withCommas } from "../prose.ts";
import { swatch } from "./ledger/groups.ts";
import { percentText, shareText, sizeText } from "./words.ts";

export interface Figure {
  readonly name: string;
  readonly value: string;
  /** What it is a part of, or how much of it. */
  readonly note?: string;
}

const difference = (whole: number | undefined, rest: number | undefined): number | undefined =>
  whole === undefined || rest === undefined ? undefined : Math.max(0, whole - rest);

const ofWhole = (bytes: number | undefined, whole: number | undefined): { readonly note?: string } =>
  bytes === undefined || whole === undefined || whole === 0
    ? {}
    : { note: t("of {0}, {1} %", sizeText(whole), Math.round((100 * bytes) / whole)) };

/** What the board has in use is what it could not give to a new program: MemTotal − MemAvailable. */
export function figuresOf(moment: Moment): readonly Figure[] {
  const { MemTotal, MemAvailable, SwapTotal, SwapFree } = moment.meminfo;
  const used = difference(MemTotal, MemAvailable);
  const swap = difference(SwapTotal, SwapFree);
  const run = moment.processes.filter(({ pid }) => moment.run.includes(pid));
  const rss = run.reduce((sum, process) => sum + process.rss, 0);
  return [
    { name: t("RAM used"), value: sizeText(used), ...ofWhole(used, MemTotal) },
    { name: t("Available"), value: sizeText(MemAvailable) },
    { name: t("Swap used"), value: SwapTotal === 0 ? t("no swap") : sizeText(swap), ...ofWhole(swap, SwapTotal) },
    { name: t("GPU load"), value: percentText(moment.gpuLoad) },
    ...(moment.run.length === 0
      ? []
      : [{ name: t("This run (RSS)"), value: run.length === 0 ? sizeText(undefined) : sizeText(rss) }]),
  ];
}

/** The names and values of the page's head. */
export const figureItems = (figures: readonly Figure[]): readonly HTMLElement[] =>
  figures.map(({ name, value, note }) => {
    const item = element("div");
    const told = element("dd", value);
    if (note !== undefined) told.append(element("span", ` ${note}`, { class: "note" }));
    item.append(element("dt", name), told);
    return item;
  });

function tableRow(name: Node | string, value: string, share: string, css = ""): HTMLTableRowElement {
  const row = element("tr", "", css === "" ? {} : { class: css });
  const head = element("th", "", { scope: "row" });
  head.append(name);
  row.append(head, element("td", value, { class: "number" }), element("td", share, { class: "number quiet" }));
  return row;
}

/** The legend of the chart, from the top of its stack down, with the figures of one moment. */
export function legendRows(ledger: Ledger, moment: Moment): readonly HTMLTableRowElement[] {
  const totals = groupTotals(ledger);
  const divided = GROUP_ORDER.filter((group) => ledger.rows.some((row) => row.group === group)).reverse();
  const groups = divided.map((group) => {
    const name = element("span", "", { class: "key" });
    name.append(swatch(group), element("span", groupLabel(group)));
    const bytes = totals[group];
    return tableRow(name, sizeText(bytes), bytes === undefined ? "" : shareText(bytes, ledger.total));
  });
  const beside = figuresOf(moment).map(({ name, value }, i) => tableRow(name, value, "", i === 0 ? "beside" : ""));
  return [...groups, tableRow(t("Total"), sizeText(ledger.total), "", "total"), ...beside];
}

/** The moment in words, for a screen reader. */
export const spokenFigures = (moment: Moment): string =>
  withCommas(
    figuresOf(moment)
      .slice(0, 2)
      .map(({ name, value }) => `${name} ${value}`),
  );
