/**
 * Massif's tree as stacks of frames that people can read, and the ways to look at it: with the interpreter's own
 * frames folded away, and from either end.
 */

import { defined } from "../../profile/defined.ts";
import type { CallTree, Direction, Frame, FrameTree, PythonPlace, Sampled } from "../model.ts";
import { withVariance } from "../sampled.ts";
import { isCallMechanism, isImportSystem } from "./interpreterFrames.ts";
import { parseLabel } from "./label.ts";
import { countPlaces, createRebuilder, createTreeBuilder, rebuilt, type TreeRebuilder } from "./treeBuilder.ts";
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

/**
 * Massif's tree with every frame, allocators first: as massif has it, less the addresses.
 * @param sampled of the nodes' bytes
 */
export function frameTreeOf(calls: CallTree, facts: LabelFacts, sampled?: Sampled): FrameTree {
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
  const self = ownBytes(calls, calls.bytes);
  // Errors come rounded: where nothing ends, nothing is in doubt.
  const ownVariance = (variance: Float64Array) =>
    ownBytes(calls, variance).map((own, node) => (self[node] === 0 ? 0 : own));
  return rebuilt(builder, nodes, { self, ...withVariance(sampled, ownVariance) });
}

/**
 * The stacks as they are to be shown.
 * @param stacks what `frameTreeOf` gave, or a scope of it
 * @throws UserError `massif-tree-too-large`
 */
export function viewOf(stacks: FrameTree, { direction, allFrames }: View): FrameTree {
  if (direction === "callers-first") return turned(stacks, allFrames ? undefined : foldingOf(stacks));
  return allFrames ? stacks : foldInterpreter(stacks);
}

/**
 * Leaves the interpreter's own frames out of every stack that has a Python frame. Other stacks, as those of the
 * interpreter's start or of a program that is not Python, stay whole. For trees of either direction.
 */
export function foldInterpreter(tree: FrameTree): FrameTree {
  if (!tree.frames.some(({ kind }) => kind === "python")) return tree;
  const builder = createRebuilder(tree);
  const folding = foldingOf(tree);
  const levels = levelsBelow(tree, folding.level);
  const ends = new Uint32Array(tree.frame.length);
  for (let level = 0; level <= PROGRAM; level++) {
    const nodes = addLevel(tree, builder, folding.leftOutFrom, levels, level);
    for (let node = 1; node < ends.length; node++) {
      if (folding.level[node] === level) ends[node] = nodes[node] ?? 0;
    }
  }
  return rebuilt(builder, ends, tree);
}

/** Adds the stacks of one level, and says where each of their nodes is now. */
function addLevel(
  tree: FrameTree,
  builder: TreeRebuilder,
  leftOutFrom: Uint8Array,
  levels: Uint8Array,
  level: number,
): Uint32Array {
  const nodes = new Uint32Array(tree.frame.length);
  for (let node = 1; node < nodes.length; node++) {
    const needed = levels[node] ?? 0;
    if ((needed & (1 << level)) === 0) continue;
    const frame = tree.frame[node] ?? 0;
    const parent = nodes[tree.parent[node] ?? 0] ?? 0;
    const isLeftOut = level >= (leftOutFrom[frame] ?? 0);
    const place = isLeftOut ? parent : builder.child(parent, builder.numbers[frame] ?? 0);
    nodes[node] = place;
    // Places count once, with the first level that has the node.
    if (needed % (1 << level) === 0) countPlaces(builder, place, tree.frames[frame]);
  }
  return nodes;
}

/**
 * The same stacks with the callers next to the root.
 * @param tree allocators first
 * @throws UserError `massif-tree-too-large`
 */
export function callersFirst(tree: FrameTree): FrameTree {
  return turned(tree, undefined);
}

