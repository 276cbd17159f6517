/** What lies under the pointer. */

import type { Frame } from "../../src/massif/model.ts";
import { fullName } from "../../src/massif/tree/frameNames.ts";
import { t } from "../../src/words/t.ts";
import { byId, element } from "../dom.ts";
import { figuresOf, frameAt, remark } from "./figures.ts";
import type { StackGraph } from "./stackGraph.ts";

const OFFSET = 14;

export function showTooltip(
  graph: StackGraph | undefined,
  node: number | undefined,
  at: { readonly x: number; readonly y: number },
  remarkOf: (frame: Frame) => string | undefined = remark,
): void {
  const tooltip = byId("tooltip", HTMLElement);
  const host = byId("graph", HTMLElement);
  tooltip.hidden = graph === undefined || node === undefined;
  if (!graph || node === undefined) return;
  const frame = frameAt(graph, node);
  const note = remarkOf(frame);
  tooltip.replaceChildren(
    element("strong", frame.kind === "all" ? t("All memory of the stacks shown") : fullName(frame)),
    ...figuresOf(graph, node).map(({ name, value }) => element("span", t("{0}: {1}", name, value))),
    ...(note === undefined ? [] : [element("span", note)]),
  );
  const { offsetWidth, offsetHeight } = tooltip;
  const left = Math.max(0, Math.min(at.x + OFFSET, host.clientWidth - offsetWidth));
  const below = at.y + OFFSET;
  const top = below + offsetHeight <= host.clientHeight ? below : Math.max(0, at.y - OFFSET - offsetHeight);
  tooltip.style.transform = `translate(${left}px, ${top}px)`;
}
