/** What each phase of a run took, with the way to the lines that began them. */

import type { LinePlace } from "../../src/profile/lines/totals.ts";
import { formatChange, formatDuration, UNKNOWN } from "../../src/profile/text/format.ts";
import { PHASE_NAMES, type PhaseCost } from "../../src/profile/torch/phases.ts";
import { say } from "../../src/words/t.ts";
import { button, element } from "../dom.ts";

export function changeText(bytes: number | undefined): string {
  return bytes === undefined ? UNKNOWN : formatChange(bytes);
}

/** A figure that is worked out from others says so. */
export function outsideText({ outside }: Pick<PhaseCost, "outside">): string {
  return outside === undefined ? changeText(outside) : `○ ${formatChange(outside)}`;
}

export function phaseRows(
  costs: readonly PhaseCost[],
  goTo: (place: LinePlace) => void,
): readonly HTMLTableRowElement[] {
  return costs.map((cost) => {
    const { phase, process, t, at, rss, inUse, allocated, reserved } = cost;
    const row = element("tr");
    const name = process === undefined ? say(PHASE_NAMES[phase]) : `${say(PHASE_NAMES[phase])} (${process})`;
    const line = element("td");
    if (at === undefined) line.append(UNKNOWN);
    else line.append(button(`${at.path}:${at.line}`, () => goTo(at), { class: "link" }));
    const figures = [rss, inUse, allocated, reserved].map(changeText);
    row.append(
      element("th", name, { scope: "row" }),
      element("td", formatDuration(t), { class: "number" }),
      line,
      ...[...figures, outsideText(cost)].map((text) => element("td", text, { class: "number" })),
    );
    return row;
  });
}
