/** Turns the dicts and lists of a snapshot into columns and parts as soon as they are complete. */
import { type Phrase, phrase, t } from "../../../words/t.ts";
import { type Budget, createBudget, LIMITS } from "../../pickle/limits.ts";
import type { Fold } from "../../pickle/stack.ts";
import { PickleDict, PickleList, type PickleValue } from "../../pickle/values.ts";
import { damagedSnapshot, wrongValue } from "./errors.ts";
import { createEventColumns, type EventColumns } from "./eventColumns.ts";
import { integer, size, text } from "./fields.ts";
import {
  AnnotationPart,
  BlockPart,
  EVENT,
  FramePart,
  HistoryPart,
  SegmentPart,
  StackPart,
  TracePart,
} from "./parts.ts";
import { readEvent, UNKNOWN_ACTION } from "./readEvent.ts";
import { readBlock, readSegment } from "./readSegment.ts";
import { createStackTable, type StackTable } from "./stackTable.ts";

/** Texts that every snapshot holds. */
export const COMMON_TEXTS = [
  ..."action addr address size requested_size real_size state blocks frames history name filename line".split(" "),
  ..."stream time_us device_free device total_size allocated_size active_size segment_type segment_pool_id".split(" "),
  ..."alloc free_requested free_completed segment_alloc segment_free compile_context user_metadata N/A".split(" "),
  ..."active_allocated active_awaiting_free inactive large small is_expandable segments device_traces".split(" "),
  "",
];

export interface SnapshotFold {
  readonly fold: Fold;
  readonly events: EventColumns;
  readonly stacks: StackTable;
  /** Kinds of events that are not known, with how many there are; the rarest beyond the first hundred are not told apart. */
  readonly unknownActions: ReadonlyMap<string, number>;
}

const COST = { history: 100, block: 400, segment: 800, annotation: 1000 } as const;
const MOST_UNKNOWN = 100;

export function createSnapshotFold(budget: Budget, read: () => number): SnapshotFold {
  const events = createEventColumns({ columns: createBudget(LIMITS.columns), heap: budget, read });
  const stacks = createStackTable(budget);
  const frames: FramePart[] = [];
  const stackParts: StackPart[] = [];
  /** Of the stack that is looked at: most are known. */
  const places: number[] = [];
  const unknownActions = new Map<string, number>();
  let blocks = 0;
  let segments = 0;
  /** One for all: there are millions, and hardly ever is it said. */
  const nextEvent: Phrase = {
    ...phrase("event {0}", 0),
    get values() {
      return [events.length];
    },
  };
  /** Events before this row are in a list. */
  let listed = 0;

  function stackOf(value: PickleValue | undefined, where: Phrase): number {
    if (value instanceof StackPart) return value.place;
    if (value === undefined || value === null || (value instanceof PickleList && value.items.length === 0)) return -1;
    throw wrongValue("frames", where, value, t("a list of frames"));
  }

  function foldDict(dict: PickleDict): PickleValue {
    for (const key of dict.keys) {
      switch (key) {
        case "filename":
          return frame(dict);
        case "action":
          return event(dict);
        case "blocks":
          budget.take(COST.segment);
          return new SegmentPart(readSegment(dict, phrase("segment {0}", segments++)));
        case "state":
          budget.take(COST.block);
          return new BlockPart(readBlock(dict, phrase("block {0}", blocks++), stackOf));
        case "real_size":
          return history(dict);
        case "stage":
          return annotation(dict);
      }
    }
    return dict;
  }

  function frame(dict: PickleDict): FramePart {
    const where = phrase("frame {0}", stacks.frames.length);
    const line = Number(integer(dict, "line", where));
    const place = stacks.frame({
      name: text(dict, "name", where),
      file: text(dict, "filename", where),
      line: line > 0 && line < MAX_LINE ? line : 0,
    });
    frames[place] ??= new FramePart(place);
    return frames[place];
  }

  function event(dict: PickleDict): PickleValue {
    const row = readEvent(dict, nextEvent, stackOf);
    if (row.action === UNKNOWN_ACTION) {
      const kind = unknownActions.size < MOST_UNKNOWN ? row.name.slice(0, 100) : t("other");
      unknownActions.set(kind, (unknownActions.get(kind) ?? 0) + 1);
    }
    events.add(row);
    return EVENT;
  }

  function history(dict: PickleDict): HistoryPart {
    budget.take(COST.history);
    const where = phrase("the history of block {0}", blocks);
    return new HistoryPart(size(dict, "real_size", where), stackOf(dict.get("frames"), where));
  }

  /** What is not as PyTorch writes it stays a dict: a snapshot can do without. */
  function annotation(dict: PickleDict): PickleValue {
    const [name, stage] = [dict.get("name"), dict.get("stage")];
    const [device, timeUs] = [dict.get("device"), dict.get("time_us")];
    if (typeof name !== "string" || (stage !== "START" && stage !== "END")) return dict;
    if (typeof device !== "number" || typeof timeUs !== "number") return dict;
    budget.take(COST.annotation);
    return new AnnotationPart({ name: name.slice(0, LONGEST_NAME), stage, device, timeUs });
  }

  function foldList(list: PickleList): PickleValue {
    const [first] = list.items;
    if (first instanceof FramePart) return stack(list.items);
    return first === EVENT ? trace(list) : list;
  }

  function stack(items: readonly PickleValue[]): StackPart {
    places.length = 0;
    for (const item of items) {
      if (!(item instanceof FramePart)) throw damagedSnapshot(t("a stack holds what is not a frame"));
      places.push(item.place);
    }
    const place = stacks.stack(places);
    stackParts[place] ??= new StackPart(place);
    return stackParts[place];
  }

  function trace({ items, counted }: PickleList): TracePart {
    const from = listed;
    listed = events.length;
    if (counted !== listed - from || items.length !== 1) {
      throw damagedSnapshot(t("the {0} events from event {1} on are not one device's", counted, from));
    }
    return new TracePart(from, listed);
  }

  return {
    fold: (container) => (container instanceof PickleDict ? foldDict(container) : foldList(container)),
    events,
    stacks,
    unknownActions,
  };
}

/** Of an annotation, in characters. */
const LONGEST_NAME = 200;

/** A line's number is kept in 32 bits. */
const MAX_LINE = 2 ** 31;
