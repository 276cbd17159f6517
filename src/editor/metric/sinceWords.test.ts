import { describe, expect, it } from "vitest";
import { partChoices, readSince, sinceMeaning } from "./sinceWords.ts";

describe("partChoices", () => {
  const labels = (run: Parameters<typeof partChoices>[0]) => partChoices(run).map(({ label, part }) => [label, part]);

  it("offers of a run that goes on what comes from now on, and ends as long as it has been", () => {
    expect(labels({ state: "running", knownMs: 15 * 60_000 })).toEqual([
      ["The whole run", { kind: "whole" }],
      ["From now on", { kind: "now" }],
      ["The last 1 min", { kind: "since", ms: 14 * 60_000 }],
      ["The last 10 min", { kind: "since", ms: 5 * 60_000 }],
      ["Since another time…", { kind: "ask" }],
    ]);
  });

  it("offers of an ended run no more than it has", () => {
    expect(labels({ state: "finished", knownMs: 60_000 }).map(([label]) => label)).toEqual([
      "The whole run",
      "Since another time…",
    ]);
    expect(labels({ state: "finished" })).toHaveLength(2);
  });

  it("says since when", () => {
    expect(partChoices({ state: "finished", knownMs: 65_000 })[1]?.detail).toBe(sinceMeaning(5_000));
    expect(sinceMeaning(65_000)).toBe("What its lines took after 1 min 5 s of the run.");
  });
});

describe("readSince", () => {
  it.each<[string, number]>([
    ["5m", 300_000],
    [" -30s ", 570_000],
    ["-1h", 0],
  ])("%s", (text, ms) => {
    expect(readSince(text, { knownMs: 600_000 })).toBe(ms);
  });

  it("says why a text is none", () => {
    expect(readSince("soon", { knownMs: 1 })).toContain("Write a time of the run");
    expect(readSince("11m", { knownMs: 600_000 })).toBe("The run is known until 10 min, and 11 min is later.");
    expect(readSince("1s", {})).toContain("is later");
  });
});
