import { expect, it } from "vitest";
import { createOpenRows } from "./openRows.ts";

it.each([
  ["that nobody knows", Math.random],
  // All addresses fall together then, as whoever knew the numbers could have it.
  ["that are all the same", () => 0],
])("rows are found by their addresses, with random numbers %s", (_, random) => {
  const open = createOpenRows(random);
  const addresses = Array.from({ length: 3000 }, (_, at) => [at * 512, at % 3] as const);
  const places = addresses.map(([low, high]) => open.placeOf(low, high));
  expect(new Set(places).size).toBe(addresses.length);
  for (const place of places) open.set(place, 10 * place);
  expect(addresses.map(([low, high]) => open.get(open.placeOf(low, high)))).toEqual(places.map((place) => 10 * place));
  expect(open.get(open.placeOf(1, 0))).toBe(-1);
  open.set(places[7] ?? 0, -1);
  expect([...open.rows()]).toHaveLength(addresses.length - 1);
});
