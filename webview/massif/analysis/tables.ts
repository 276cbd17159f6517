/** The figures beside the graph: by library, by allocator, by Python line. */
import { frameKey } from "../../../src/massif/frameNames.ts";
import { linesAtPeak } from "../../../src/massif/lines.ts";
import type { FrameTree } from "../../../src/massif/model.ts";
import { byLibrary, libraryName, topAllocators } from "../../../src/massif/summary.ts";
import type { AllocatorRow, LibraryRow, PythonRow, Tables } from "./jobs.ts";

/** One snapshot's trees: as recorded, and folded as the graph shows them; both with the allocators first. */
export interface Recorded {
  readonly stacks: FrameTree;
  readonly folded: FrameTree;
}

export function tablesOf({ stacks, folded }: Recorded): Tables {
  return {
    libraries: byLibrary(stacks).map(({ library, bytes }) => ({ name: libraryName(library), bytes })),
    allocators: topAllocators(folded),
    python: linesAtPeak(stacks).map(({ path, line, function: name, exact, own, total }) => ({
      place: { path, line },
      function: name,
      exact,
      own,
      total,
    })),
  };
}

/** After minus before, row by row; what is on one side only changed from or to nothing. Largest change first. */
function change<Row>(
  before: readonly Row[],
  after: readonly Row[],
  key: (row: Row) => string,
  subtract: (from: Row | undefined, what: Row | undefined, either: Row) => Row,
  size: (row: Row) => number,
): Row[] {
  const old = new Map(before.map((row) => [key(row), row]));
  const rows = after.map((row) => {
    const was = old.get(key(row));
    old.delete(key(row));
    return subtract(row, was, row);
  });
  rows.push(...[...old.values()].map((was) => subtract(undefined, was, was)));
  return rows.filter((row) => size(row) !== 0).sort((a, b) => size(b) - size(a));
}

export function tablesOfChange(before: Tables, after: Tables): Tables {
  const minus = (a: number | undefined, b: number | undefined): number => (a ?? 0) - (b ?? 0);
  const most = (a: number, b: number): number => Math.max(Math.abs(a), Math.abs(b));
  return {
    libraries: change<LibraryRow>(
      before.libraries,
      after.libraries,
      (row) => row.name,
      (a, b, row) => ({ ...row, bytes: minus(a?.bytes, b?.bytes) }),
      (row) => Math.abs(row.bytes),
    ),
    allocators: change<AllocatorRow>(
      before.allocators,
      after.allocators,
      (row) => frameKey(row.frame),
      (a, b, row) => ({ ...row, self: minus(a?.self, b?.self), total: minus(a?.total, b?.total) }),
      (row) => most(row.self, row.total),
    ),
    python: change<PythonRow>(
      before.python,
      after.python,
      ({ place, exact }) => `${exact} ${place.line} ${place.path}`,
      (a, b, row) => ({ ...row, own: minus(a?.own, b?.own), total: minus(a?.total, b?.total) }),
      (row) => most(row.own, row.total),
    ),
  };
}
