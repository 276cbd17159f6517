/** The way from the root to the frame that fills the graph. */
import { fullName } from "../../src/massif/tree/frameNames.ts";
import { stackOf } from "../../src/massif/tree/treeShape.ts";
import { t } from "../../src/words/t.ts";
import { button, element } from "../dom.ts";
import { frameAt } from "./figures.ts";
import { label } from "./frameLook.ts";
import type { StackGraph } from "./stackGraph.ts";

export function fillBreadcrumb(
  holder: HTMLElement,
  graph: StackGraph,
  zoomed: number,
  onPick: (node: number) => void,
): void {
  holder.replaceChildren(
    ...[0, ...stackOf(graph.tree, zoomed)].map((node) => {
      const frame = frameAt(graph, node);
      const item = element("li");
      const current = node === zoomed ? { "aria-current": "location" } : {};
      const name = frame.kind === "all" ? t("All") : label(frame);
      item.append(button(name, () => onPick(node), { class: "link", title: fullName(frame), ...current }));
      return item;
    }),
  );
  // The end of a long way is what matters.
  holder.scrollLeft = holder.scrollWidth;
}
