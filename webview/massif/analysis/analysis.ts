/** What the worker does: keeps the trees it was given and makes graphs, tables and exports of them. No browser in it. */
import { changeWeights, difference } from "../../../src/massif/difference.ts";
import { folded, foldedDifference } from "../../../src/massif/exports/folded.ts";
import { heapProfile } from "../../../src/massif/exports/heapprofile.ts";
import { speedscope } from "../../../src/massif/exports/speedscope.ts";
import { flameGraphSvg } from "../../../src/massif/exports/svg.ts";
import type { DifferenceTree, FrameTree } from "../../../src/massif/model.ts";
import { doubtsOf } from "../../../src/massif/sampled.ts";
import { frameTreeOf, viewOf } from "../../../src/massif/tree/frameTree.ts";
import { layOut } from "../../../src/massif/tree/layout.ts";
import { scopeToLine } from "../../../src/massif/tree/scope.ts";
import { subtreeEnds } from "../../../src/massif/tree/treeShape.ts";
import { defined } from "../../../src/profile/defined.ts";
import { UserError } from "../../../src/profile/userError.ts";
import { MAX_EXPORT } from "../../../src/protocol/massif/massif.ts";
import { t } from "../../../src/words/t.ts";
import { decodeTree } from "../../flame/decode.ts";
import { librariesOf } from "../../flame/libraries.ts";
import type { Graph, GraphRequest, Job, Results, Tables, TextFormat } from "./jobs.ts";
import { tablesOf } from "./tables.ts";

/** Two sides of a comparison, and the two before that to go back to. */
const KEPT_TREES = 4;

/** What the last graph was made of. */
interface Shown {
  readonly request: GraphRequest;
  /** One snapshot, or before and after; allocators first, all frames, in scope. */
  readonly stacks: readonly FrameTree[];
  readonly tree: FrameTree;
  readonly weights: Float64Array;
  readonly change?: DifferenceTree;
}

export interface Analysis {
  /** Throws UserError with a message for the user. */
  run(job: Job): Results[Job["kind"]];
}

/** At most KEPT_TREES trees by name: those stored last, and those that are needed. */
class Store {
  readonly #trees = new Map<string, FrameTree>();

  set(name: string, tree: FrameTree, needed: readonly string[]): void {
    this.#trees.delete(name);
    this.#trees.set(name, tree);
    const oldest = this.names.find((other) => other !== name && !needed.includes(other));
    if (this.#trees.size > KEPT_TREES && oldest !== undefined) this.#trees.delete(oldest);
  }

  get names(): string[] {
    return [...this.#trees.keys()];
  }

  get(name: string): FrameTree {
    const tree = this.#trees.get(name);
    if (!tree) throw new UserError("massif-tree-gone", t("The snapshot is no longer loaded."), t("Choose it again."));
    return tree;
  }
}

function show(store: Store, request: GraphRequest): { shown: Shown; whole: number } {
  const { of, scope, direction, fold } = request;
  const recorded = of.kind === "snapshot" ? [store.get(of.tree)] : [store.get(of.before), store.get(of.after)];
  const whole = recorded.at(-1)?.total[0] ?? 0;
  const stacks = scope ? recorded.map((tree) => scopeToLine(tree, scope)) : recorded;
  const [first, second] = stacks.map((tree) => viewOf(tree, { direction, allFrames: !fold }));
  if (!first) throw new Error("A graph is made of one tree at least.");
  if (!second) return { shown: { request, stacks, tree: first, weights: first.total }, whole };
  const change = difference(first, second);
  return { shown: { request, stacks, tree: change.tree, weights: changeWeights(change.tree), change }, whole };
}

function graphOf({ request, tree, weights, change }: Shown, whole: number): Graph {
  return {
    request,
    tree,
    ...(change ? { sides: { before: change.before, after: change.after } } : {}),
    layout: layOut(tree, { weights, minWidth: 0 }),
    weights,
    ends: subtreeEnds(tree),
    ...defined({ variances: doubtsOf(tree)?.total }),
    whole,
    libraries: librariesOf(tree, weights),
  };
}

function tables({ request, stacks }: Shown): Tables {
  const [first, second] = stacks;
  if (!first) throw new Error("Tables are made of one tree at least.");
  const all = second ? difference(first, second).tree : first;
  return tablesOf(all, viewOf(all, { direction: "allocators-first", allFrames: !request.fold }));
}

function pieces({ tree, change }: Shown, format: TextFormat, title: string): Iterable<string> {
  switch (format) {
    case "svg":
      return flameGraphSvg(change ?? tree, { title });
    case "folded":
      return change ? foldedDifference(change) : folded(tree);
    case "speedscope":
      return speedscope(tree, { name: title });
    case "heapprofile":
      return heapProfile(tree);
  }
}

function exported(shown: Shown, format: TextFormat, title: string): string {
  const parts: string[] = [];
  let length = 0;
  for (const part of pieces(shown, format, title)) {
    parts.push(part);
    length += part.length;
    if (length > MAX_EXPORT)
      throw new UserError(
        "massif-export-too-large",
        t("This export would be larger than 256 MiB."),
        t("Hide Python's internals or show one line only, and export again."),
      );
  }
  return parts.join("");
}

export function createAnalysis(): Analysis {
  const store = new Store();
  let shown: Shown | undefined;
  const current = (): Shown => {
    if (!shown) throw new UserError("massif-nothing-shown", t("No snapshot is shown yet."), t("Choose one first."));
    return shown;
  };

  return {
    run(job) {
      switch (job.kind) {
        case "store": {
          const { calls, facts, sampled } = decodeTree(job.wire);
          store.set(job.name, frameTreeOf(calls, facts, sampled), job.keep);
          return store.names;
        }
        case "graph": {
          const made = show(store, job.request);
          shown = made.shown;
          return graphOf(made.shown, made.whole);
        }
        case "tables":
          return tables(current());
        case "export":
          return exported(current(), job.format, job.title);
      }
    },
  };
}
