import { expect, it } from "vitest";
import { type RunEnding, readEndingPageState, readEndingPageToEditor, readToEndingPage } from "./ending.ts";

const ENDING: RunEnding = {
  title: "train.py",
  board: "Jetson Nano",
  report: {
    kind: "killed",
    headline: "Killed.",
    meaning: "By somebody.",
    sureness: "inferred",
    stack: [],
    stackSource: "none",
    kernelLog: [],
    last: [{ t: -1 }],
  },
  advice: [],
};
const withReport = (change: object): unknown => ({
  kind: "ending",
  ending: { ...ENDING, report: { ...ENDING.report, ...change } },
});

it("an ending is read as it is, and a run that ended well has none", () => {
  expect(readToEndingPage({ kind: "ending", ending: ENDING })).toEqual({ kind: "ending", ending: ENDING });
  const well = { ...ENDING, report: null };
  expect(readToEndingPage({ kind: "ending", ending: well })).toEqual({ kind: "ending", ending: well });
});

it.each([
  ["a size below zero", { last: [{ t: 0, memAvailable: -1 }] }],
  ["a size that is no number", { allocator: { form: "from-2.1", tried: Number.NaN } }],
  ["a line before the first", { place: { path: "train.py", line: 0 } }],
  ["a sureness that says nothing", { sureness: "unknown" }],
])("a report with %s is refused", (_, change) => {
  expect(readToEndingPage(withReport(change))).toBeUndefined();
});

it("a page names places in the lists it was sent, never what is done there", () => {
  expect(readEndingPageToEditor({ kind: "step", advice: 0, step: 1, command: "rm -rf /" })).toEqual({
    kind: "step",
    advice: 0,
    step: 1,
  });
  expect(readEndingPageToEditor({ kind: "step", advice: 0.5, step: 1 })).toBeUndefined();
  expect(readEndingPageToEditor({ kind: "openSource", url: "file:///etc/passwd" })).toBeUndefined();
  expect(readEndingPageState({ folder: "" })).toBeUndefined();
});
