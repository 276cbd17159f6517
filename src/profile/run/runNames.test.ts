import { describe, expect, it } from "vitest";
import { nameTime, newestFirst, newestName, timeInName } from "./runNames.ts";

const NOW = new Date("2026-11-27T09:45:01.5Z");
const NEVER_SET = new Date("1970-01-01T00:03:00Z");

describe("names of runs", () => {
  it("begin with a time", () => {
    expect(nameTime(NOW)).toBe("20261127-094501");
    expect(timeInName("20261127-094501-train-1f4abc")).toBe(Date.UTC(2026, 10, 27, 9, 45, 1));
    expect(timeInName("baseline")).toBeNaN();
  });

  it("put the last run first, also one that is a little ahead of a clock that was set back", () => {
    const names = ["20261126-100000-a-0", "20261127-150000-b-0", "20261127-094500-a-0"];
    expect(names.sort(newestFirst(NOW))).toEqual(["20261127-150000-b-0", "20261127-094500-a-0", "20261126-100000-a-0"]);
  });

  it("put last what has no time, or one that cannot be: nothing would ever come before it", () => {
    const names = ["21000101-000000-x-0", "20261127-094500-a-0", "baseline"];
    expect(names.sort(newestFirst(NOW))[0]).toBe("20261127-094500-a-0");
    expect(newestName(names, NOW)).toBe("20261127-094500-a-0");
    expect(newestName(["21000101-000000-x-0", "baseline"], NOW)).toBeUndefined();
  });

  it("are believed more than a clock that was never set", () => {
    const names = ["19700101-000100-a-0", "20261127-094500-a-0"];
    expect(names.sort(newestFirst(NEVER_SET))[0]).toBe("20261127-094500-a-0");
    expect(newestName(names, NEVER_SET)).toBe("20261127-094500-a-0");
  });
});
