import { expect, it } from "vitest";
import { heaviest } from "./heaviest.ts";

const items = [
  { name: "a", moved: 1, size: 5 },
  { name: "b", moved: 3, size: 1 },
  { name: "c", moved: 1, size: 9 },
  { name: "d", moved: 1, size: 5 },
];
const names = (most: number): string =>
  heaviest(
    items,
    most,
    ({ moved }) => moved,
    ({ size }) => size,
  )
    .map(({ name }) => name)
    .join("");

it("takes the greatest by the first key, of equals by the next, then the first, in the order they had", () => {
  expect([0, 1, 2, 3, 4, 9].map(names)).toEqual(["", "b", "bc", "abc", "abcd", "abcd"]);
});
