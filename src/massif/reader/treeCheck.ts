/**
 * Follows a tree that comes node by node in pre-order, and checks it: depths, counts of children, and sums, because the
 * children of a massif node always add up to it. What a damaged tree lacks becomes a node of its own below the node
 * that lacks it, so that no bytes seem to have been allocated by a frame that only happens to be the last one known.
 */

export interface TreeSink {
  /** @param parent index of the parent node; the root's own index for the root */
  node(parent: number, bytes: number): void;
  /** Bytes of `parent` that the file does not explain; a node like the others. */
  missing(parent: number, bytes: number): void;
}

export class TreeCheck {
  readonly #sink: TreeSink;
  /** Of each node on the path to the latest one that still has children to come, by depth: */
  readonly #index: number[] = [];
  readonly #childrenLeft: number[] = [];
  readonly #bytesLeft: number[] = [];
  #nodes = 0;
  #missingBytes = 0;

  constructor(sink: TreeSink) {
    this.#sink = sink;
  }

  /** Nodes so far, with those that stand for what is missing. */
  get nodes(): number {
    return this.#nodes;
  }

  /** Bytes in nodes that stand for what is missing. */
  get missingBytes(): number {
    return this.#missingBytes;
  }

  get complete(): boolean {
    return this.#nodes > 0 && this.#index.length === 0;
  }

  /**
   * Adds a node.
   * @returns what is wrong with it, as the second half of a sentence; it is not added then
   */
  add(depth: number, children: number, bytes: number): string | undefined {
    if (this.complete) return "a node stands after the tree's last one";
    const expected = this.#index.length;
    if (depth !== expected) return `a node of depth ${depth} stands where depth ${expected} was expected`;
    const top = expected - 1;
    let parent = this.#nodes;
    if (top >= 0) {
      const left = (this.#bytesLeft[top] ?? 0) - bytes;
      if (left < 0) return "this node and those beside it add up to more bytes than the node above them";
      this.#bytesLeft[top] = left;
      this.#childrenLeft[top] = (this.#childrenLeft[top] ?? 0) - 1;
      parent = this.#index[top] ?? 0;
    }
    const index = this.#nodes++;
    this.#sink.node(parent, bytes);
    if (children > 0) {
      this.#index.push(index);
      this.#childrenLeft.push(children);
      this.#bytesLeft.push(bytes);
    } else {
      this.#closeFinished();
    }
    return undefined;
  }

  /** Ends the tree where it is. */
  cutOff(): void {
    while (this.#index.length > 0) this.#closeDeepest();
  }

  #closeFinished(): void {
    while (this.#childrenLeft.at(-1) === 0) this.#closeDeepest();
  }

  #closeDeepest(): void {
    const parent = this.#index.pop() ?? 0;
    const bytes = this.#bytesLeft.pop() ?? 0;
    this.#childrenLeft.pop();
    if (bytes === 0) return;
    this.#nodes++;
    this.#missingBytes += bytes;
    this.#sink.missing(parent, bytes);
  }
}
