/** Live bytes at a moment as a tree of stacks: below the root where memory was allocated, children are the callers. */
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import type { Allocations } from "./allocations.ts";
import type { MemoryFrame } from "./frames.ts";
import type { Snapshot } from "./model.ts";
import { isPython } from "./stackLines.ts";
import { liveAt } from "./stateAt.ts";

/** Nodes in pre-order; node 0 stands for all, and the children of a node add up to at most its bytes. */
export interface LiveTree {
  /** Undefined: no stack was recorded. */
  readonly frames: readonly (MemoryFrame | undefined)[];
  /** Place in `frames`; node 0 has none of its own. */
  readonly frame: Uint32Array;
  readonly parent: Uint32Array;
  readonly bytes: Float64Array;
}

/** `python`: C++ frames are left out of stacks that have Python frames. */
export type FrameChoice = "python" | "all";

const MOST_NODES = 1_000_000;

/** @throws UserError `snapshot-tree-too-large` */
export function liveTree(
  snapshot: Pick<Snapshot, "stacks" | "frames">,
  allocations: Allocations,
  moment: number,
  choice: FrameChoice,
): LiveTree {
  const { frames } = snapshot;
  const python = frames.map(isPython);
  const stacks = [...bytesByStack(allocations, moment)].map(([stack, bytes]) => {
    const places = snapshot.stacks[stack] ?? [];
    const kept = choice === "python" ? places.filter((place) => python[place]) : places;
    // A stack that was not recorded stands behind the last frame.
    return { places: kept.length > 0 ? kept : places.length > 0 ? places : [frames.length], bytes };
  });
  // So that a stack shares its beginning with the one before it, or with none.
  stacks.sort((a, b) => compare(a.places, b.places));

  const frame = [frames.length];
  const parent = [0];
  const bytes = [0];
  let path: number[] = [];
  let last: readonly number[] = [];
  for (const { places, bytes: own } of stacks) {
    const shared = sharedLength(last, places);
    path = path.slice(0, shared);
    for (const place of places.slice(shared)) {
      parent.push(path.at(-1) ?? 0);
      path.push(frame.push(place) - 1);
      bytes.push(0);
    }
    if (frame.length > MOST_NODES) throw tooLarge();
    for (const node of [0, ...path]) bytes[node] = (bytes[node] ?? 0) + own;
    last = places;
  }
  return {
    frames: [...frames, undefined],
    frame: Uint32Array.from(frame),
    parent: Uint32Array.from(parent),
    bytes: Float64Array.from(bytes),
  };
}

/** Live bytes of each stack; -1 for those without. */
export function bytesByStack(allocations: Allocations, moment: number): Map<number, number> {
  const { stack, size } = allocations;
  const sums = new Map<number, number>();
  for (const place of liveAt(allocations, moment)) {
    const key = stack[place] ?? -1;
    sums.set(key, (sums.get(key) ?? 0) + (size[place] ?? 0));
  }
  return sums;
}

function compare(a: readonly number[], b: readonly number[]): number {
  const shared = sharedLength(a, b);
  return (a[shared] ?? -1) - (b[shared] ?? -1);
}

function sharedLength(a: readonly number[], b: readonly number[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

function tooLarge(): UserError {
  return new UserError(
    "snapshot-tree-too-large",
    t("The stacks at this moment have more than a million different frames."),
    t("Show the Python frames only, or another moment."),
  );
}
