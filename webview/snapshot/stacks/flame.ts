/** The flame graph of live bytes: the massif page's graph with the snapshot's stacks in it. */

import type { Frame } from "../../../src/massif/model.ts";
import { fullName } from "../../../src/massif/tree/frameNames.ts";
import type { Place, SnapshotStack } from "../../../src/protocol/torch/snapshot.ts";
import { byId } from "../../dom.ts";
import { fillBreadcrumb } from "../../flame/breadcrumb.ts";
import { frameAt, placeOf } from "../../flame/figures.ts";
import { FlameGraph } from "../../flame/flameGraph.ts";
import { LibraryPlaces } from "../../flame/frameLook.ts";
import type { StackGraph } from "../../flame/stackGraph.ts";
import { showTooltip } from "../../flame/tooltip.ts";
import { containsText } from "../lines.ts";
import { nodeOfStack } from "./liveGraph.ts";

export interface FlameEvents {
  readonly onSelect: (graph: StackGraph, node: number) => void;
  readonly onOpen: (place: Place) => void;
  /** What is special about a frame, in a sentence. */
  readonly remark: (frame: Frame) => string | undefined;
}

export interface LiveFlame {
  show(graph: StackGraph): void;
  /** Until the next one is shown, or until nothing is awaited any more, it is busy, however often it is painted. */
  setAwaited(awaited: boolean): void;
  /** Marks the frames that a text is in; none for an empty one. */
  find(text: string): void;
  /** Marks the frame at which a stack ends. */
  mark(stack: SnapshotStack): void;
  repaint(): void;
}

export function createFlame(events: FlameEvents): LiveFlame {
  const host = byId("graph", HTMLElement);
  const breadcrumb = byId("breadcrumb", HTMLElement);
  let graph: StackGraph | undefined;
  let wanted = "";
  let isAwaited = true;

  const flame = new FlameGraph(host, byId("canvas", HTMLCanvasElement), new LibraryPlaces(), {
    onSelect: (node) => {
      if (graph && node !== undefined) events.onSelect(graph, node);
    },
    onHover: (node, at) => showTooltip(graph, node, at, events.remark),
    onZoom: (node) => {
      if (graph) fillBreadcrumb(breadcrumb, graph, node, (to) => flame.zoomTo(to));
    },
    onOpen: (node) => {
      const place = graph && placeOf(frameAt(graph, node));
      if (place) events.onOpen(place);
    },
    onPainted: () => host.setAttribute("aria-busy", String(isAwaited)),
  });
  byId("reset", HTMLButtonElement).addEventListener("click", () => flame.zoomTo(0));

  function find(text: string): void {
    wanted = text;
    flame.found =
      text === "" || !graph
        ? undefined
        : Uint8Array.from(graph.tree.frames, (frame) => (containsText(fullName(frame), text) ? 1 : 0));
  }

  return {
    show(next) {
      isAwaited = false;
      graph = next;
      showTooltip(undefined, undefined, { x: 0, y: 0 });
      flame.show(next, "icicle");
      flame.zoomTo(0, false);
      find(wanted);
      byId("empty", HTMLElement).hidden = next.layout.node.length > 0;
    },
    setAwaited(awaited) {
      isAwaited = awaited;
      host.setAttribute("aria-busy", String(awaited));
    },
    find,
    mark(stack) {
      if (graph) flame.select(nodeOfStack(graph, stack));
    },
    repaint: () => flame.repaint(),
  };
}
