/** What stands for the parts of a snapshot while it is read. */

import { t } from "../../../words/t.ts";
import { Folded } from "../../pickle/values.ts";
import type { Annotation, BlockState, Segment } from "../model.ts";

/** `place` in the frames that were read. */
export class FramePart extends Folded {
  override get what(): string {
    return t("a frame");
  }
  readonly place: number;

  constructor(place: number) {
    super();
    this.place = place;
  }
}

export class StackPart extends Folded {
  override get what(): string {
    return t("a stack");
  }
  readonly place: number;

  constructor(place: number) {
    super();
    this.place = place;
  }
}

/** What torch 1.13 and 2.0 say of a block's last allocation. */
export class HistoryPart extends Folded {
  override get what(): string {
    return t("a history");
  }
  readonly requested: number;
  readonly stack: number;

  constructor(requested: number, stack: number) {
    super();
    this.requested = requested;
    this.stack = stack;
  }
}

export interface BlockFigures {
  /** Absent up to torch 2.0, where blocks lie one after the other. */
  readonly address?: number | bigint;
  readonly size: number;
  readonly requested?: number;
  readonly state: BlockState;
  readonly stack: number;
}

export class BlockPart extends Folded {
  override get what(): string {
    return t("a block");
  }
  readonly figures: BlockFigures;

  constructor(figures: BlockFigures) {
    super();
    this.figures = figures;
  }
}

export class SegmentPart extends Folded {
  override get what(): string {
    return t("a segment");
  }
  readonly segment: Segment;

  constructor(segment: Segment) {
    super();
    this.segment = segment;
  }
}

export class AnnotationPart extends Folded {
  override get what(): string {
    return t("an annotation");
  }
  readonly annotation: Annotation;

  constructor(annotation: Annotation) {
    super();
    this.annotation = annotation;
  }
}

/** An event, whose figures are in the next row of the columns. */
class EventPart extends Folded {
  override get what(): string {
    return t("an event");
  }
}

export const EVENT = new EventPart();

/** A device's events: rows of the columns. */
export class TracePart extends Folded {
  override get what(): string {
    return t("a list of events");
  }
  readonly from: number;
  readonly to: number;

  constructor(from: number, to: number) {
    super();
    this.from = from;
    this.to = to;
  }
}
