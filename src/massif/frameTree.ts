/**
 * Massif's tree as stacks of frames that people can read, and the ways to look at it: with the interpreter's own
 * frames folded away, and from either end.
 */
import { isCallMechanism, isImportSystem } from "./interpreterFrames.ts";
import { parseLabel } from "./label.ts";
import type { CallTree, Direction, Frame, FrameTree, PythonPlace } from "./model.ts";
import { countPlaces, createRebuilder, createTreeBuilder, summed } from "./treeBuilder.ts";
import { ownParts } from "./treeShape.ts";

/** What is known of a tree's labels besides their text; keys are indices into `CallTree.labels`. */
export interface LabelFacts {
  readonly python: ReadonlyMap<number, PythonPlace>;
  /** Path of the library or program that the label's address lies in. */
  readonly library: ReadonlyMap<number, string>;
}

export interface View {
  readonly direction: Direction;
  /** The interpreter's own frames too. */
  readonly allFrames: boolean;
}

/** Massif's tree with every frame, allocators first: as massif has it, less the addresses. */
export function frameTreeOf(calls: CallTree, facts: LabelFacts): FrameTree {
  const builder = createTreeBuilder(calls.label.length);
  const frames = calls.labels.map((label, index) => frameOf(label, facts.python.get(index), facts.library.get(index)));
  const numbers = frames.map(builder.frameNumber);
  const nodes = new Uint32Array(calls.label.length);
  for (let node = 1; node < nodes.length; node++) {
    const label = calls.label[node] ?? 0;
    const made = builder.child(nodes[calls.parent[node] ?? 0] ?? 0, numbers[label] ?? 0);
    nodes[node] = made;
    countPlaces(builder, made, frames[label]);
  }
  return builder.finish(summed(builder.size(), nodes, ownBytes(calls))).tree;
}

/**
 * The stacks as they are to be shown.
 * @param stacks what `frameTreeOf` gave, or a scope of it
 * @throws UserError `massif-tree-too-large`
 */
export function viewOf(stacks: FrameTree, { direction, allFrames }: View): FrameTree {
  if (direction === "callers-first") return turned(stacks, allFrames ? undefined : pythonStacks(stacks));
  return allFrames ? stacks : foldInterpreter(stacks);
}

/**
 * Leaves the interpreter's own frames out of every stack that has a Python frame. Other stacks, as those of the
 * interpreter's start or of a program that is not Python, stay whole. For trees of either direction.
 */
export function foldInterpreter(tree: FrameTree): FrameTree {
  const count = tree.frame.length;
  const builder = createRebuilder(tree);
  const { numbers } = builder;
  const { folds, inPython } = pythonStacks(tree);
  const { pythonBelow, otherBelow } = endsBelow(tree, inPython);
  // Where a node is in the folded tree, for stacks with a Python frame and for those without.
  const folded = new Uint32Array(count);
  const whole = new Uint32Array(count);
  for (let node = 1; node < count; node++) {
    const frame = tree.frame[node] ?? 0;
    const parent = tree.parent[node] ?? 0;
    const number = numbers[frame] ?? 0;
    if (otherBelow[node]) whole[node] = builder.child(whole[parent] ?? 0, number);
    if (pythonBelow[node])
      folded[node] = folds[frame] ? (folded[parent] ?? 0) : builder.child(folded[parent] ?? 0, number);
    countPlaces(builder, folded[node] || whole[node] || 0, tree.frames[frame]);
  }
  const ends = folded.map((place, node) => (inPython[node] ? place : (whole[node] ?? 0)));
  return builder.finish(summed(builder.size(), ends, tree.self)).tree;
}

/**
 * The same stacks with the callers next to the root.
 * @param tree allocators first
 * @throws UserError `massif-tree-too-large`
 */
export function callersFirst(tree: FrameTree): FrameTree {
  return turned(tree, undefined);
}

/** The stacks from their other end; with `python` the interpreter's frames are left out on the way. */
function turned(tree: FrameTree, python: PythonStacks | undefined): FrameTree {
  const builder = createRebuilder(tree);
  const { numbers } = builder;
  const ends = new Uint32Array(tree.frame.length);
  for (let node = 1; node < ends.length; node++) {
    if (tree.self[node] === 0) continue;
    const folds = python?.inPython[node] === 1 ? python.folds : undefined;
    let end = 0;
    for (let at = node; at > 0; at = tree.parent[at] ?? 0) {
      const frame = tree.frame[at] ?? 0;
      if (folds?.[frame] === 1) continue;
      end = builder.child(end, numbers[frame] ?? 0);
      countPlaces(builder, end, tree.frames[frame]);
    }
    ends[node] = end;
  }
  return builder.finish(summed(builder.size(), ends, tree.self)).tree;
}

function frameOf(label: string, python: PythonPlace | undefined, mapped: string | undefined): Frame {
  if (python !== undefined) {
    const { path, line, function: name, kind } = python;
    return { kind: "python", path, line, function: name, exact: kind === "line" };
  }
  const parsed = parseLabel(label);
  if (parsed.kind !== "native") return parsed;
  const { function: name, source } = parsed;
  const library = parsed.library ?? mapped;
  const known = {
    ...(name === undefined ? {} : { function: name }),
    ...(library === undefined ? {} : { library }),
  };
  return {
    kind: "native",
    ...known,
    ...(source === undefined ? {} : { source }),
    interpreter: isCallMechanism(known),
  };
}

function isFolded(frame: Frame): boolean {
  return (frame.kind === "native" && frame.interpreter) || (frame.kind === "python" && isImportSystem(frame.path));
}

/**
 * What massif gave each node less what it gave the node's children. A file whose children have more than their parent
 * is damaged; its bytes are those of the children.
 */
function ownBytes(calls: CallTree): Float64Array {
  return ownParts(calls, calls.bytes).map((bytes) => Math.max(0, bytes));
}

interface PythonStacks {
  /** 1 for each frame that is left out of stacks with a Python frame. */
  readonly folds: Uint8Array;
  /** 1 for each node whose stack has a Python frame. */
  readonly inPython: Uint8Array;
}

function pythonStacks(tree: FrameTree): PythonStacks {
  const folds = Uint8Array.from(tree.frames, (frame) => (isFolded(frame) ? 1 : 0));
  const isPython = Uint8Array.from(tree.frames, (frame) => (frame.kind === "python" && !isFolded(frame) ? 1 : 0));
  const inPython = new Uint8Array(tree.frame.length);
  for (let node = 1; node < inPython.length; node++) {
    inPython[node] = inPython[tree.parent[node] ?? 0] || isPython[tree.frame[node] ?? 0] || 0;
  }
  return { folds, inPython };
}

/** Where stacks with a Python frame end at a node or below it, and where stacks without one do. */
function endsBelow(tree: FrameTree, inPython: Uint8Array) {
  const pythonBelow = new Uint8Array(inPython.length);
  const otherBelow = new Uint8Array(inPython.length);
  for (let node = inPython.length - 1; node > 0; node--) {
    if (tree.self[node] !== 0) (inPython[node] ? pythonBelow : otherBelow)[node] = 1;
    const above = tree.parent[node] ?? 0;
    if (pythonBelow[node]) pythonBelow[above] = 1;
    if (otherBelow[node]) otherBelow[above] = 1;
  }
  return { pythonBelow, otherBelow };
}
