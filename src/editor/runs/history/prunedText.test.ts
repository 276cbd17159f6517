import { expect, it } from "vitest";
import { prunedText } from "./prunedText.ts";

it("tells of runs that were deleted, and of deleted ones that were removed for good", () => {
  expect(prunedText(2, 0)).toBe(
    "2 old runs were deleted to keep the history within its limits. Pinned runs always stay.",
  );
  expect(prunedText(0, 1)).toBe("A deleted run was removed for good to keep the history within its limits.");
  expect(prunedText(1, 3)).toBe(
    "An old run was deleted to keep the history within its limits. Pinned runs always stay. " +
      "3 deleted runs were removed for good to keep the history within its limits.",
  );
});
