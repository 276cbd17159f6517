/** Reads one snapshot's tree from the bytes of its lines. */
import { UserError } from "../../profile/userError.ts";
import { phrase, say, t } from "../../words/t.ts";
import { MAX_NODES } from "../limits.ts";
import type { CallTree } from "../model.ts";
import { LabelTable } from "./labelTable.ts";
import { createLineCutter } from "./lineCutter.ts";
import { TreeLines } from "./treeLines.ts";

/** The distinct labels of one tree; a few MB in the largest real files. */
const MAX_LABEL_CHARACTERS = 128 * 1024 * 1024;

/** Label of the node that stands for bytes of its parent that a damaged file does not explain. */
export const MISSING_LABEL = phrase("not in the file: the tree is damaged or cut off");

export interface TreeReader {
  /** @throws UserError `massif-tree-too-large` */
  push(chunk: Uint8Array): void;
  end(): CallTree;
}

/**
 * @param nodes as the index counted them, see Snapshot.tree
 * @throws UserError `massif-tree-too-large`
 */
export function createTreeReader(nodes: number): TreeReader {
  if (nodes > MAX_NODES) {
    throw tooLarge(
      t(
        "This snapshot's tree has {0} nodes; up to {1} can be shown.",
        nodes.toLocaleString("en"),
        MAX_NODES.toLocaleString("en"),
      ),
    );
  }
  const label = new Uint32Array(nodes);
  const parent = new Uint32Array(nodes);
  const bytes = new Float64Array(nodes);
  const labels = new LabelTable();
  let count = 0;
  let broken = false;

  function put(labelIndex: number, parentIndex: number, size: number): void {
    label[count] = labelIndex;
    parent[count] = parentIndex;
    bytes[count] = size;
    count++;
  }
  const tree = new TreeLines({
    node(parentIndex, size, line, from, to) {
      put(labels.read(line, from, to), parentIndex, size);
      if (labels.characters > MAX_LABEL_CHARACTERS) {
        throw tooLarge(t("The names in this snapshot's tree take more than 128 MiB."));
      }
    },
    missing: (parentIndex, size) => put(labels.add(say(MISSING_LABEL)), parentIndex, size),
  });
  const cutter = createLineCutter({
    lines: (chunk, from) => (broken ? from : tree.addLines(chunk, from)),
    line(line, from, to) {
      broken ||= tree.addLine(line, from, to) !== undefined;
    },
  });

  return {
    push: (chunk) => cutter.push(chunk),
    end() {
      cutter.end();
      tree.cutOff();
      const exact = count === nodes;
      return {
        labels: labels.all,
        label: exact ? label : label.slice(0, count),
        parent: exact ? parent : parent.slice(0, count),
        bytes: exact ? bytes : bytes.slice(0, count),
      };
    },
  };
}

function tooLarge(message: string): UserError {
  return new UserError(
    "massif-tree-too-large",
    message,
    t(
      "Run massif again with a greater --threshold (such as 0.1) or a smaller --depth; the other snapshots can still be shown.",
    ),
  );
}
