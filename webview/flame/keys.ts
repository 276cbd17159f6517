/** What the keys do on the graph. */
import type { Shape } from "./painter.ts";
import type { StackGraph } from "./stackGraph.ts";

export type KeyAction =
  | { readonly kind: "select"; readonly node: number }
  | { readonly kind: "zoom"; readonly node: number }
  | { readonly kind: "scale"; readonly factor: number }
  | { readonly kind: "open" };

const ROOT = 0;
const STEP = 0.7;

/** The first rectangle of the next row that lies below a rectangle: its heaviest child. */
function heaviestChild({ tree, layout }: StackGraph, rectangle: number): number | undefined {
  const row = (layout.depth[rectangle] ?? 0) + 1;
  const [x0, parent] = [layout.x0[rectangle] ?? 0, layout.node[rectangle] ?? 0];
  let low = layout.rows[row] ?? layout.node.length;
  const end = layout.rows[row + 1] ?? layout.node.length;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((layout.x1[middle] ?? 0) > x0) high = middle;
    else low = middle + 1;
  }
  const child = low < end ? layout.node[low] : undefined;
  return child !== undefined && tree.parent[child] === parent ? child : undefined;
}

function beside({ layout }: StackGraph, rectangle: number, step: 1 | -1): number | undefined {
  const row = layout.depth[rectangle] ?? 0;
  const next = rectangle + step;
  return next >= (layout.rows[row] ?? 0) && next < (layout.rows[row + 1] ?? 0) ? layout.node[next] : undefined;
}

function arrow(key: string, graph: StackGraph, shape: Shape, selected: number): number | undefined {
  const away = shape === "icicle" ? "ArrowDown" : "ArrowUp";
  const towardsRoot = shape === "icicle" ? "ArrowUp" : "ArrowDown";
  const node = graph.layout.node[selected] ?? ROOT;
  if (key === away) return heaviestChild(graph, selected);
  if (key === towardsRoot) return node === ROOT ? undefined : graph.tree.parent[node];
  return beside(graph, selected, key === "ArrowRight" ? 1 : -1);
}

/** Undefined when the key is not one of the graph's, or leads nowhere. `selected` is a rectangle. */
export function moveFrom(
  key: string,
  graph: StackGraph,
  shape: Shape,
  selected: number | undefined,
): KeyAction | undefined {
  switch (key) {
    case "ArrowDown":
    case "ArrowUp":
    case "ArrowLeft":
    case "ArrowRight": {
      if (selected === undefined) return { kind: "select", node: ROOT };
      const node = arrow(key, graph, shape, selected);
      return node === undefined ? undefined : { kind: "select", node };
    }
    case "Home":
      return { kind: "select", node: ROOT };
    case "Enter":
      return selected === undefined ? undefined : { kind: "zoom", node: graph.layout.node[selected] ?? ROOT };
    case "Escape":
    case "0":
      return { kind: "zoom", node: ROOT };
    case "+":
      return { kind: "scale", factor: STEP };
    case "-":
      return { kind: "scale", factor: 1 / STEP };
    case "o":
    case "O":
      return { kind: "open" };
    default:
      return undefined;
  }
}
