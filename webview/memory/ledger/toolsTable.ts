/** What each tool would say of the moment, on one scale. */
import type { ToolReading } from "../../../src/board/tools/model.ts";
import { t } from "../../../src/words/t.ts";
import { element } from "../../dom.ts";
import { withTerms } from "../../terms.ts";
import { sizeText } from "../words.ts";

/** The largest first, so that neighbors can be compared; those without a figure last, in the order they came. */
export function inOrder(readings: readonly ToolReading[]): readonly ToolReading[] {
  return [...readings].sort((a, b) => (b.bytes ?? -1) - (a.bytes ?? -1));
}

function row(reading: ToolReading, highest: number): HTMLTableRowElement {
  const { bytes, label, missing, reason, formula, origin } = reading;
  const made = element("tr", "", { class: bytes === undefined ? "tool unknown" : "tool" });
  const meter = element("td", "", { class: "meter" });
  if (bytes !== undefined) {
    const bar = element("span", "", { class: "bar-of tools" });
    bar.style.width = `${(100 * bytes) / highest}%`;
    meter.append(bar);
  }
  const why = element("td", "", { class: "why" });
  const how = origin === "reported" ? t("formula: {0} (reported by the tool itself)", formula) : `= ${formula}`;
  why.append(
    element("p", missing ?? reason),
    ...(missing === undefined ? [] : [element("p", reason, { class: "quiet" })]),
    element("p", how, { class: "formula" }),
  );
  made.append(
    withTerms("th", label, { scope: "row" }),
    element("td", sizeText(bytes), { class: "number" }),
    meter,
    why,
  );
  return made;
}

export function toolRows(readings: readonly ToolReading[]): readonly HTMLTableRowElement[] {
  const highest = Math.max(1, ...readings.map(({ bytes }) => bytes ?? 0));
  return inOrder(readings).map((reading) => row(reading, highest));
}
