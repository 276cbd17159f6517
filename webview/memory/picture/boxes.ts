/** Where the parts of a ledger lie in its picture; no drawing. */

import { GROUP_ORDER, groupLabel, groupTotals } from "../../../src/board/ledger/ledger.ts";
import type { Ledger, LedgerGroup, LedgerRow } from "../../../src/board/ledger/model.ts";

export type Shape = "bar" | "icicle";

export interface Box {
  /** Stable over moments: the group, the row's id, or that and the part's place. */
  readonly id: string;
  readonly parent?: string;
  /** 0: a group, 1: a row, 2: a part of a row. */
  readonly level: 0 | 1 | 2;
  readonly group: LedgerGroup;
  readonly label: string;
  readonly bytes: number;
  /** From the left edge to the right one, each as a share of MemTotal. */
  readonly from: number;
  readonly to: number;
  /** The row that it is or is a part of. */
  readonly row?: LedgerRow;
}

const known = (row: LedgerRow): row is LedgerRow & { readonly bytes: number } => (row.bytes ?? 0) > 0;

/** A bar shows the groups, an icicle their rows and what those are made of as well. What is unknown has no box. */
export function boxesOf(ledger: Ledger, shape: Shape): readonly Box[] {
  const boxes: Box[] = [];
  const totals = groupTotals(ledger);
  const total = Math.max(1, ledger.total);
  const put = (box: Omit<Box, "to">): void => {
    boxes.push({ ...box, to: box.from + box.bytes / total });
  };
  let groupFrom = 0;
  for (const group of GROUP_ORDER) {
    const bytes = totals[group] ?? 0;
    if (bytes <= 0) continue;
    put({ id: group, level: 0, group, label: groupLabel(group), bytes, from: groupFrom });
    let from = groupFrom;
    groupFrom += bytes / total;
    if (shape === "bar") continue;
    for (const row of ledger.rows.filter((row) => row.group === group)) {
      if (!known(row)) continue;
      put({ id: row.id, parent: group, level: 1, group, label: row.label, bytes: row.bytes, from, row });
      let partFrom = from;
      from += row.bytes / total;
      row.parts?.forEach((part, i) => {
        put({ id: `${row.id}/${i}`, parent: row.id, level: 2, group, ...part, from: partFrom, row });
        partFrom += part.bytes / total;
      });
    }
  }
  return boxes;
}

/** The box that a key leads to from another; undefined when the key is not one of the picture's or leads nowhere. */
export function boxByKey(key: string, boxes: readonly Box[], current: string | undefined): Box | undefined {
  const from = boxes.find(({ id }) => id === current);
  if (!from) return /^(Arrow|Home|End)/.test(key) ? boxes[0] : undefined;
  const level = boxes.filter((box) => box.level === from.level);
  const place = level.indexOf(from);
  switch (key) {
    case "ArrowLeft":
      return level[place - 1];
    case "ArrowRight":
      return level[place + 1];
    case "ArrowDown":
      return boxes.find(({ parent }) => parent === from.id);
    case "ArrowUp":
      return boxes.find(({ id }) => id === from.parent);
    case "Home":
      return level[0];
    case "End":
      return level.at(-1);
    default:
      return undefined;
  }
}
