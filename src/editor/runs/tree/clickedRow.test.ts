import { expect, it } from "vitest";
import { UserError } from "../../../profile/userError.ts";
import { isForgotten, refuseForgotten } from "./clickedRow.ts";

const row = { kind: "run" };

it.each<[string, readonly unknown[]]>([
  ["the palette gives nothing", []],
  ["a row", [row, undefined]],
  ["a row of several that are selected", [row, [row, row]]],
  ["a run folder", ["/p/.jetson-memprof/runs/a"]],
  ["what a key is bound to", [{ of: "selection" }]],
])("is not forgotten: %s", (_what, given) => {
  expect(isForgotten(given)).toBe(false);
  expect(() => refuseForgotten(given)).not.toThrow();
});

it.each<[string, readonly unknown[]]>([
  ["the row", [undefined, undefined]],
  ["the row, of a menu that gives no selection", [undefined]],
  ["one of several that are selected", [row, [row, undefined]]],
  ["all that are selected", [undefined, [undefined, undefined]]],
])("is forgotten: %s", (_what, given) => {
  expect(isForgotten(given)).toBe(true);
  expect(() => refuseForgotten(given)).toThrow(UserError);
});
