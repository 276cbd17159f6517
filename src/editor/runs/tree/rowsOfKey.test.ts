import { expect, test } from "vitest";
import { rowsOfKey } from "./rowsOfKey.ts";

/** A list as VS Code keeps it. */
function list(selected: readonly string[], focused?: string) {
  let now = selected;
  return {
    selection: () => now,
    toggle: async () => {
      if (focused === undefined) return;
      now = now.includes(focused) ? now.filter((row) => row !== focused) : [...now, focused];
    },
  };
}

test.each([
  ["the row that the arrow keys led to, where none is selected", [], "b", ["b"]],
  ["that row, not the one that was clicked before", ["a"], "b", ["b"]],
  ["the clicked row, which has the focus too", ["a"], "a", ["a"]],
  ["all that are selected, from one of them", ["a", "b"], "b", ["a", "b"]],
  ["what is selected, where no row has the focus", ["a"], undefined, ["a"]],
])("means %s", async (_, selected, focused, meant) => {
  const { selection, toggle } = list(selected, focused);
  expect(await rowsOfKey(selection, toggle)).toEqual(meant);
  expect([...selection()].sort()).toEqual(selected);
});
