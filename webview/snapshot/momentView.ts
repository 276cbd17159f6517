/** What is shown of one moment: the map of segments, the flame graph, the legend of lines and the table of blocks. */
import type { Frame } from "../../src/massif/model.ts";
import { formatCount } from "../../src/profile/format.ts";
import type { Place, SnapshotAllocation } from "../../src/protocol/snapshot.ts";
import { byId } from "../dom.ts";
import type { StackGraph } from "../massif/graph/stackGraph.ts";
import type { AllocatorState } from "./decode.ts";
import { isFound, type LineColors } from "./lines.ts";
import { createFlame } from "./stacks/flame.ts";
import { type MapLook, SegmentMap } from "./state/map.ts";
import { figuresOf, segmentRows } from "./state/segments.ts";
import { fillLargest, fillLegend } from "./tables.ts";
import { freePartText, partInSegmentText, stateSentences } from "./words.ts";
import type { WorkspacePaths } from "./workspacePaths.ts";

export interface MomentEvents {
  readonly onAllocation: (allocation: number) => void;
  readonly onFrame: (graph: StackGraph, node: number) => void;
  /** A part of a segment that is free, in words. */
  readonly onFree: (text: string) => void;
  readonly onOpen: (place: Place) => void;
}

export interface MomentView {
  show(state: AllocatorState, graph: StackGraph): void;
  /** What is shown is of another moment than the one that is asked for. */
  wait(): void;
  /** Shows where an allocation is in the map, and its stack in the graph. */
  mark(allocation: SnapshotAllocation): void;
  /** Marks what a text is in; how much that is, in words. */
  find(text: string): string;
  /** After a change of the theme or of the selection. */
  restyle(): void;
  /** Lines whose files are known by now are links. */
  showLines(): void;
}

const HOSTS = ["map", "graph"] as const;

export function createMomentView(
  lines: LineColors,
  paths: WorkspacePaths,
  look: () => MapLook,
  { onAllocation, onFrame, onFree, onOpen }: MomentEvents,
): MomentView {
  let shown: AllocatorState | undefined;

  const map = new SegmentMap(
    byId("map", HTMLElement),
    byId("map-space", HTMLElement),
    byId("map-canvas", HTMLCanvasElement),
    {
      onPick: (spot) => {
        const at = map.at(spot);
        const segment = at && shown?.segments[at.row.segment];
        if (!at || !segment) return;
        byId("map-spot", HTMLElement).textContent = partInSegmentText(at.part, segment);
        const allocation = at.part.block === undefined ? undefined : shown?.blocks.allocation[at.part.block];
        if (allocation === undefined) onFree(freePartText(at.part, segment));
        else onAllocation(allocation);
      },
    },
  );
  const flame = createFlame({
    onSelect: onFrame,
    onOpen,
    remark: (frame: Frame) =>
      frame.kind === "python" && paths.holding(frame.path) === "outside"
        ? "Its file is outside the workspace."
        : undefined,
  });

  function showLines(): void {
    if (!shown) return;
    const { blocks, stacks } = shown;
    const live = Array.from(blocks.stack, (stack, i) => ({ stack, size: blocks.size[i] ?? 0 }));
    const uses = lines.use(stacks, live);
    paths.want(uses.flatMap(({ line }) => (line ? [line.path] : [])));
    fillLegend(uses, look().colors, onOpen, paths);
  }

  return {
    show(state, graph) {
      shown = state;
      paths.want(graph.tree.frames.flatMap((frame) => (frame.kind === "python" ? [frame.path] : [])));
      showLines();
      const rows = segmentRows(state);
      map.show(state, rows, look());
      byId("state-text", HTMLElement).textContent = stateSentences(figuresOf(rows), state.homeless).join(" ");
      fillLargest(state, onAllocation);
      flame.show(graph);
    },
    wait() {
      for (const host of HOSTS) byId(host, HTMLElement).setAttribute("aria-busy", "true");
    },
    mark({ allocation, stack }) {
      map.reveal(allocation);
      flame.mark(stack);
    },
    find(text) {
      flame.find(text);
      const stacks = [...(shown?.stacks.values() ?? [])];
      const found = stacks.filter((name) => isFound(name, text)).length;
      return text === "" ? "" : `${formatCount(found)} of ${formatCount(stacks.length)} stacks at this moment`;
    },
    restyle() {
      map.restyle(look());
      flame.repaint();
      showLines();
    },
    showLines,
  };
}
