/** What is live at the chosen moment in words: the legend of lines, and the table of the largest blocks. */
import { formatBytes, formatCount } from "../../src/profile/text/format.ts";
import type { Place } from "../../src/protocol/torch/snapshot.ts";
import { t } from "../../src/words/t.ts";
import { button, byId, element } from "../dom.ts";
import { cssColor } from "../flame/color.ts";
import { type Colors, shadesOf } from "./colors.ts";
import type { AllocatorState } from "./decode.ts";
import { type LineColor, type LineUse, stackName } from "./lines.ts";
import type { WorkspacePaths } from "./workspacePaths.ts";

const MOST_ROWS = 50;

function swatch(color: string): HTMLElement {
  const made = element("i", "", { class: "swatch" });
  made.style.background = color;
  return made;
}

/** A line's name, which leads to it where its file is in the workspace. */
export function lineLink(
  name: string,
  line: Place | undefined,
  onOpen: (place: Place) => void,
  paths: WorkspacePaths,
): HTMLElement {
  const holding = line && paths.holding(line.path);
  const isLink = line !== undefined && (holding === "file" || holding === "name");
  return isLink ? button(name, () => onOpen(line), { class: "link" }) : element("span", name);
}

/** @param uses heaviest first */
export function fillLegend(
  uses: readonly LineUse[],
  colors: Colors,
  onOpen: (place: Place) => void,
  paths: WorkspacePaths,
): void {
  const key = (color: LineColor, text: HTMLElement, bytes: number): HTMLElement => {
    const item = element("span", "", { class: "key" });
    item.append(
      swatch(cssColor(shadesOf(colors, color)[0])),
      text,
      element("span", formatBytes(bytes), { class: "figure" }),
    );
    return item;
  };
  const keys = uses
    .filter(({ color }) => color !== "other")
    .map(({ name, line, color, bytes }) => key(color, lineLink(name, line, onOpen, paths), bytes));
  const others = uses.filter(({ color }) => color === "other");
  if (others.length > 0) {
    const text = others.length === 1 ? (others[0]?.name ?? "") : t("{0} other lines", formatCount(others.length));
    const bytes = others.reduce((sum, use) => sum + use.bytes, 0);
    keys.push(key("other", element("span", text), bytes));
  }
  byId("legend", HTMLElement).replaceChildren(...keys);
}

/** The blocks in use, largest first, as far as a person reads. */
export function fillLargest({ blocks, stacks }: AllocatorState, onSelect: (allocation: number) => void): void {
  const order = Array.from(blocks.size.keys()).sort((a, b) => (blocks.size[b] ?? 0) - (blocks.size[a] ?? 0));
  const rows = order.slice(0, MOST_ROWS).map((block) => {
    const row = element("tr");
    const line = element("td");
    const name = stackName(stacks.get(blocks.stack[block] ?? -1));
    line.append(button(name, () => onSelect(blocks.allocation[block] ?? 0), { class: "link" }));
    row.append(
      element("td", formatBytes(blocks.size[block] ?? 0), { class: "figure" }),
      line,
      element("td", blocks.state[block] === 1 ? t("awaiting another stream") : t("in use")),
    );
    return row;
  });
  if (order.length > rows.length) {
    const row = element("tr");
    const rest = order.slice(MOST_ROWS).reduce((sum, block) => sum + (blocks.size[block] ?? 0), 0);
    row.append(
      element("td", formatBytes(rest), { class: "figure" }),
      element("td", t("{0} smaller blocks", formatCount(order.length - rows.length))),
      element("td"),
    );
    rows.push(row);
  }
  byId("largest-rows", HTMLElement).replaceChildren(...rows);
}
