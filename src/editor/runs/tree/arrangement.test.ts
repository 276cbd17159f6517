import { describe, expect, it } from "vitest";
import type { RunListEntry, RunSummary } from "../../../runs/model.ts";
import { summary } from "../../../runs/testing.ts";
import { historyLimits } from "../history/historySettings.ts";
import { AS_EVER, arrangementOf, arrangeRows, filterWords } from "./arrangement.ts";
import { filterChoices } from "./filterChoices.ts";

const entry = (id: string, changes: Partial<RunSummary> = {}): RunListEntry => ({
  kind: "run",
  run: summary({ folder: `/p/.jetson-memprof/runs/${id}`, ...changes }),
});
const tagged = (...tags: string[]): Pick<RunSummary, "label"> => ({ label: { tags, pinned: false } });

describe("the arrangement of the view", () => {
  it("is read back as it was kept, and is the usual one where what was kept makes no sense", () => {
    const kept = { order: "peak", filter: { tag: "fp16", outcome: "failed" } };
    expect(arrangementOf(JSON.parse(JSON.stringify(kept)))).toEqual(kept);
    for (const odd of [undefined, "peak", { order: "sideways", filter: {} }, { order: "name", filter: { tag: 3 } }]) {
      expect(arrangementOf(odd)).toEqual(AS_EVER);
    }
  });

  it("says what is filtered and how it is sorted, and nothing where it is as ever", () => {
    const entries = [entry("1", tagged("fp16")), entry("2")];
    expect(arrangeRows(entries, AS_EVER)).toMatchObject({ message: undefined, isFiltered: false });
    expect(arrangeRows(entries, { order: "oldest", filter: { tag: "fp16" } })).toMatchObject({
      rows: [{ kind: "run", run: { id: "1" } }],
      message: "1 of 2 runs: tag #fp16. Sorted oldest first.",
      isFiltered: true,
    });
  });

  it("has its words as plain text, whatever was typed", () => {
    expect(filterWords({ text: "a\u202eb [x](command:y)" })).toBe("with “a b [x] (command:y)”");
  });
});

describe("what runs can be filtered by", () => {
  it("is what some have and not all, the most frequent first", () => {
    const entries = [
      entry("1", { ...tagged("a", "b"), target: "nano" }),
      entry("2", { ...tagged("b"), target: "nano", script: "eval.py" }),
      entry("3", { target: "nano", state: "running" }),
    ];
    const choices = filterChoices(entries).map(({ group, label, count }) => `${group} ${label} ${count}`);
    expect(choices).toEqual([
      "Tag #b 2",
      "Tag #a 1",
      "Script train.py 2",
      "Script eval.py 1",
      "Outcome running 1",
      "Outcome finished 2",
    ]);
  });
});

describe("the limits of a history", () => {
  it("are those of the settings, in bytes and milliseconds", () => {
    const settings: Record<string, unknown> = {
      "history.maxRuns": 5,
      "history.maxSizeMiB": 1,
      "history.deletedDays": 2,
    };
    expect(historyLimits((name) => settings[name])).toEqual({ maxRuns: 5, maxBytes: 2 ** 20, deletedFor: 172_800_000 });
    expect(historyLimits(() => undefined)).toEqual({ maxRuns: 200, maxBytes: 2 ** 31, deletedFor: 7 * 86_400_000 });
  });

  it("are an error where a setting makes no sense, so that nothing is deleted by a guess", () => {
    for (const odd of [-1, "5", Number.NaN, {}]) {
      expect(() => historyLimits(() => odd)).toThrow(/No run is pruned/);
    }
  });
});
