import { expect, it } from "vitest";
import { startOf } from "./startOf.ts";

const NOW = new Date("2026-11-30T12:00:00Z");
const RUN = { folder: "/p/.jetson-memprof/runs/20261121-094501-train-3fa9", started: "2026-11-21T09:45:03Z" };
const began = (changes: Partial<Parameters<typeof startOf>[0]>) => startOf({ ...RUN, ...changes }, NOW)?.toISOString();

it("is what the board says where this computer agrees", () => {
  expect(began({})).toBe("2026-11-21T09:45:03.000Z");
});

it("is this computer's time where the board's clock is wrong or says nothing", () => {
  expect(began({ started: "1970-01-01T00:00:10Z" })).toBe("2026-11-21T09:45:01.000Z");
  expect(began({ started: "2031-01-01T00:00:00Z" })).toBe("2026-11-21T09:45:01.000Z");
  expect(began({ started: "noon" })).toBe("2026-11-21T09:45:01.000Z");
});

const AHEAD = "/p/.jetson-memprof/runs/20261130-180000-train-0000";
it("is what the board says where the name is in the future, as when this computer's clock was set back", () => {
  expect(began({ folder: AHEAD })).toBe("2026-11-21T09:45:03.000Z");
  expect(began({ folder: AHEAD, started: "1970-01-01T00:00:10Z" })).toBeUndefined();
});

it("is unknown where it would be in the future", () => {
  expect(began({ folder: AHEAD, started: "2026-11-30T18:00:02Z" })).toBeUndefined();
  expect(began({ folder: "/copies/mine", started: "2099-01-01T00:00:00Z" })).toBeUndefined();
});

it("is what another tool's file says, however long ago", () => {
  const imported = { format: "scalene" as const, file: "p.json", measures: "heap" };
  expect(began({ imported, started: "2024-02-03T00:00:00Z" })).toBe("2024-02-03T00:00:00.000Z");
});
