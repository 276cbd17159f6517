/**
 * The lines of a tree that comes node by node in pre-order, checked: depths, counts of children, and sums, because the
 * children of a massif node always add up to it. What a damaged tree lacks becomes a node of its own below the node
 * that lacks it, so that no bytes seem to have been allocated by a frame that only happens to be the last one known.
 */

import { t } from "../../words/t.ts";
import { NodeLine } from "./nodeLine.ts";

export interface TreeSink {
  /**
   * @param parent index of the parent node; the root's own index for the root
   * @param line holds the label, from `from` to `to`; only valid during the call
   */
  node(parent: number, bytes: number, line: DataView, from: number, to: number): void;
  /** Bytes of `parent` that the file does not explain; a node like the others. */
  missing(parent: number, bytes: number): void;
}

const NEWLINE = 10;
const RETURN = 13;

export class TreeLines {
  readonly #sink: TreeSink;
  readonly #line = new NodeLine();
  /** Nodes on the path to the latest one that still have children to come, by depth; `#depth` is their number. */
  #depth = 0;
  #index = new Uint32Array(128);
  #childrenLeft = new Float64Array(128);
  #bytesLeft = new Float64Array(128);
  #nodes = 0;
  #missing = 0;

  constructor(sink: TreeSink) {
    this.#sink = sink;
  }

  /** Nodes so far, with those that stand for what is missing. */
  get nodes(): number {
    return this.#nodes;
  }

  /** Of these, the nodes that stand for what is missing. */
  get missing(): number {
    return this.#missing;
  }

  get complete(): boolean {
    return this.#depth === 0 && this.#nodes > 0;
  }

  /**
   * Adds the nodes of whole lines, up to the tree's end, the first line that is not right, or the end of `bytes`.
   * @returns where the first line begins that was not added
   */
  addLines(bytes: Uint8Array, from: number): number {
    const line = this.#line;
    const view = viewOf(bytes);
    let at = from;
    while (!this.complete && line.read(view, at, bytes.length)) {
      const end = bytes.indexOf(NEWLINE, line.label);
      if (end < 0) break;
      const labelEnd = view.getUint8(end - 1) === RETURN ? end - 1 : end;
      if (labelEnd <= line.label || this.#fault() !== undefined) break;
      this.#add(view, labelEnd);
      at = end + 1;
    }
    return at;
  }

  /**
   * Adds the node of one line; empty lines and comments are skipped, as ms_print does.
   * @returns what is wrong, as the first half of a sentence; nothing was added then
   */
  addLine(bytes: Uint8Array, from: number, to: number): string | undefined {
    const view = viewOf(bytes);
    if (!this.#line.read(view, from, to)) {
      return isSkipped(bytes, from, to) ? undefined : t("a node of the tree was expected here");
    }
    const fault = this.#fault();
    if (fault === undefined) this.#add(view, to);
    return fault;
  }

  /** Ends the tree where it is. */
  cutOff(): void {
    while (this.#depth > 0) this.#close();
  }

  /** What is wrong with the node that was read. */
  #fault(): string | undefined {
    const { depth, bytes } = this.#line;
    if (this.complete) return t("a node stands after the tree's last one");
    if (depth !== this.#depth) return t("a node of depth {0} stands where depth {1} was expected", depth, this.#depth);
    if (depth > 0 && bytes > (this.#bytesLeft[depth - 1] ?? 0)) {
      return t("this node and those beside it add up to more bytes than the node above them");
    }
    return undefined;
  }

  #add(line: DataView, labelEnd: number): void {
    const { children, bytes, label } = this.#line;
    const index = this.#nodes++;
    const above = this.#depth - 1;
    let parent = index;
    if (above >= 0) {
      this.#bytesLeft[above] = (this.#bytesLeft[above] ?? 0) - bytes;
      this.#childrenLeft[above] = (this.#childrenLeft[above] ?? 0) - 1;
      parent = this.#index[above] ?? 0;
    }
    this.#sink.node(parent, bytes, line, label, labelEnd);
    if (children > 0) this.#open(index, children, bytes);
    else while (this.#depth > 0 && this.#childrenLeft[this.#depth - 1] === 0) this.#close();
  }

  #open(index: number, children: number, bytes: number): void {
    if (this.#depth === this.#index.length) {
      this.#index = grown(this.#index, new Uint32Array(2 * this.#depth));
      this.#childrenLeft = grown(this.#childrenLeft, new Float64Array(2 * this.#depth));
      this.#bytesLeft = grown(this.#bytesLeft, new Float64Array(2 * this.#depth));
    }
    this.#index[this.#depth] = index;
    this.#childrenLeft[this.#depth] = children;
    this.#bytesLeft[this.#depth] = bytes;
    this.#depth++;
  }

  #close(): void {
    const top = --this.#depth;
    const bytes = this.#bytesLeft[top] ?? 0;
    if (bytes === 0) return;
    this.#nodes++;
    this.#missing++;
    this.#sink.missing(this.#index[top] ?? 0, bytes);
  }
}

/** Lines that say nothing, as ms_print takes them: empty ones and comments. */
export function isSkipped(line: Uint8Array, from: number, to: number): boolean {
  let at = from;
  while (at < to && (line[at] === 32 || line[at] === 9)) at++;
  return at === to || line[at] === 35;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

function grown<Numbers extends Uint32Array | Float64Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}
