import { expect, test } from "vitest";
import type { ToolReading } from "../../../src/board/tools/model.ts";
import { inOrder } from "./toolsTable.ts";

const reading = (label: string, bytes?: number): ToolReading => ({
  id: "free",
  label,
  origin: "computed",
  formula: "",
  reason: "",
  ...(bytes === undefined ? { missing: "Not here." } : { bytes }),
});

test("tools stand from the largest figure to the smallest, a figure of nothing before one that is missing", () => {
  const readings = [reading("a"), reading("b", 0), reading("c", 5), reading("d"), reading("e", 9)];
  expect(inOrder(readings).map(({ label }) => label)).toEqual(["e", "c", "b", "a", "d"]);
});
