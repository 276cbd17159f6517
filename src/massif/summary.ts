/** Whose the memory is: by library, and by the functions that asked for it. */

import { t } from "../words/t.ts";
import type { Frame, FrameTree } from "./model.ts";
import { doubtsOf } from "./sampled.ts";
import { fileName, fullName } from "./tree/frameNames.ts";
import { isInterpreter } from "./tree/interpreterFrames.ts";
import { subtreeEnds } from "./tree/treeShape.ts";

export type LibraryGroup =
  /** `paths` are those under which it was loaded. */
  | { readonly kind: "library"; readonly name: string; readonly paths: readonly string[] }
  | { readonly kind: "python" }
  /** The code that allocated is in no library that is known. */
  | { readonly kind: "unknown" }
  /** Massif did not keep who allocated. */
  | { readonly kind: "below-threshold" };

export interface LibraryBytes {
  readonly library: LibraryGroup;
  readonly bytes: number;
  /** As of LineAtPeak. */
  readonly band?: number;
}

export function libraryName(library: LibraryGroup): string {
  switch (library.kind) {
    case "library":
      return fullName({ kind: "native", function: library.name, interpreter: false });
    case "python":
      return t("Python interpreter");
    case "unknown":
      return t("library unknown");
    case "below-threshold":
      return t("below threshold");
  }
}

/**
 * Each byte once, with the library of the code that asked for it. Heaviest first.
 * @param stacks allocators first, with all frames; or the difference of two such trees
 */
export function byLibrary(stacks: FrameTree): LibraryBytes[] {
  const sums = new Map<string, { library: LibraryGroup; bytes: number; variance: number }>();
  const doubts = doubtsOf(stacks);
  const variances = doubts && bytesByAsker(doubts);
  for (const [number, bytes] of bytesByAsker(stacks).entries()) {
    if (bytes === 0) continue;
    const variance = variances?.[number] ?? 0;
    const library = groupOf(stacks.frames[number]);
    const key = library.kind === "library" ? t("library {0}", library.name) : library.kind;
    const sum = sums.get(key);
    sums.set(
      key,
      sum === undefined
        ? { library, bytes, variance }
        : { library: merged(sum.library, library), bytes: sum.bytes + bytes, variance: sum.variance + variance },
    );
  }
  return [...sums.values()]
    .filter(({ bytes }) => bytes !== 0)
    .sort((a, b) => Math.abs(b.bytes) - Math.abs(a.bytes))
    .map(({ library, bytes, variance }) => ({ library, bytes, ...(doubts && { band: doubts.bandOf(variance) }) }));
}

export interface Allocator {
  readonly frame: Frame;
  /** Bytes that it asked for itself. */
  readonly self: number;
  /** Bytes of all stacks that pass through it; of a recursion once. */
  readonly total: number;
  /** As of LineAtPeak. */
  readonly band?: { readonly self: number; readonly total: number };
}

/**
 * Every function that asked for memory itself, heaviest first.
 * @param tree allocators first; may be folded, and may be a difference
 */
export function topAllocators(tree: FrameTree): Allocator[] {
  const self = bytesByAsker(tree);
  const total = frameTotals(tree, (frame) => frame, tree.frames.length);
  const doubts = doubtsOf(tree);
  const bands = doubts && {
    self: bytesByAsker(doubts).map(doubts.bandOf),
    total: frameTotals(doubts, (frame) => frame, tree.frames.length).map(doubts.bandOf),
  };
  return tree.frames
    .map((frame, number) => ({
      frame,
      self: self[number] ?? 0,
      total: total[number] ?? 0,
      ...(bands && { band: { self: bands.self[number] ?? 0, total: bands.total[number] ?? 0 } }),
    }))
    .filter(({ frame, self }) => (frame.kind === "native" || frame.kind === "python") && self !== 0)
    .sort((a, b) => Math.abs(b.self) - Math.abs(a.self) || Math.abs(b.total) - Math.abs(a.total));
}

/** The C and C++ runtime and allocators in its place, which get memory for others. */
const RUNTIME_LIBRARY =
  /^(?:lib(?:c|dl|rt|pthread|stdc\+\+|c\+\+|c\+\+abi|gcc_s|jemalloc|tcmalloc\w*)|ld(?:-linux[\w-]*)?|vgpreload_\w+-linux)[-.]/;
/** Its source files, for where debug information stands instead of the library. */
const RUNTIME_SOURCE =
  /^(?:(?:malloc|arena|morecore|mmap(?:64)?|s?brk|mremap|rtld|dl-[\w-]+|dl(?:open|mopen|sym|error)|pthread_create|allocatestack)\.[chS]|new_op\w*\.cc):/;

/** What CUDA is asked by: who asked stands further out. */
const CUDA_CALL = /^cu(?:da)?(?:Malloc|Mem|HostAlloc|Array|Mipmapped)/;

/** How much a frame says about who asked for the memory: what is not the runtime's says it all. */
function standing(frame: Frame): number {
  if (frame.kind === "all") return 0;
  if (frame.kind !== "native") return 3;
  if (CUDA_CALL.test(frame.function ?? "")) return 2;
  if (frame.library !== undefined) return RUNTIME_LIBRARY.test(fileName(frame.library)) ? 2 : 3;
  return RUNTIME_SOURCE.test(frame.source ?? "") ? 1 : 3;
}

/**
 * By frame the bytes of the stacks of which it is the innermost frame that is not the runtime's: what `malloc` or
 * `mmap` was called for. Stacks with nothing but the runtime are the runtime's; bytes without a stack are frame 0's.
 */
function bytesByAsker(tree: FrameTree): Float64Array {
  const standings = Uint8Array.from(tree.frames, standing);
  const asker = new Uint32Array(tree.frame.length);
  const bytes = new Float64Array(tree.frames.length);
  for (let node = 0; node < asker.length; node++) {
    const inherited = asker[tree.parent[node] ?? 0] ?? 0;
    const frame = tree.frame[node] ?? 0;
    const current = (standings[frame] ?? 0) > (standings[inherited] ?? 0) ? frame : inherited;
    asker[node] = current;
    bytes[current] = (bytes[current] ?? 0) + (tree.self[node] ?? 0);
  }
  return bytes;
}

function groupOf(frame: Frame | undefined): LibraryGroup {
  if (frame?.kind === "python" || frame?.kind === "below-threshold") return { kind: frame.kind };
  if (frame?.kind !== "native" || frame.library === undefined) return { kind: "unknown" };
  if (isInterpreter(frame.library)) return { kind: "python" };
  return { kind: "library", name: fileName(frame.library), paths: [frame.library] };
}

function merged(a: LibraryGroup, b: LibraryGroup): LibraryGroup {
  return a.kind === "library" && b.kind === "library" ? { ...a, paths: [...new Set([...a.paths, ...b.paths])] } : a;
}

/**
 * For each group of frames the bytes of the stacks that pass through it, each stack once.
 * @param groupOf the group of a frame's number, -1 for none
 */
export function frameTotals(tree: FrameTree, groupOf: (frame: number) => number, groups: number): Float64Array {
  const totals = new Float64Array(groups);
  /** Until where the outermost node of the group reaches. */
  const openUntil = new Uint32Array(groups);
  const ends = subtreeEnds(tree);
  for (let node = 1; node < tree.frame.length; node++) {
    const group = groupOf(tree.frame[node] ?? 0);
    if (group < 0 || node < (openUntil[group] ?? 0)) continue;
    openUntil[group] = ends[node] ?? 0;
    totals[group] = (totals[group] ?? 0) + (tree.total[node] ?? 0);
  }
  return totals;
}
