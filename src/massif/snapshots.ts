/** Which snapshot of a file is meant. */
import type { Snapshot } from "./model.ts";

/** Everything that massif counts at the moment of a snapshot, in bytes. */
export function snapshotTotal({ heap, extra, stacks }: Pick<Snapshot, "heap" | "extra" | "stacks">): number {
  return heap + extra + stacks;
}

/** The place of the peak in `snapshots`, or where massif marked none of the largest that has a tree; undefined if none has. */
export function peakPlace(snapshots: readonly Snapshot[]): number | undefined {
  let best: number | undefined;
  for (const [place, snapshot] of snapshots.entries()) {
    if (snapshot.tree.kind === "none") continue;
    const known = best === undefined ? undefined : snapshots[best];
    if (known === undefined || isGreater(snapshot, known)) best = place;
  }
  return best;
}

/** A file may hold several peaks: massif marks the one of the time. */
function isGreater(a: Snapshot, b: Snapshot): boolean {
  if (a.tree.kind !== b.tree.kind) return a.tree.kind === "peak";
  return snapshotTotal(a) > snapshotTotal(b);
}

/** The place of the last snapshot that has a tree. */
export function lastPlace(snapshots: readonly Snapshot[]): number | undefined {
  const place = snapshots.map(({ tree }) => tree.kind !== "none").lastIndexOf(true);
  return place < 0 ? undefined : place;
}

/** What snapshots are called: as the file numbers them, or by their places from 0 where it gives a number twice. */
export function snapshotNames(snapshots: readonly Snapshot[]): number[] {
  const numbers = snapshots.map(({ number }) => number);
  return new Set(numbers).size === numbers.length ? numbers : [...numbers.keys()];
}
