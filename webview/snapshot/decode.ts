/** What the server answers → typed arrays, checked: what comes from outside may not fit together. */
import { UserError } from "../../src/profile/userError.ts";
import type { Place, WireActiveMemory, WireAllocatorState } from "../../src/protocol/torch/snapshot.ts";
import { t } from "../../src/words/t.ts";
import { bytesOf, doublesOf, integersOf, wordsOf } from "../binary.ts";
import type { Layers } from "./active/layers.ts";

/** The line of a stack, or the innermost frame's name where it has no line of Python. */
export interface StackName {
  readonly name: string;
  readonly line?: Place;
}
/** By the number of the stack. */
export type StackNames = ReadonlyMap<number, StackName>;

export interface AllocationLayers extends Layers {
  readonly allocation: Uint32Array;
  /** -1: none recorded. */
  readonly stack: Int32Array;
}

/** Memory held over a range of moments; the first columns have one value for each moment that is drawn. */
export interface ActiveMemory {
  readonly moment: Uint32Array;
  readonly total: Float64Array;
  readonly rest: Float64Array;
  /** ms since the first recorded event; NaN where it is not known. */
  readonly t: Float64Array;
  readonly layers: AllocationLayers;
  readonly stacks: StackNames;
  /** Allocations that are in `rest`. */
  readonly others: number;
}

export interface Blocks {
  /** Place in the segments. */
  readonly segment: Uint32Array;
  /** Bytes from the segment's start. */
  readonly offset: Float64Array;
  readonly size: Float64Array;
  /** 0 allocated, 1 freed but awaiting another stream. */
  readonly state: Uint8Array;
  readonly allocation: Uint32Array;
  readonly stack: Int32Array;
}

export interface AllocatorState {
  readonly segments: WireAllocatorState["segments"];
  /** In use, by segment and then by offset. */
  readonly blocks: Blocks;
  readonly stacks: StackNames;
  readonly homeless: WireAllocatorState["homeless"];
}

const damaged = (): UserError =>
  new UserError(
    "snapshot-answer-damaged",
    t("The snapshot's figures arrived damaged."),
    t("Close the view and open it again."),
  );

type Columns = Readonly<Record<string, ArrayLike<number> | undefined>>;

/** All there, and of the same length. */
function together<T extends Columns>(columns: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const all = Object.values(columns);
  if (all.some((column) => column === undefined || column.length !== all[0]?.length)) throw damaged();
  return columns as { [Name in keyof T]: Exclude<T[Name], undefined> };
}

function ascends(values: ArrayLike<number>): boolean {
  for (let i = 1; i < values.length; i++) if ((values[i] ?? 0) < (values[i - 1] ?? 0)) return false;
  return true;
}

const areSizes = (values: Float64Array): boolean => values.every((value) => value >= 0 && Number.isFinite(value));

const namesOf = (stacks: readonly ({ readonly stack: number } & StackName)[]): StackNames =>
  new Map(stacks.map(({ stack, ...name }) => [stack, name]));

/** @throws UserError */
export function activeMemoryOf(wire: WireActiveMemory): ActiveMemory {
  const points = together({
    moment: wordsOf(wire.moment),
    total: doublesOf(wire.total),
    rest: doublesOf(wire.rest),
    t: doublesOf(wire.t),
  });
  const layers = together({
    allocation: wordsOf(wire.layers.allocation),
    start: wordsOf(wire.layers.start),
    end: wordsOf(wire.layers.end),
    size: doublesOf(wire.layers.size),
    stack: integersOf(wire.layers.stack),
  });
  const ordered = points.moment.length > 0 && ascends(points.moment) && ascends(layers.start);
  if (!ordered || !areSizes(points.total) || !areSizes(points.rest) || !areSizes(layers.size)) throw damaged();
  return { ...points, layers, stacks: namesOf(wire.stacks), others: wire.others };
}

/** @throws UserError */
export function allocatorStateOf(wire: WireAllocatorState): AllocatorState {
  const blocks = together({
    segment: wordsOf(wire.blocks.segment),
    offset: doublesOf(wire.blocks.offset),
    size: doublesOf(wire.blocks.size),
    state: bytesOf(wire.blocks.state),
    allocation: wordsOf(wire.blocks.allocation),
    stack: integersOf(wire.blocks.stack),
  });
  const known = blocks.segment.every((segment) => segment < wire.segments.length);
  if (!known || !ascends(blocks.segment) || !areSizes(blocks.offset) || !areSizes(blocks.size)) throw damaged();
  return { segments: wire.segments, blocks, stacks: namesOf(wire.stacks), homeless: wire.homeless };
}
