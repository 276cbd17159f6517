import { expect, it } from "vitest";
import { columnOf } from "./adviceEdit.ts";

it("tells where the text to replace begins", () => {
  expect(columnOf("    total += loss", "+= loss", "train.py:3")).toBe(10);
});

it.each([
  ["it is gone", "total += loss.mean()", "total += loss.sum()"],
  ["it stands there twice", "total += loss; other += loss", "+= loss"],
  ["it overlaps itself", "aaa", "aa"],
  ["it is nothing", "total", ""],
])("refuses where %s", (_, line, find) => {
  expect(() => columnOf(line, find, "train.py:3")).toThrow(/^train\.py:3 no longer holds/);
});
