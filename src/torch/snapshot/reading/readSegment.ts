/** Segments and blocks as they stand in a snapshot, of all releases. All throw UserError `snapshot-damaged`. */

import { defined } from "../../../profile/defined.ts";
import { type Phrase, say, t } from "../../../words/t.ts";
import { type PickleDict, PickleList, PickleTuple, type PickleValue } from "../../pickle/values.ts";
import type { Block, BlockState, Segment } from "../model.ts";
import { damagedSnapshot, wrongValue } from "./errors.ts";
import { ADDRESS_END, addressOf, integer, list, size, sizeOf, text } from "./fields.ts";
import { type BlockFigures, BlockPart, HistoryPart } from "./parts.ts";

const STATES: Readonly<Record<string, BlockState>> = {
  active_allocated: "active_allocated",
  active_awaiting_free: "active_awaiting_free",
  // Up to torch 2.0.
  active_pending_free: "active_awaiting_free",
  inactive: "inactive",
};

export function readBlock(
  dict: PickleDict,
  where: Phrase,
  stackOf: (value: PickleValue | undefined, where: Phrase) => number,
): BlockFigures {
  const name = text(dict, "state", where);
  const state = Object.hasOwn(STATES, name) ? STATES[name] : undefined;
  if (state === undefined)
    throw damagedSnapshot(t('{0} is in the state "{1}", which is not known', say(where), name.slice(0, 100)));
  const address = dict.get("address");
  const last = lastAllocation(dict.get("history"), where);
  const requested = dict.get("requested_size");
  return {
    ...defined({ address: address === undefined ? undefined : addressOf(address, "address", where) }),
    size: size(dict, "size", where),
    state,
    // A free block's stack and request are of its past.
    ...(state === "inactive"
      ? { stack: -1 }
      : {
          stack: last?.stack ?? stackOf(dict.get("frames"), where),
          ...(requested === undefined
            ? last && { requested: last.requested }
            : { requested: sizeOf(requested, "requested_size", where) }),
        }),
  };
}

/** Of the list that torch 1.13 and 2.0 keep, the latest first. */
function lastAllocation(value: PickleValue | undefined, where: Phrase): HistoryPart | undefined {
  if (value === undefined) return undefined;
  if (!(value instanceof PickleList)) throw wrongValue("history", where, value, t("a list"));
  const [last] = value.items;
  if (last === undefined) return undefined;
  if (!(last instanceof HistoryPart)) throw wrongValue("history", where, last, t("a list of allocations"));
  return last;
}

export function readSegment(dict: PickleDict, where: Phrase): Segment {
  const address = BigInt(addressOf(dict.get("address"), "address", where));
  const pool = poolOf(dict.get("segment_pool_id"), where);
  const type = text(dict, "segment_type", where);
  if (type !== "large" && type !== "small")
    throw wrongValue("segment_type", where, dict.get("segment_type"), t('"large" or "small"'));
  return {
    device: size(dict, "device", where),
    address,
    totalSize: size(dict, "total_size", where),
    allocatedSize: size(dict, "allocated_size", where),
    activeSize: size(dict, "active_size", where),
    stream: BigInt(integer(dict, "stream", where)),
    type,
    expandable: dict.get("is_expandable") === true,
    ...defined({ pool }),
    blocks: blocksOf(list(dict, "blocks", where), address, where),
  };
}

function blocksOf(values: readonly PickleValue[], segment: bigint, where: Phrase): Block[] {
  let next = segment;
  return values.map((value, place) => {
    if (!(value instanceof BlockPart)) throw wrongValue("blocks", where, value, t("a list of blocks"));
    const { address = next, ...figures } = value.figures;
    const block = { ...figures, address: BigInt(address) };
    next = block.address + BigInt(block.size);
    if (next > ADDRESS_END) throw damagedSnapshot(t("block {0} of {1} ends beyond all addresses", place, say(where)));
    return block;
  });
}

/** `(0, 0)` is the default pool. */
function poolOf(value: PickleValue | undefined, where: Phrase): string | undefined {
  if (value === undefined) return undefined;
  const items = value instanceof PickleTuple ? value.items : [];
  const [first, second] = items;
  if (items.length !== 2 || !isInteger(first) || !isInteger(second)) {
    throw wrongValue("segment_pool_id", where, value, t("a pair of integers"));
  }
  return BigInt(first) === 0n && BigInt(second) === 0n ? undefined : `${first}, ${second}`;
}

function isInteger(value: PickleValue | undefined): value is number | bigint {
  return typeof value === "bigint" || Number.isSafeInteger(value);
}
