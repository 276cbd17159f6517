/** Whose the memory is: by library, and by the functions that asked for it. */
import { fileName, fullName } from "./frameNames.ts";
import { isInterpreter } from "./interpreterFrames.ts";
import type { Frame, FrameTree } from "./model.ts";
import { subtreeEnds } from "./treeShape.ts";

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
}

export function libraryName(library: LibraryGroup): string {
  switch (library.kind) {
    case "library":
      return fullName({ kind: "native", function: library.name, interpreter: false });
    case "python":
      return "Python interpreter";
    case "unknown":
      return "library unknown";
    case "below-threshold":
      return "below threshold";
  }
}

/**
 * Each byte once, with the library of the innermost frame that is not the C or C++ runtime's: what `malloc` or `mmap`
 * was called for. Memory that only the runtime is behind is the runtime's. Heaviest first.
 * @param stacks allocators first, with all frames; or the difference of two such trees
 */
export function byLibrary(stacks: FrameTree): LibraryBytes[] {
  const groups: LibraryGroup[] = [{ kind: "unknown" }];
  const numbers = new Map<string, number>();
  const owners = stacks.frames.map((frame) => {
    const { group, decides } = ownerOf(frame);
    const key = group.kind === "library" ? `library ${group.name}` : group.kind;
    const number = group.kind === "unknown" ? 0 : (numbers.get(key) ?? groups.push(group) - 1);
    numbers.set(key, number);
    const known = groups[number];
    if (known?.kind === "library" && group.kind === "library") groups[number] = withPaths(known, group.paths);
    return { number, decides };
  });
  const owner = new Uint32Array(stacks.frame.length);
  const decided = new Uint8Array(stacks.frame.length);
  const sums = new Float64Array(groups.length);
  for (let node = 0; node < owner.length; node++) {
    const parent = stacks.parent[node] ?? 0;
    const frame = owners[stacks.frame[node] ?? 0];
    const inherited = owner[parent] ?? 0;
    const takesOver = node > 0 && decided[parent] === 0 && (frame?.decides || inherited === 0);
    const number = takesOver ? (frame?.number ?? 0) : inherited;
    owner[node] = number;
    decided[node] = decided[parent] === 1 || (node > 0 && frame?.decides) ? 1 : 0;
    sums[number] = (sums[number] ?? 0) + (stacks.self[node] ?? 0);
  }
  return groups
    .map((library, number) => ({ library, bytes: sums[number] ?? 0 }))
    .filter(({ bytes }) => bytes !== 0)
    .sort((a, b) => Math.abs(b.bytes) - Math.abs(a.bytes));
}

/** The C and C++ runtime and allocators in its place, which get memory for others. */
const RUNTIME_LIBRARY =
  /^(?:lib(?:c|dl|rt|pthread|stdc\+\+|c\+\+|c\+\+abi|gcc_s|jemalloc|tcmalloc\w*)|ld(?:-linux[\w-]*)?|vgpreload_\w+-linux)[-.]/;
/** Its source files, for where debug information stands instead of the library. */
const RUNTIME_SOURCE = /^(?:(?:malloc|arena|morecore|mmap(?:64)?|s?brk|mremap|rtld|dl-[\w-]+)\.[chS]|new_op\w*\.cc):/;

/** The group of the code in a frame, and whether a stack belongs to it whatever called it. */
function ownerOf(frame: Frame): { readonly group: LibraryGroup; readonly decides: boolean } {
  switch (frame.kind) {
    case "python":
      return { group: { kind: "python" }, decides: true };
    case "below-threshold":
      return { group: { kind: "below-threshold" }, decides: true };
    case "all":
      return { group: { kind: "unknown" }, decides: false };
    case "native": {
      const { library, source } = frame;
      if (library === undefined) return { group: { kind: "unknown" }, decides: !RUNTIME_SOURCE.test(source ?? "") };
      if (isInterpreter(library)) return { group: { kind: "python" }, decides: true };
      const name = fileName(library);
      return { group: { kind: "library", name, paths: [library] }, decides: !RUNTIME_LIBRARY.test(name) };
    }
  }
}

function withPaths(group: Extract<LibraryGroup, { kind: "library" }>, paths: readonly string[]): LibraryGroup {
  return { ...group, paths: [...new Set([...group.paths, ...paths])] };
}

export interface Allocator {
  readonly frame: Frame;
  /** Bytes that it asked for itself. */
  readonly self: number;
  /** Bytes of all stacks that pass through it; of a recursion once. */
  readonly total: number;
}

/**
 * Every frame that asked for memory itself, heaviest first.
 * @param tree allocators first; may be a difference
 */
export function topAllocators(tree: FrameTree): Allocator[] {
  const self = new Float64Array(tree.frames.length);
  for (let node = 1; node < tree.frame.length; node++) {
    const frame = tree.frame[node] ?? 0;
    if (tree.parent[node] === 0) self[frame] = (self[frame] ?? 0) + (tree.total[node] ?? 0);
  }
  const total = frameTotals(tree, (frame) => frame, tree.frames.length);
  return tree.frames
    .map((frame, number) => ({ frame, self: self[number] ?? 0, total: total[number] ?? 0 }))
    .filter(({ frame, self }) => frame.kind !== "below-threshold" && self !== 0)
    .sort((a, b) => Math.abs(b.self) - Math.abs(a.self) || Math.abs(b.total) - Math.abs(a.total));
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
