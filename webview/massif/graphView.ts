/** The graph and what shows the same frames beside it: the way to it, the selected frame's figures, the tree, the legend. */
import { printable } from "../../src/profile/text/text.ts";
import type { Place } from "../../src/protocol/massif/massif.ts";
import { byId } from "../dom.ts";
import { fillBreadcrumb } from "../flame/breadcrumb.ts";
import { frameAt, nodeOf, pathOf, placeOf, stackText } from "../flame/figures.ts";
import { FlameGraph } from "../flame/flameGraph.ts";
import { LibraryPlaces } from "../flame/frameLook.ts";
import { showTooltip } from "../flame/tooltip.ts";
import type { Graph } from "./analysis/jobs.ts";
import { createDetailsStrip } from "./detailsStrip.ts";
import { fillLegend } from "./legend.ts";
import type { MassifStore } from "./pageState.ts";
import type { SidePane } from "./sidePane.ts";
import { StackTree } from "./stackTree.ts";

export interface GraphViewEvents {
  readonly onOpen: (place: Place) => void;
  readonly onCopy: (text: string) => void;
  readonly onOnlyLine: (place: Place) => void;
  /** A frame fills the graph, or all does. */
  readonly onZoom: (isWhole: boolean) => void;
}

export interface GraphView {
  readonly flame: FlameGraph;
  /** Undefined while none can be shown. */
  readonly graph: Graph | undefined;
  readonly selected: number | undefined;
  /** Another one was asked for than is shown. */
  readonly isAwaited: boolean;
  await(): void;
  /** Shows a graph, with what is kept of its zoom and selection. */
  show(graph: Graph): void;
  /** What was shown before must not stand below the name of what could not be shown. */
  showNone(why: string): void;
  /** In place of a graph without frames. */
  showEmpty(why: string): void;
  select(node: number): void;
  /** Brings the selected frame into view in the tree, where that can be seen. */
  revealInTree(): void;
  /** After a change of the theme. */
  restyle(): void;
}

export function createGraphView(store: MassifStore, side: SidePane, events: GraphViewEvents): GraphView {
  const host = byId("graph", HTMLElement);
  const empty = byId("empty", HTMLElement);
  const breadcrumb = byId("breadcrumb", HTMLElement);
  const places = new LibraryPlaces();
  let graph: Graph | undefined;
  let selected: number | undefined;
  let isAwaited = false;

  const flame = new FlameGraph(host, byId("canvas", HTMLCanvasElement), places, {
    onSelect: (node, open) => {
      select(node, "graph");
      if (open && node !== undefined) openNode(node);
    },
    onHover: (node, at) => showTooltip(graph, node, at),
    onZoom: zoomed,
    onOpen: openNode,
    onPainted: (painted) => {
      // One that is painted again while another is loaded is not what was asked for.
      if (painted === graph && !isAwaited) host.setAttribute("aria-busy", "false");
    },
  });
  const details = createDetailsStrip({
    onOpen: events.onOpen,
    onZoom: (node) => flame.zoomTo(node),
    onCopy: (node) => graph && events.onCopy(stackText(graph, node)),
    onOnlyLine: events.onOnlyLine,
  });
  const tree = new StackTree(side.tree, {
    onSelect: (node) => select(node, "tree"),
    onZoom: (node) => flame.zoomTo(node),
    onOpen: openNode,
  });

  function openNode(node: number): void {
    const place = graph && placeOf(frameAt(graph, node));
    if (place) events.onOpen(place);
  }

  function select(node: number | undefined, from: "graph" | "tree" | "page"): void {
    selected = node;
    if (!graph) return;
    if (from !== "graph") flame.select(node);
    if (from !== "tree") revealInTree();
    details.show(graph, node);
    store.keep({ selected: node === undefined ? undefined : pathOf(graph, node) });
  }

  function revealInTree(): void {
    if (selected !== undefined && side.tab === "tree") tree.reveal(selected);
  }

  function zoomed(node: number): void {
    if (!graph) return;
    store.keep({ zoom: pathOf(graph, node) });
    fillBreadcrumb(breadcrumb, graph, node, (to) => flame.zoomTo(to));
    events.onZoom(node === 0);
  }

  function showEmpty(why: string): void {
    empty.textContent = printable(why);
    empty.hidden = why === "";
  }

  function hideTooltip(): void {
    showTooltip(undefined, undefined, { x: 0, y: 0 });
  }

  function paintLegend(): void {
    if (graph) fillLegend(byId("legend", HTMLElement), graph, flame.palette, places);
  }

  return {
    flame,
    get graph() {
      return graph;
    },
    get selected() {
      return selected;
    },
    get isAwaited() {
      return isAwaited;
    },
    await() {
      isAwaited = true;
      host.setAttribute("aria-busy", "true");
    },
    show(next) {
      graph = next;
      isAwaited = false;
      document.body.classList.remove("no-graph");
      hideTooltip();
      places.add(next.libraries);
      const { zoom, selected: path, shape } = store.state;
      flame.show(next, shape);
      flame.zoomTo(nodeOf(next, zoom) ?? 0, false);
      tree.show(next);
      select(path === undefined ? undefined : nodeOf(next, path), "page");
      paintLegend();
    },
    showNone(why) {
      graph = undefined;
      isAwaited = false;
      host.setAttribute("aria-busy", "false");
      hideTooltip();
      document.body.classList.add("no-graph");
      showEmpty(why);
    },
    showEmpty,
    select: (node) => select(node, "page"),
    revealInTree,
    restyle() {
      flame.repaint();
      paintLegend();
    },
  };
}
