/** The rows of the Memory Runs view, as VS Code gets them: it knows a row by the node that it was given first. */
import type { Row, RunGroupRow } from "../../../runs/list/arrange.ts";
import type { Said } from "./rowChanges.ts";
import type { RunNode } from "./runsTree.ts";

export interface Listed {
  readonly rows: RunNode[];
  /** Those of runs, by their folders. */
  readonly nodes: ReadonlyMap<string, RunNode>;
  /** What they stand below, by their folders. */
  readonly groups: ReadonlyMap<string, RunGroupRow>;
  /** All of them, by their keys, from top to bottom. */
  readonly all: ReadonlyMap<string, ListedRow>;
}

interface ListedRow {
  readonly node: RunNode;
  /** What the row is made of. */
  text: string;
}

export const NOTHING: Listed = { rows: [], nodes: new Map(), groups: new Map(), all: new Map() };

/** @param groupText what is said of a group: its runs change more often */
export function listedOf(rows: readonly Row[], groupText: (group: RunGroupRow) => unknown): Listed {
  const nodes = new Map<string, RunNode>();
  const groups = new Map<string, RunGroupRow>();
  const all = new Map<string, ListedRow>();
  const add = (node: RunNode): void => {
    all.set(keyOf(node), { node, text: JSON.stringify(node.kind === "group" ? groupText(node) : node) });
    if (node.kind !== "group") nodes.set(folderOf(node), node);
  };
  for (const row of rows) {
    add(row);
    if (row.kind !== "group") continue;
    for (const run of row.runs) {
      add({ kind: "run", run });
      groups.set(run.folder, row);
    }
  }
  return { rows: [...rows], nodes, groups, all };
}

/** @param stateOf what a row depends on besides */
export function said({ all }: Listed, stateOf: (node: RunNode) => unknown): readonly Said[] {
  return [...all].map(([key, { node, text }]) => ({ key, text: text + JSON.stringify(stateOf(node)) }));
}

/** The rows are the same ones: those that are known take over what the answer says. */
export function renew(known: Listed, { all }: Listed): void {
  for (const [key, { node, text }] of all) {
    const row = known.all.get(key);
    if (row === undefined) continue;
    Object.assign(row.node, node);
    row.text = text;
  }
}

/** The run folder a row belongs to; of a group that of its first run. */
export function folderOf(node: RunNode): string {
  if (node.kind === "group") return node.runs[0]?.folder ?? "";
  return node.kind === "run" ? node.run.folder : node.folder;
}

/** The same for as long as a row stands for the same. */
function keyOf(node: RunNode): string {
  return `${node.kind}\n${node.kind === "group" ? node.id : folderOf(node)}`;
}
