import { describe, expect, test } from "vitest";
import { createNodeTable } from "./nodeTable.ts";

describe("node table", () => {
  test("gives each frame below each node one node, in the order in which they are first asked for", () => {
    const table = createNodeTable(9, 1);
    const known = new Map<string, number>();
    let random = 1;
    const next = (below: number): number => {
      random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
      return (random >>> 8) % below;
    };
    for (let asked = 0; asked < 5_000; asked++) {
      // Chains, and nodes with hundreds of children.
      const parent = next(4) === 0 ? next(3) % table.size() : next(table.size());
      const frame = next(400);
      const key = `${parent} ${frame}`;
      const expected = known.get(key) ?? table.size();
      known.set(key, expected);
      expect(table.child(parent, frame)).toBe(expected);
    }
    const { frame, parent } = table.shape();
    expect(frame).toHaveLength(known.size + 1);
    expect([frame[0], parent[0]]).toEqual([9, 0]);
    for (const [key, node] of known) expect(`${parent[node]} ${frame[node]}`).toBe(key);
  });
});
