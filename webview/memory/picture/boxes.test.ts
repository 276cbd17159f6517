import { describe, expect, test } from "vitest";
import type { Ledger, LedgerRow } from "../../../src/board/ledger/model.ts";
import { boxByKey, boxesOf } from "./boxes.ts";

const row = (id: string, bytes: number | undefined, parts?: LedgerRow["parts"]): LedgerRow => ({
  id,
  group: id.split(".")[0] as LedgerRow["group"],
  label: id,
  sureness: bytes === undefined ? "unknown" : "exact",
  how: "",
  ...(bytes === undefined ? {} : { bytes }),
  ...(parts === undefined ? {} : { parts }),
});
const ledger: Ledger = {
  t: 0,
  total: 1000,
  rows: [
    row("free.free", 400),
    row("kernel.slab", 100),
    row("gpu.unknown", undefined),
    row("others.desktop", 300, [
      { label: "Xorg", bytes: 100 },
      { label: "Xorg", bytes: 200 },
    ]),
    row("run.anon", 200),
    row("run.shmem", 0),
  ],
  notes: [],
};

describe("the picture of a ledger", () => {
  test("a bar has the groups side by side over the whole width, the run first", () => {
    const boxes = boxesOf(ledger, "bar");
    expect(boxes.map(({ id }) => id)).toEqual(["run", "others", "kernel", "free"]);
    expect(boxes.map(({ from, to }) => [from, to])).toEqual([
      [0, 0.2],
      [0.2, 0.5],
      [0.5, 0.6],
      [0.6, 1],
    ]);
  });

  test("an icicle has rows below their group and processes below their row; what is unknown or nothing has no box", () => {
    const boxes = boxesOf(ledger, "icicle");
    expect(boxes.map(({ id, level }) => `${level} ${id}`)).toEqual([
      "0 run",
      "1 run.anon",
      "0 others",
      "1 others.desktop",
      "2 others.desktop/0",
      "2 others.desktop/1",
      "0 kernel",
      "1 kernel.slab",
      "0 free",
      "1 free.free",
    ]);
    expect(boxes.find(({ id }) => id === "others.desktop/1")).toMatchObject({
      label: "Xorg",
      bytes: 200,
      parent: "others.desktop",
    });
  });

  test("a ledger of nothing makes no boxes of a size that is no number", () => {
    expect(boxesOf({ t: 0, total: 0, rows: [row("free.free", 0)], notes: [] }, "icicle")).toEqual([]);
  });
});

describe("the keys of the picture", () => {
  const boxes = boxesOf(ledger, "icicle");
  test.each([
    ["ArrowRight", "run", "others"],
    ["ArrowLeft", "others", "run"],
    ["ArrowDown", "others", "others.desktop"],
    ["ArrowDown", "others.desktop", "others.desktop/0"],
    ["ArrowUp", "others.desktop/1", "others.desktop"],
    ["ArrowRight", "run.anon", "others.desktop"],
    ["Home", "others.desktop/1", "others.desktop/0"],
    ["End", "run", "free"],
    ["ArrowUp", "run", undefined],
    ["ArrowLeft", "run", undefined],
    ["Tab", "run", undefined],
  ])("%s leads from %s to %s", (key, from, to) => {
    expect(boxByKey(key, boxes, from)?.id).toBe(to);
  });

  test("the first arrow begins at the run", () => {
    expect(boxByKey("ArrowRight", boxes, undefined)?.id).toBe("run");
    expect(boxByKey("Enter", boxes, undefined)).toBeUndefined();
  });
});
