import { afterEach, describe, expect, it, vi } from "vitest";
import { atOnce, inTurns, type Steps } from "./inTurns.ts";

/** Later than any real one; it goes on from test to test. */
let clock = 1e9;

/** Each look at the clock finds it a millisecond later. */
function slowClock(): void {
  vi.spyOn(performance, "now").mockImplementation(() => ++clock);
}

/** How often others had their turn meanwhile. */
async function turnsOfOthers(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const again = (): void => {
    turns++;
    waiting = setImmediate(again);
  };
  let waiting = setImmediate(again);
  await work();
  clearImmediate(waiting);
  return turns;
}

describe("work in turns", () => {
  afterEach(() => void vi.restoreAllMocks());

  it("gives what it makes of each item, in order", async () => {
    const items = Array.from({ length: 1_000 }, (_, i) => i);
    expect(await inTurns(items, (item) => 2 * item)).toEqual(items.map((item) => 2 * item));
    expect(await inTurns([], String)).toEqual([]);
  });

  it("lets others have their turn within a long work", async () => {
    slowClock();
    const items = Array.from({ length: 10_000 }, (_, i) => i);
    expect(await turnsOfOthers(() => inTurns(items, String))).toBeGreaterThan(5);
  });

  it("lets others have their turn between many short works, as of many small files", async () => {
    slowClock();
    const work = async (): Promise<void> => {
      for (let file = 0; file < 1_000; file++) await inTurns([1, 2, 3], String);
    };
    expect(await turnsOfOthers(work)).toBeGreaterThan(5);
  });

  it("can be done at once", () => {
    function* steps(): Steps<string> {
      yield;
      yield;
      return "done";
    }
    expect(atOnce(steps())).toBe("done");
  });
});
