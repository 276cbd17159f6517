/** What is known of what was selected: an allocation with its stack, a part of a segment, or a frame. */
import { fullName } from "../../src/massif/tree/frameNames.ts";
import { formatBytes, formatCount } from "../../src/profile/text/format.ts";
import type { Place, SnapshotAllocation, SnapshotFrame } from "../../src/protocol/torch/snapshot.ts";
import { phrase, say, t } from "../../src/words/t.ts";
import { button, byId, element } from "../dom.ts";
import { figuresOf, frameAt } from "../flame/figures.ts";
import type { StackGraph } from "../flame/stackGraph.ts";
import { frameText, lifetimeText } from "./words.ts";
import type { WorkspacePaths } from "./workspacePaths.ts";

export interface DetailsParts {
  readonly onOpen: (place: Place) => void;
  readonly onCopy: (text: string) => void;
  readonly paths: WorkspacePaths;
}

export interface Details {
  allocation(allocation: SnapshotAllocation, events: number, cpp: boolean): void;
  frame(graph: StackGraph, node: number): void;
  text(text: string): void;
  /** Nothing is selected. */
  hint(): void;
}

interface Figure {
  readonly name: string;
  readonly value: string;
}

const HINT = phrase("Choose an allocation in the chart, a block in the map, or a frame of the flame graph.");

function figureList(figures: readonly Figure[]): HTMLElement {
  const list = element("dl");
  for (const { name, value } of figures) {
    const pair = element("div");
    pair.append(element("dt", name), element("dd", value));
    list.append(pair);
  }
  return list;
}

export function createDetails({ onOpen, onCopy, paths }: DetailsParts): Details {
  const holder = byId("details", HTMLElement);

  /** A link where the file is in the workspace, and what there is to say of that. */
  function placeParts(text: string, place: Place | undefined): (HTMLElement | string)[] {
    switch (place && paths.holding(place.path)) {
      case "file":
      case "name": {
        const link = button(text, () => place && onOpen(place), { class: "link" });
        const byName = place !== undefined && paths.holding(place.path) === "name";
        return byName ? [link, element("span", t(" found by the file's name only"), { class: "quiet" })] : [link];
      }
      case "outside":
        return [text, element("span", t(" outside the workspace"), { class: "quiet" })];
      case undefined:
        return [text];
    }
  }

  function frameItem(frame: SnapshotFrame): HTMLElement {
    const item = element("li", "", frame.place === undefined ? { class: "native" } : {});
    item.append(...placeParts(frameText(frame), frame.place));
    return item;
  }

  function stackParts(frames: readonly SnapshotFrame[], cpp: boolean, early: boolean): HTMLElement[] {
    if (frames.length === 0)
      return [
        element(
          "p",
          early
            ? t(
                "It was made before the recorded events began, so its stack is not known. Begin to record earlier, or keep more events.",
              )
            : t("No stack was recorded for it. Record with stacks to see which line took it."),
        ),
      ];
    const python = frames.filter(({ place }) => place !== undefined);
    const shown = cpp || python.length === 0 ? frames : python;
    const list = element("ol", "", { "aria-label": t("Stack, innermost first") });
    list.append(...shown.map(frameItem));
    const hidden = frames.length - shown.length;
    const title =
      hidden === 0
        ? t("Stack, innermost first:")
        : hidden === 1
          ? t("Stack, innermost first (1 C++ frame hidden):")
          : t("Stack, innermost first ({0} C++ frames hidden):", formatCount(hidden));
    const copy = button(t("Copy Stack"), () => onCopy(frames.map(frameText).join("\n")));
    return [element("p", title, { class: "quiet" }), list, copy];
  }

  return {
    allocation({ address, size, block, ...rest }, events, cpp) {
      const figures = [
        { name: t("Asked for by the program"), value: formatBytes(size) },
        { name: t("Block"), value: block === undefined ? t("not known") : formatBytes(block) },
        ...(block === undefined ? [] : [{ name: t("Rounded up by"), value: formatBytes(Math.max(0, block - size)) }]),
        { name: t("Address"), value: address },
        { name: t("Live for"), value: lifetimeText({ address, size, ...rest }, events) },
      ];
      holder.replaceChildren(
        element("p", t("Allocation of {0}", formatBytes(size)), { class: "name" }),
        figureList(figures),
        ...stackParts(rest.stack.frames, cpp, events > 0 && rest.start === undefined),
      );
    },
    frame(graph, node) {
      const frame = frameAt(graph, node);
      const place = frame.kind === "python" ? { path: frame.path, line: frame.line } : undefined;
      const name = frame.kind === "all" ? t("All memory of the stacks shown") : fullName(frame);
      const title = element("p", "", { class: "name" });
      title.append(...placeParts(name, place));
      holder.replaceChildren(title, figureList(figuresOf(graph, node)));
    },
    text(text) {
      holder.replaceChildren(element("p", text, { class: "name" }));
    },
    hint() {
      holder.replaceChildren(element("p", say(HINT), { class: "quiet" }));
    },
  };
}
