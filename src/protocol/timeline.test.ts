import { expect, test } from "vitest";
import { MAX_POINTS, readPageState, readToEditor, readToPage } from "./timeline.ts";

const timeline = { kind: "timeline", title: "train.py", finished: true, samples: [{ t: 0, rss: 1 }] };

test("a timeline passes and keys nobody knows are dropped", () => {
  expect(readToPage({ ...timeline, surprise: 1 })).toEqual(timeline);
});

test.each([
  ["nothing", undefined],
  ["another kind", { kind: "run", command: "rm" }],
  ["a negative size", { ...timeline, samples: [{ t: 0, rss: -1 }] }],
  ["a figure that is no number", { ...timeline, samples: [{ t: 0, rss: Number.NaN }] }],
  ["an endless time", { ...timeline, samples: [{ t: Number.POSITIVE_INFINITY }] }],
  ["null for a figure", { ...timeline, samples: [{ t: 0, rss: null }] }],
  ["too many samples", { ...timeline, samples: Array.from({ length: 2 * MAX_POINTS + 1 }, (_, t) => ({ t })) }],
])("the page refuses %s", (_name, message) => {
  expect(readToPage(message)).toBeUndefined();
});

test.each([
  [{ kind: "goTo", place: { path: "", line: 1 } }],
  [{ kind: "goTo", place: { path: "a.py", line: 0 } }],
  [{ kind: "goTo", place: { path: "a.py", line: 1.5 } }],
  [{ kind: "goTo", place: { path: "x".repeat(5_000), line: 1 } }],
  [{ kind: "execute", command: "workbench.action.terminal.sendSequence" }],
  ["ready"],
])("the editor refuses %j", (message) => {
  expect(readToEditor(message)).toBeUndefined();
});

test("a saved state names its run folder", () => {
  expect(readPageState({ folder: "/p/.jetson-memprof/runs/1", cursor: 5 })).toEqual({
    folder: "/p/.jetson-memprof/runs/1",
    cursor: 5,
  });
  expect(readPageState({ folder: "" })).toBeUndefined();
  expect(readPageState(undefined)).toBeUndefined();
});
