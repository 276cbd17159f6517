import { describe, expect, test } from "vitest";
import { MAX_RECORDS, readMemoryPageState, readMemoryPageToEditor, readToMemoryPage } from "./memory.ts";

describe("messages to the memory page", () => {
  test("a run and a board that is watched are told with what is known of them", () => {
    const run = {
      kind: "start",
      title: "train.py",
      board: "Jetson Nano",
      source: "run",
      massif: { bytes: 5, pages: false },
    };
    expect(readToMemoryPage(run)).toEqual(run);
    const watch = { kind: "start", title: "nano", source: "watch", simulated: "Jetson Nano" };
    expect(readToMemoryPage(watch)).toEqual(watch);
  });

  test("a page can be made to wait, to end and to give up, each in words", () => {
    for (const kind of ["waiting", "unavailable"]) {
      expect(readToMemoryPage({ kind, message: "Why." })).toEqual({ kind, message: "Why." });
      expect(readToMemoryPage({ kind })).toBeUndefined();
    }
    expect(readToMemoryPage({ kind: "ended" })).toEqual({ kind: "ended" });
  });

  test.each([
    [{ kind: "start", title: "x", source: "elsewhere" }],
    [{ kind: "start", title: "x", source: "run", massif: { bytes: -1, pages: true } }],
    [{ kind: "records", lines: Array.from({ length: MAX_RECORDS + 1 }, () => "{}") }],
    [{ kind: "records", lines: ["x".repeat(1_000_001)] }],
    [{ kind: "records", lines: [7] }],
    [undefined],
  ])("what is no such message is none: %#", (message) => {
    expect(readToMemoryPage(message)).toBeUndefined();
  });
});

describe("messages from the memory page", () => {
  test("a place is inside a project and a line is a line", () => {
    const goTo = { kind: "goTo", place: { path: "net/train.py", line: 3 } };
    expect(readMemoryPageToEditor(goTo)).toEqual(goTo);
    expect(readMemoryPageToEditor({ kind: "goTo", place: { path: "", line: 3 } })).toBeUndefined();
    expect(readMemoryPageToEditor({ kind: "goTo", place: { path: "train.py", line: 0 } })).toBeUndefined();
  });

  test("a text for the clipboard has an end", () => {
    expect(readMemoryPageToEditor({ kind: "copy", text: "a" })).toEqual({ kind: "copy", text: "a" });
    expect(readMemoryPageToEditor({ kind: "copy", text: "a".repeat(200_001) })).toBeUndefined();
  });
});

test("the page's state keeps a moment by its time or by what it is", () => {
  for (const moment of [-14, 2_000, "peak", "newest"]) expect(readMemoryPageState({ moment })).toEqual({ moment });
  expect(readMemoryPageState({ moment: "best" })).toBeUndefined();
  expect(readMemoryPageState({ folder: "/p/r1", picture: "icicle" })).toEqual({ folder: "/p/r1", picture: "icicle" });
  expect(readMemoryPageState({ picture: "cake" })).toBeUndefined();
});
