/** What is known of the selected frame, and what can be done with it. */
import { fullName } from "../../src/massif/tree/frameNames.ts";
import { printable } from "../../src/profile/text/text.ts";
import type { Place } from "../../src/protocol/massif/massif.ts";
import { t } from "../../src/words/t.ts";
import { byId, element } from "../dom.ts";
import { figuresOf, frameAt, isOutsideProject, placeOf, remark } from "../flame/figures.ts";
import type { Graph } from "./analysis/jobs.ts";

export interface DetailsEvents {
  readonly onOpen: (place: Place) => void;
  readonly onZoom: (node: number) => void;
  readonly onCopy: (node: number) => void;
  readonly onOnlyLine: (place: Place) => void;
}

export interface DetailsStrip {
  show(graph: Graph, node: number | undefined): void;
}

/** `train.py:33`. */
export const lineName = ({ path, line }: Place): string =>
  `${printable(path.slice(path.lastIndexOf("/") + 1))}:${line}`;

export function createDetailsStrip(events: DetailsEvents): DetailsStrip {
  const details = byId("details", HTMLElement);
  const open = byId("open-line", HTMLButtonElement);
  const zoom = byId("zoom-in", HTMLButtonElement);
  const copy = byId("copy-stack", HTMLButtonElement);
  const only = byId("only-line", HTMLButtonElement);
  let node: number | undefined;
  let place: Place | undefined;

  open.addEventListener("click", () => place && events.onOpen(place));
  only.addEventListener("click", () => place && events.onOnlyLine(place));
  zoom.addEventListener("click", () => node !== undefined && events.onZoom(node));
  copy.addEventListener("click", () => node !== undefined && events.onCopy(node));

  function offerForFrame(isSelected: boolean): void {
    for (const button of [zoom, copy]) {
      button.disabled = !isSelected;
      button.title = isSelected ? "" : t("Select a frame first.");
    }
  }

  return {
    show(graph, next) {
      node = next;
      const frame = next === undefined ? undefined : frameAt(graph, next);
      place = frame && placeOf(frame);
      open.hidden = place === undefined || isOutsideProject(place);
      only.hidden = place === undefined || graph.request.scope !== undefined;
      if (place) open.textContent = t("Open {0}", lineName(place));
      offerForFrame(node !== undefined);
      if (next === undefined || !frame) {
        const width = graph.sides
          ? t("the memory that changed through it")
          : t("the memory that was allocated through it");
        const hint = t(
          "Each box is a line of Python or a native function, as wide as {0}. Select one to read its figures.",
          width,
        );
        details.replaceChildren(element("p", hint));
        return;
      }
      const title = element("p", frame.kind === "all" ? t("All memory of the stacks shown") : fullName(frame), {
        class: "frame-name",
      });
      const list = element("dl");
      for (const { name, value } of figuresOf(graph, next)) {
        const pair = element("div");
        pair.append(element("dt", name), element("dd", value));
        list.append(pair);
      }
      const note = remark(frame);
      details.replaceChildren(title, list, ...(note === undefined ? [] : [element("p", note, { class: "remark" })]));
    },
  };
}
