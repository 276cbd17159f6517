/** What the page of a snapshot asks for, worked out. */
import { defined } from "../../profile/defined.ts";
import { UserError } from "../../profile/userError.ts";
import type {
  SnapshotAllocation,
  SnapshotAnswer,
  SnapshotQuery,
  WireActiveMemory,
  WireAllocatorState,
} from "../../protocol/torch/snapshot.ts";
import { heldBy, largestIn, thinned } from "../../torch/snapshot/activeMemory.ts";
import type { DeviceMemory } from "../../torch/snapshot/deviceMemory.ts";
import { liveTree } from "../../torch/snapshot/liveTree.ts";
import type { Snapshot } from "../../torch/snapshot/model.ts";
import { bytesOf, type SegmentState, stateAt } from "../../torch/snapshot/stateAt.ts";
import { t } from "../../words/t.ts";
import { base64 } from "../base64.ts";
import type { SnapshotPlaces } from "./snapshotPlaces.ts";
import { wireLiveTree } from "./snapshotTree.ts";

export interface OpenSnapshot {
  readonly snapshot: Snapshot;
  readonly devices: readonly DeviceMemory[];
  readonly places: SnapshotPlaces;
}

type Query<About extends SnapshotQuery["about"]> = Extract<SnapshotQuery, { about: About }>;

/** @throws UserError `snapshot-changed`: the document has no such device or allocation; `snapshot-tree-too-large` */
export function answerQuery(open: OpenSnapshot, query: SnapshotQuery): SnapshotAnswer {
  const device = open.devices.find((candidate) => candidate.device === query.device);
  if (device === undefined) throw changed();
  switch (query.about) {
    case "memory":
      return { about: "memory", memory: activeMemory(open, device, query) };
    case "state":
      return { about: "state", state: allocatorState(open, device, query) };
    case "tree": {
      const tree = liveTree(open.snapshot, device.allocations, momentOf(device, query.moment), query.frames);
      return { about: "tree", tree: wireLiveTree(tree, open.places) };
    }
    case "allocation":
      return { about: "allocation", allocation: allocationOf(open, device, query.allocation) };
  }
}

function changed(): UserError {
  return new UserError(
    "snapshot-changed",
    t("This is no longer in the snapshot: the file was replaced by a newer one."),
    t("Open it again."),
  );
}

function momentOf({ allocations }: DeviceMemory, moment: number): number {
  return Math.min(moment, allocations.events);
}

function activeMemory({ places }: OpenSnapshot, device: DeviceMemory, query: Query<"memory">): WireActiveMemory {
  const { allocations, held } = device;
  const to = momentOf(device, query.to);
  const range = { from: Math.min(query.from, to), to };
  const { layers, others } = largestIn(allocations, range, query.layers);
  const layered = heldBy(allocations, layers, range);
  const moments = thinned(held, range, query.points);
  const stack = Int32Array.from(layers, (place) => allocations.stack[place] ?? -1);
  return {
    moment: base64(moments),
    total: base64(Float64Array.from(moments, (moment) => held[moment] ?? 0)),
    rest: base64(Float64Array.from(moments, (moment) => (held[moment] ?? 0) - (layered[moment - range.from] ?? 0))),
    t: base64(Float64Array.from(moments, (moment) => device.timeAt(moment) ?? Number.NaN)),
    layers: {
      allocation: base64(layers),
      start: base64(layers.map((place) => allocations.start[place] ?? 0)),
      end: base64(layers.map((place) => allocations.end[place] ?? 0)),
      size: base64(Float64Array.from(layers, (place) => allocations.size[place] ?? 0)),
      stack: base64(stack),
    },
    stacks: places.names(stack),
    others,
  };
}

function allocatorState(open: OpenSnapshot, device: DeviceMemory, query: Query<"state">): WireAllocatorState {
  const { allocations } = device;
  const moment = momentOf(device, query.moment);
  const { segments, homeless } = stateAt(open.snapshot, allocations, moment);
  const blocks = segments.flatMap(({ range, live }, segment) =>
    live.map((place) => ({ place, segment, offset: Number((allocations.address[place] ?? 0n) - range.start) })),
  );
  const stack = Int32Array.from(blocks, ({ place }) => allocations.stack[place] ?? -1);
  return {
    segments: segments.map(wireSegment),
    blocks: {
      segment: base64(Uint32Array.from(blocks, ({ segment }) => segment)),
      offset: base64(Float64Array.from(blocks, ({ offset }) => offset)),
      size: base64(Float64Array.from(blocks, ({ place }) => allocations.size[place] ?? 0)),
      state: base64(Uint8Array.from(blocks, ({ place }) => Number((allocations.freed[place] ?? 0) <= moment))),
      allocation: base64(Uint32Array.from(blocks, ({ place }) => place)),
      stack: base64(stack),
    },
    stacks: open.places.names(stack),
    homeless: { blocks: homeless.length, bytes: bytesOf(allocations, homeless) },
  };
}

function wireSegment({ range, held }: SegmentState): WireAllocatorState["segments"][number] {
  const { start, end, segment, expandable } = range;
  return {
    address: hex(start),
    size: Number(end - start),
    ...(segment === undefined
      ? {}
      : {
          type: segment.type,
          stream: String(segment.stream),
          ...defined({ pool: segment.pool }),
        }),
    expandable,
    held,
  };
}

function allocationOf({ places }: OpenSnapshot, device: DeviceMemory, place: number): SnapshotAllocation {
  const { allocations } = device;
  const address = allocations.address[place];
  const size = allocations.size[place];
  if (address === undefined || size === undefined) throw changed();
  const [start, end] = [allocations.start[place] ?? 0, allocations.end[place] ?? 0];
  const block = allocations.block[place] ?? Number.NaN;
  const isFreed = end <= allocations.events;
  const [from, to] = [device.timeAt(start), device.timeAt(end)];
  const isTimed = start > 0 && isFreed && from !== undefined && to !== undefined;
  return {
    allocation: place,
    address: hex(address),
    size,
    ...(Number.isNaN(block) ? {} : { block }),
    ...(start === 0 ? {} : { start }),
    ...(isFreed ? { end } : {}),
    ...(isTimed ? { duration: Math.max(0, to - from) } : {}),
    stack: places.stack(allocations.stack[place] ?? -1),
  };
}

function hex(address: bigint): string {
  return `0x${address.toString(16)}`;
}
