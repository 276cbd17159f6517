import { expect, it } from "vitest";
import { changedRows } from "./rowChanges.ts";

const rows = (...texts: readonly string[]) => texts.map((text) => ({ key: text[0] ?? "", text }));

it("names the rows that say something new", () => {
  expect(changedRows(rows("a 1", "b 1", "c 1"), rows("a 1", "b 2", "c 3"))).toEqual(["b", "c"]);
});

it("names none where all is as it was", () => {
  expect(changedRows(rows("a", "b"), rows("a", "b"))).toEqual([]);
  expect(changedRows([], [])).toEqual([]);
});

it.each([
  ["another row", rows("a", "b", "c")],
  ["a row less", rows("a")],
  ["no row", rows()],
  ["another order", rows("b", "a")],
  ["a row in the place of another", rows("a", "c")],
])("is undefined where there is %s", (_what, after) => {
  expect(changedRows(rows("a", "b"), after)).toBeUndefined();
});
