/** Loads the trees behind what is chosen and has them laid out: the newest request counts, answers to others are too late. */
import type { Choice } from "../../src/protocol/massif/massif.ts";
import type { Analyst } from "./analysis/analyst.ts";
import type { Graph, GraphOf, GraphRequest, Tables } from "./analysis/jobs.ts";
import { treesOf } from "./choice.ts";
import type { TreeLoader } from "./treeLoader.ts";

/** Shorter waits need no words. */
const SLOW_MS = 400;

export interface StacksEvents {
  readonly onSlow: () => void;
  readonly onGraph: (graph: Graph) => void;
  readonly onTables: (tables: Tables, graph: Graph) => void;
  readonly onFailed: (error: unknown) => void;
}

export interface StacksLoader {
  load(choice: Choice, how: Omit<GraphRequest, "of">): Promise<void>;
  /** What is under way is no longer wanted. */
  drop(): void;
}

const nextPicture = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

export function createStacksLoader(analyst: Analyst, trees: TreeLoader, events: StacksEvents): StacksLoader {
  /** Counts what was asked for. */
  let ticket = 0;

  async function graphOf(
    choice: Choice,
    how: Omit<GraphRequest, "of">,
    isLate: () => boolean,
  ): Promise<Graph | undefined> {
    const [first, second] = await trees.load(treesOf(choice));
    if (isLate() || first === undefined) return undefined;
    const of: GraphOf =
      second === undefined ? { kind: "snapshot", tree: first } : { kind: "difference", before: first, after: second };
    const made = await analyst.run({ kind: "graph", request: { of, ...how } });
    return isLate() ? undefined : made;
  }

  return {
    async load(choice, how) {
      const mine = ++ticket;
      const isLate = (): boolean => mine !== ticket;
      const slow = setTimeout(() => {
        if (!isLate()) events.onSlow();
      }, SLOW_MS);
      try {
        const graph = await graphOf(choice, how, isLate);
        if (graph === undefined) return;
        clearTimeout(slow);
        events.onGraph(graph);
        // The picture first: on a small machine the worker would take its time.
        await nextPicture();
        if (isLate()) return;
        const tables = await analyst.run({ kind: "tables" });
        if (!isLate()) events.onTables(tables, graph);
      } catch (error) {
        if (!isLate()) events.onFailed(error);
      } finally {
        clearTimeout(slow);
      }
    },
    drop() {
      ticket++;
    },
  };
}
