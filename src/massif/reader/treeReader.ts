/** Reads one snapshot's tree from the bytes of its lines. */
import { UserError } from "../../profile/userError.ts";
import type { CallTree } from "../model.ts";
import { createLineCutter } from "./lineCutter.ts";
import { NodeLine } from "./nodeLine.ts";
import { TreeCheck } from "./treeCheck.ts";

/** A tree that has more nodes than this is refused. */
export const MAX_TREE_NODES = 4_000_000;
/** The distinct labels of one tree; a few MB in the largest real files. */
const MAX_TREE_LABEL_BYTES = 128 * 1024 * 1024;
/** Of a longer label the middle is left out: its end says where the function is. */
const MAX_LABEL_BYTES = 64 * 1024;
const LABEL_END_BYTES = 4 * 1024;

/** Label of the node that stands for bytes of its parent that a damaged file does not explain. */
export const MISSING_LABEL = "not in the file: the tree is damaged or cut off";

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
  if (nodes > MAX_TREE_NODES) {
    throw tooLarge(
      `This snapshot's tree has ${nodes.toLocaleString("en")} nodes; up to ${MAX_TREE_NODES.toLocaleString("en")} can be shown.`,
    );
  }
  const label = new Uint32Array(nodes);
  const parent = new Uint32Array(nodes);
  const bytes = new Float64Array(nodes);
  const labels = new LabelTable();
  const node = new NodeLine();
  let count = 0;
  let lineLabel = 0;
  let broken = false;

  function put(labelIndex: number, parentIndex: number, size: number): void {
    label[count] = labelIndex;
    parent[count] = parentIndex;
    bytes[count] = size;
    count++;
  }
  const check = new TreeCheck({
    node: (parentIndex, size) => put(lineLabel, parentIndex, size),
    missing: (parentIndex, size) => put(labels.add(MISSING_LABEL), parentIndex, size),
  });
  const cutter = createLineCutter({
    line(line, from, to) {
      if (broken || isSkipped(line, from, to)) return;
      if (!node.read(line, from, to)) {
        broken = true;
        return;
      }
      lineLabel = labels.read(line, node.label, to);
      broken = check.add(node.depth, node.children, node.bytes) !== undefined;
    },
  });

  return {
    push: (chunk) => cutter.push(chunk),
    end() {
      cutter.end();
      check.cutOff();
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

/** Lines between nodes that say nothing, as ms_print takes them: empty ones and comments. */
export function isSkipped(line: Uint8Array, from: number, to: number): boolean {
  let at = from;
  while (at < to && (line[at] === 32 || line[at] === 9)) at++;
  return at === to || line[at] === 35;
}

/** Each distinct label once. */
class LabelTable {
  readonly all: string[] = [];
  readonly #index = new Map<string, number>();
  readonly #decoder = new TextDecoder("utf-8");
  #bytes = 0;

  read(line: Uint8Array, from: number, to: number): number {
    if (to - from <= MAX_LABEL_BYTES) return this.add(this.#decoder.decode(line.subarray(from, to)));
    const start = line.subarray(from, from + MAX_LABEL_BYTES - LABEL_END_BYTES);
    const end = line.subarray(to - LABEL_END_BYTES, to);
    return this.add(`${this.#decoder.decode(start)}…${this.#decoder.decode(end)}`);
  }

  add(text: string): number {
    const known = this.#index.get(text);
    if (known !== undefined) return known;
    this.#bytes += text.length;
    if (this.#bytes > MAX_TREE_LABEL_BYTES) {
      throw tooLarge("The names in this snapshot's tree take more than 128 MiB.");
    }
    const index = this.all.length;
    this.all.push(text);
    this.#index.set(text, index);
    return index;
  }
}

function tooLarge(message: string): UserError {
  return new UserError(
    "massif-tree-too-large",
    message,
    "Run massif again with a greater --threshold (such as 0.1) or a smaller --depth; the other snapshots can still be shown.",
  );
}
