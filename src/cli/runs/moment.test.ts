import { expect, it } from "vitest";
import type { PlacedSample } from "../../profile/run/runFolder.ts";
import { momentOf, readMoment } from "./moment.ts";

const known = (t: number | undefined) => ({
  lastSample: () => (t === undefined ? undefined : ({ t, processes: [] } as unknown as PlacedSample)),
});

it.each<[string, number]>([
  ["90s", 90_000],
  ["1.5m", 90_000],
  ["200ms", 200],
  ["1h", 3_600_000],
  ["-30s", 3_600_000 * 2 - 30_000],
  ["-9h", 0],
])("%s", (text, ms) => {
  expect(momentOf(readMoment(text), known(3_600_000 * 2))).toBe(ms);
});

it.each(["", "5", "5 m", "m", "1d", "-", "1e3s", "--5s", "0x5s"])("%j is none", (text) => {
  expect(() => readMoment(text)).toThrow("--since takes a time of the run");
});

it("is not later than what is known of the run", () => {
  expect(() => momentOf(readMoment("5m"), known(60_000))).toThrow("The run is known until 1 min, and 5 min is later.");
  expect(momentOf(readMoment("-5m"), known(undefined))).toBe(0);
});