/** The stacks from their other end; with `folding` the interpreter's frames are left out on the way. */
function turned(tree: FrameTree, folding: Folding | undefined): FrameTree {
  const builder = createRebuilder(tree);
  const { numbers } = builder;
  const ends = new Uint32Array(tree.frame.length);
  for (let node = 1; node < ends.length; node++) {
    if (tree.self[node] === 0) continue;
    const level = folding?.level[node] ?? 0;
    let end = 0;
    for (let at = node; at > 0; at = tree.parent[at] ?? 0) {
      const frame = tree.frame[at] ?? 0;
      if (folding !== undefined && level >= (folding.leftOutFrom[frame] ?? 0)) continue;
      end = builder.child(end, numbers[frame] ?? 0);
      countPlaces(builder, end, tree.frames[frame]);
    }
    ends[node] = end;
  }
  return rebuilt(builder, ends, tree);
}

/** What measures is no code of the program: its Python lines are not told apart. */
const PROFILER = {
  kind: "native",
  function: "memory profiler",
  library: "Jetson Memory Profiler",
  interpreter: false,
} as const satisfies Frame;

export function isProfiler(frame: Frame | undefined): boolean {
  return frame?.kind === "native" && frame.library === PROFILER.library;
}

function frameOf(label: string, python: PythonPlace | undefined, mapped: string | undefined): Frame {
  if (python?.kind === "profiler") return PROFILER;
  if (python !== undefined) {
    const { path, line, function: name, kind } = python;
    return { kind: "python", path, line, function: name, exact: kind === "line" };
  }
  const parsed = parseLabel(label);
  if (parsed.kind !== "native") return parsed;
  const { function: name, source } = parsed;
  const library = parsed.library ?? mapped;
  const known = {
    ...defined({ function: name, source, library }),
  };
  return { kind: "native", ...known, interpreter: isCallMechanism(known) };
}

/**
 * What massif gave each node less what it gave the node's children. A file whose children have more than their parent
 * is damaged; its bytes are those of the children.
 */
function ownBytes(calls: CallTree, all: Float64Array): Float64Array {
  return ownParts(calls, all).map((part) => Math.max(0, part));
}

/** What is known of a stack by its frames; the greater the number, the more of them are left out. */
const NATIVE = 0;
const IMPORT_SYSTEM = 1;
const PROGRAM = 2;

interface Folding {
  /** For each node whether its stack has no Python frame, those of the import system only, or others. */
  readonly level: Uint8Array;
  /** For each frame the least level of the stacks that it is left out of. */
  readonly leftOutFrom: Uint8Array;
}

function foldingOf(tree: FrameTree): Folding {
  const leftOutFrom = Uint8Array.from(tree.frames, (frame) => {
    if (frame.kind === "native" && frame.interpreter) return IMPORT_SYSTEM;
    return frame.kind === "python" && isImportSystem(frame.path) ? PROGRAM : PROGRAM + 1;
  });
  const levelOf = Uint8Array.from(tree.frames, (frame) => {
    if (frame.kind !== "python") return NATIVE;
    return isImportSystem(frame.path) ? IMPORT_SYSTEM : PROGRAM;
  });
  const level = new Uint8Array(tree.frame.length);
  for (let node = 1; node < level.length; node++) {
    level[node] = Math.max(level[tree.parent[node] ?? 0] ?? 0, levelOf[tree.frame[node] ?? 0] ?? 0);
  }
  return { level, leftOutFrom };
}

/** For each node the levels of the stacks that end at it or below it: bit `n` stands for level `n`. */
function levelsBelow(tree: FrameTree, level: Uint8Array): Uint8Array {
  const levels = new Uint8Array(level.length);
  for (let node = level.length - 1; node > 0; node--) {
    const own = tree.self[node] === 0 ? 0 : 1 << (level[node] ?? 0);
    const all = (levels[node] ?? 0) | own;
    const above = tree.parent[node] ?? 0;
    levels[node] = all;
    levels[above] = (levels[above] ?? 0) | all;
  }
  return levels;
}
