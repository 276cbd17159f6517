/** What is shown of one moment: the map of segments, the flame graph, the legend of lines and the table of blocks. */
import type { Frame } from "../../src/massif/model.ts";
import { formatCount } from "../../src/profile/text/format.ts";
import type { Place, SnapshotAllocation } from "../../src/protocol/torch/snapshot.ts";
import { sentences, t } from "../../src/words/t.ts";
import { byId } from "../dom.ts";
import type { StackGraph } from "../flame/stackGraph.ts";
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
  /** Whether what is shown is of another moment than the one that is asked for. */
  setAwaited(awaited: boolean): void;
  /** Shows where an allocation is in the map, and its stack in the graph. */
  mark(allocation: SnapshotAllocation): void;
  /** Marks what a text is in; how much that is, in words. */
  find(text: string): string;
  /** After a change of the theme or of the selection. */
  restyle(): void;
  /** Lines whose files are known by now are links. */
  showLines(): void;
}

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
        ? t("Its file is outside the workspace.")
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
      byId("state-text", HTMLElement).textContent = sentences(...stateSentences(figuresOf(rows), state.homeless));
      fillLargest(state, onAllocation);
      flame.show(graph);
    },
    setAwaited(awaited) {
      map.isAwaited = awaited;
      flame.setAwaited(awaited);
    },
    mark({ allocation, stack }) {
      map.reveal(allocation);
      flame.mark(stack);
    },
    find(text) {
      flame.find(text);
      const stacks = [...(shown?.stacks.values() ?? [])];
      const found = stacks.filter((name) => isFound(name, text)).length;
      return text === "" ? "" : t("{0} of {1} stacks at this moment", formatCount(found), formatCount(stacks.length));
    },
    restyle() {
      map.restyle(look());
      flame.repaint();
      showLines();
    },
    showLines,
  };
}
