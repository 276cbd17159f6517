import { expect, test } from "vitest";
import { defined } from "./defined.ts";

test("what is undefined is absent, and all else is as it was", () => {
  expect(Object.entries(defined({ a: undefined, b: 0, c: "", d: null, e: false }))).toEqual([
    ["b", 0],
    ["c", ""],
    ["d", null],
    ["e", false],
  ]);
});

test("its type lets what may be undefined be absent", () => {
  const made = (line: number | undefined, name: string): { readonly name: string; readonly line?: number } =>
    defined({ name, line });
  expect("line" in made(undefined, "a")).toBe(false);
  expect(made(3, "a")).toEqual({ name: "a", line: 3 });
});
