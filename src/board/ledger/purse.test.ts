import { describe, expect, it } from "vitest";
import { partsByName } from "./parts.ts";
import { createPurse, shareOut } from "./purse.ts";

const MIB = 1024 * 1024;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe("a purse", () => {
  it("gives what is claimed until it is empty, and tells what it could not give", () => {
    const told: unknown[] = [];
    const purse = createPurse(100 * MIB, (...short) => told.push(short));
    expect([purse.take("a", 60 * MIB), purse.take("b", 50 * MIB), purse.left, purse.takeRest()]).toEqual([
      60 * MIB,
      40 * MIB,
      0,
      0,
    ]);
    expect(told).toEqual([["b", 50 * MIB, 40 * MIB]]);
  });
  it("does not tell of what counts disagree by when they are not of one instant", () => {
    const purse = createPurse(100 * MIB, () => expect.unreachable());
    expect(purse.take("a", 102 * MIB)).toBe(100 * MIB);
  });
  it.each([Number.NaN, -5, Number.NEGATIVE_INFINITY, 0.9])("takes %d for nothing", (claimed) => {
    const purse = createPurse(10, () => expect.unreachable());
    expect(purse.take("a", claimed)).toBe(0);
    expect(purse.takeRest()).toBe(10);
  });
});

describe("sharing out", () => {
  it("gives all where there is enough", () => {
    expect(shareOut(100, [10, 20, 0])).toEqual([10, 20, 0]);
  });
  it("gives in proportion where there is not, and never more than there is", () => {
    expect(shareOut(50, [80, 20])).toEqual([40, 10]);
    for (const bytes of [0, 1, 7, 99, 2 ** 40 + 1]) {
      const claims = [3, 2 ** 41, 17, 2 ** 40 + 3, 1, 2 ** 52];
      const given = shareOut(bytes, claims);
      expect(sum(given)).toBe(bytes);
      expect(given.every((part, index) => part >= 0 && part <= (claims[index] ?? 0))).toBe(true);
    }
  });
});

describe("parts of a row", () => {
  it("are processes of one name together, the largest first, without empty ones", () => {
    const items = [
      { name: "bash", bytes: 1 },
      { name: "sshd", bytes: 9 },
      { name: "bash", bytes: 2 },
      { name: "idle", bytes: 0 },
    ];
    expect(partsByName(items)).toEqual([
      { label: "sshd", bytes: 9 },
      { label: "bash (2 processes)", bytes: 3 },
    ]);
  });
  it("are so many that they can be shown, and add up to the same", () => {
    const items = Array.from({ length: 90 }, (_, n) => ({ name: `p${n}`, bytes: n + 1 }));
    const parts = partsByName(items);
    expect(parts).toHaveLength(24);
    expect(parts.at(-1)?.label).toBe("67 smaller ones");
    expect(sum(parts.map(({ bytes }) => bytes))).toBe((90 * 91) / 2);
  });
});
