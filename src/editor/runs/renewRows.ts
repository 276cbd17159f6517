/** Rows of a tree that VS Code goes on knowing, as it knows them by the objects that it was given first. */
import { isDeepStrictEqual } from "node:util";
import type { RunListEntry } from "../../protocol/server.ts";

const idOf = (entry: RunListEntry): string => (entry.kind === "run" ? entry.run.folder : entry.folder);

/**
 * Puts what `fresh` says into the rows that are `known`.
 * @returns those that say something else, or whose lines may as the run goes on; undefined, with nothing done, where
 * rows came, went or changed places
 */
export function renewRows<Row extends RunListEntry>(
  known: readonly Row[],
  fresh: readonly RunListEntry[],
): Row[] | undefined {
  const pairs = known.map((row, at) => ({ row, now: fresh[at] }));
  const areSame = pairs.every(({ row, now }) => now?.kind === row.kind && idOf(now) === idOf(row));
  if (known.length !== fresh.length || !areSame) return undefined;
  return pairs.flatMap(({ row, now }) => {
    const goesOn = now?.kind === "run" && now.run.state === "running";
    if (!goesOn && isDeepStrictEqual(row, now)) return [];
    return [Object.assign(row, now)];
  });
}
