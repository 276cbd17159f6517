/** Frames that are marked in the graph: those that a text is found in, or that a table's row stands for. */
import type { Frame } from "../../src/massif/model.ts";
import { matchesIn, searchExpression } from "../../src/massif/tree/search.ts";
import { formatChange, formatCount } from "../../src/profile/text/format.ts";
import { t } from "../../src/words/t.ts";
import { withShare } from "../flame/figures.ts";
import type { GraphView } from "./graphView.ts";
import type { Matching } from "./matching/matching.ts";
import type { Toolbar } from "./toolbar.ts";

export interface Search {
  /** Searches what is shown for the text as it is by now. */
  run(): Promise<void>;
  /** Selects the next frame that was found. */
  next(): void;
  /** Marks frames as a search does what it finds, and goes to the widest of them. */
  mark(matches: (frame: Frame) => boolean, name: string): void;
  unmark(): void;
  /** What was found is of another graph. */
  forget(): void;
}

/** @param textOf what is searched for, empty where nothing is */
export function createSearch(
  matching: Matching,
  view: GraphView,
  toolbar: Pick<Toolbar, "showMatches">,
  textOf: () => string,
  report: (error: unknown) => void,
): Search {
  let found: readonly number[] = [];
  let isSearching = false;

  function unmark(): void {
    view.flame.found = undefined;
    toolbar.showMatches("", false);
  }

  async function searchOnce(text: string): Promise<void> {
    found = [];
    const { graph } = view;
    if (text === "" || !graph) {
      unmark();
      return;
    }
    const expression = searchExpression(text);
    const frames =
      expression.kind === "invalid"
        ? expression.message
        : await matching.match(graph.tree, expression).catch((error: Error) => error.message);
    // Another graph is searched once it is shown.
    if (graph !== view.graph || view.isAwaited || text !== textOf()) return;
    if (typeof frames === "string") {
      view.flame.found = undefined;
      toolbar.showMatches(frames, false);
      return;
    }
    const result = matchesIn(graph.tree, frames, graph.ends);
    const { weights, sides, whole } = graph;
    // Of a change, what is as it was is not drawn.
    found = Array.from(result.nodes).filter((node) => (weights[node] ?? 0) > 0);
    const size = sides ? formatChange(result.bytes) : withShare(result.bytes, whole);
    view.flame.found = result.frames;
    toolbar.showMatches(
      found.length === 0 ? t("No frame matches.") : t("{0} found · {1}", formatCount(found.length), size),
      found.length > 0,
    );
  }

  return {
    /** While one text is searched for, all that is typed meanwhile is passed over but for the last. */
    async run() {
      if (isSearching) return;
      isSearching = true;
      let text: string;
      let graph: GraphView["graph"];
      do {
        [text, graph] = [textOf(), view.graph];
        await searchOnce(text).catch(report);
      } while (text !== textOf() || graph !== view.graph);
      isSearching = false;
    },
    next() {
      const from = view.selected ?? -1;
      const to = found.find((node) => node > from) ?? found[0];
      if (to !== undefined) view.select(to);
    },
    mark(matches, name) {
      if (!view.graph) return;
      const { tree, weights } = view.graph;
      const marked = Uint8Array.from(tree.frames, (frame) => (matches(frame) ? 1 : 0));
      let widest: number | undefined;
      for (let node = 1; node < tree.frame.length; node++) {
        if (marked[tree.frame[node] ?? 0] === 0) continue;
        if (widest === undefined || (weights[node] ?? 0) > (weights[widest] ?? 0)) widest = node;
      }
      found = [];
      view.flame.found = widest === undefined ? undefined : marked;
      toolbar.showMatches(
        widest === undefined ? t("No frame of {0} is in this view.", name) : t("Marked: {0}", name),
        false,
      );
      if (widest !== undefined) view.select(widest);
    },
    unmark,
    forget() {
      found = [];
    },
  };
}
