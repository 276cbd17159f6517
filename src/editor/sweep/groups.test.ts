import { describe, expect, it } from "vitest";
import type { RunListEntry } from "../../protocol/server.ts";
import { groupIn, sweepsOf } from "./groups.ts";

const group = { kind: "sweep", id: "g1", index: 1, of: 2, values: { batch: "16" } } as const;
const entry = (given: object | undefined): RunListEntry =>
  ({ kind: "run", run: { folder: "/r", group: given } }) as unknown as RunListEntry;

describe("which sweep is meant", () => {
  it.each([
    ["its id", "g1"],
    ["the row of a group", { kind: "group", group, runs: [] }],
    ["the row of a group by its runs", { kind: "group", runs: [{ group }] }],
    ["the row of one of its runs", { kind: "run", run: { group } }],
  ])("is told by %s", (_what, argument) => {
    expect(groupIn(argument)).toBe("g1");
  });

  it.each([[undefined], [""], [{ kind: "run", run: {} }], [{ runs: [] }], [{ group: { id: 7 } }]])(
    "is asked for where there is %j",
    (argument) => {
      expect(groupIn(argument)).toBeUndefined();
    },
  );

  it("each is listed once with its runs; repeats and single runs are none", () => {
    const entries = [
      entry(group),
      entry(undefined),
      entry({ ...group, kind: "repeat" }),
      entry({ ...group, index: 2 }),
    ];
    expect(sweepsOf(entries)).toEqual([{ id: "g1", runs: 2, parameters: ["batch"] }]);
  });
});
