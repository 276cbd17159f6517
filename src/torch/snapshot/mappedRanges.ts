/** Which address ranges a device's segments covered at a moment, going back from the end by the segments' events. */
import { ACTIONS, type EventTable, type Segment } from "./model.ts";

export interface MappedRange {
  readonly start: bigint;
  readonly end: bigint;
  /** The segment of the snapshot that the range is of; absent for one that was given back before the snapshot. */
  readonly segment?: Segment;
  readonly expandable: boolean;
}

interface Claim {
  readonly start: bigint;
  readonly end: bigint;
  /** Absent: the range was not there before this event. */
  readonly range: Omit<MappedRange, "start" | "end"> | undefined;
}

const GROWS = new Set([ACTIONS.indexOf("segment_alloc"), ACTIONS.indexOf("segment_map")]);
const FREE = ACTIONS.indexOf("segment_free");
const UNMAP = ACTIONS.indexOf("segment_unmap");

/**
 * The first event after the moment that touches an address says whether it was mapped then: what is mapped later was
 * not, what is unmapped later was. What no event touches is as in the end.
 */
export function mappedRanges(
  segments: readonly Segment[],
  events: EventTable | undefined,
  moment: number,
): MappedRange[] {
  const claims = [...(events === undefined ? [] : claimsOf(events, moment)), ...segments.map(claimOf)];
  const bounds = [...new Set(claims.flatMap(({ start, end }) => [start, end]))].sort((a, b) =>
    a < b ? -1 : a > b ? 1 : 0,
  );
  const placeOf = new Map(bounds.map((bound, place) => [bound, place]));
  const owner = new Int32Array(bounds.length).fill(-1);
  const nextFree = Uint32Array.from(bounds, (_, place) => place);

  /** The first interval from `place` on that is not claimed; paths are halved on the way. */
  function free(place: number): number {
    let at = place;
    while (at < bounds.length && nextFree[at] !== at) {
      const next = nextFree[at] ?? 0;
      nextFree[at] = nextFree[next] ?? next;
      at = nextFree[at] ?? 0;
    }
    return at;
  }

  claims.forEach(({ start, end }, claim) => {
    const last = placeOf.get(end) ?? 0;
    for (let at = free(placeOf.get(start) ?? 0); at < last; at = free(at)) {
      owner[at] = claim;
      nextFree[at] = at + 1;
    }
  });
  return ranges(bounds, owner, claims);
}

function claimsOf({ action, address, size }: EventTable, moment: number): Claim[] {
  const claims: Claim[] = [];
  for (let event = moment; event < action.length; event++) {
    const kind = action[event] ?? 0;
    const isGiven = kind === FREE || kind === UNMAP;
    if (!isGiven && !GROWS.has(kind)) continue;
    const start = address[event] ?? 0n;
    const end = start + BigInt(size[event] ?? 0);
    claims.push({ start, end, range: isGiven ? { expandable: kind === UNMAP } : undefined });
  }
  return claims;
}

function claimOf(segment: Segment): Claim {
  const { address, totalSize, expandable } = segment;
  return { start: address, end: address + BigInt(totalSize), range: { segment, expandable } };
}

/** Neighbors of one claim are one range, and so are neighbors of expandable segments, which grow piece by piece. */
function ranges(bounds: readonly bigint[], owner: Int32Array, claims: readonly Claim[]): MappedRange[] {
  const found: MappedRange[] = [];
  let last: Claim | undefined;
  for (let at = 0; at + 1 < bounds.length; at++) {
    const claim = claims[owner[at] ?? -1];
    const [start, end] = [bounds[at] ?? 0n, bounds[at + 1] ?? 0n];
    const before = found.at(-1);
    if (claim?.range !== undefined) {
      const isSame = before?.end === start && (claim === last || (before.expandable && claim.range.expandable));
      if (isSame && before !== undefined) found[found.length - 1] = { ...claim.range, ...before, end };
      else found.push({ ...claim.range, start, end });
    }
    last = claim;
  }
  return found;
}
