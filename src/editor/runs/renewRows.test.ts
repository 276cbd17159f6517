import { expect, it } from "vitest";
import type { RunListEntry, RunSummary } from "../../protocol/server.ts";
import { renewRows } from "./renewRows.ts";

const run = (folder: string, state: RunSummary["state"], rssPeak = 1): RunListEntry =>
  ({ kind: "run", run: { folder, state, rssPeak } }) as RunListEntry;
const unreadable = (folder: string): RunListEntry => ({ kind: "unreadable", folder, reason: "empty" });

it("keeps the rows and renews what they say", () => {
  const known = [run("/a", "running"), run("/b", "finished"), unreadable("/c")];
  const [first] = known;
  expect(renewRows(known, [run("/a", "running", 2), run("/b", "finished"), unreadable("/c")])).toEqual([
    run("/a", "running", 2),
  ]);
  expect(known[0]).toBe(first);
  expect(known[0]).toEqual(run("/a", "running", 2));
});

it("renews a run that goes on though it says the same, as its lines may have changed", () => {
  expect(
    renewRows([run("/a", "running"), run("/b", "finished")], [run("/a", "running"), run("/b", "finished")]),
  ).toEqual([run("/a", "running")]);
});

it.each([
  ["came", [run("/new", "running"), run("/a", "running"), run("/b", "finished")]],
  ["went", [run("/a", "running")]],
  ["changed places", [run("/b", "finished"), run("/a", "running")]],
  ["cannot be read any more", [run("/a", "running"), unreadable("/b")]],
])("renews nothing where one %s", (_what, fresh) => {
  const known = [run("/a", "running"), run("/b", "finished")];
  expect(renewRows(known, fresh)).toBeUndefined();
  expect(known).toEqual([run("/a", "running"), run("/b", "finished")]);
});
