import { describe, expect, it } from "vitest";
import {
  MAX_LAYERS,
  readSnapshotPageState,
  readToSnapshotEditor,
  readToSnapshotPage,
  type SnapshotDocument,
} from "./snapshot.ts";

const document: SnapshotDocument = { title: "a.pickle", devices: [], settings: [], notes: [] };

describe("messages of the snapshot page", () => {
  it("are taken where they are whole", () => {
    expect(readToSnapshotPage({ kind: "document", document })).toEqual({ kind: "document", document });
    const query = { about: "memory", device: 0, from: 0, to: 9, layers: MAX_LAYERS, points: 2 };
    expect(readToSnapshotEditor({ kind: "query", request: 1, of: "shown", query })).toEqual({
      kind: "query",
      request: 1,
      of: "shown",
      query,
    });
  });

  it.each([
    ["no message", 7],
    ["an unknown kind", { kind: "run", command: "rm" }],
    [
      "a question about nothing known",
      { kind: "query", request: 1, of: "shown", query: { about: "files", path: "/etc" } },
    ],
    [
      "a moment before the first",
      { kind: "query", request: 1, of: "shown", query: { about: "state", device: 0, moment: -1 } },
    ],
    [
      "more layers than are allowed",
      {
        kind: "query",
        request: 1,
        query: { about: "memory", device: 0, from: 0, to: 1, layers: MAX_LAYERS + 1, points: 2 },
      },
    ],
    ["a place without a line", { kind: "goTo", place: { path: "train.py" } }],
  ])("are refused: %s", (_, message) => {
    expect(readToSnapshotEditor(message)).toBeUndefined();
  });

  it("have addresses that are nothing but addresses", () => {
    const answer = (address: string) => ({
      kind: "answer",
      request: 1,
      answer: { about: "allocation", allocation: { allocation: 1, address, size: 4, stack: { frames: [] } } },
    });
    expect(readToSnapshotPage(answer("0x7f0000000000"))).toBeDefined();
    expect(readToSnapshotPage(answer("<b>0x7f</b>"))).toBeUndefined();
  });

  it("are cut where a name is longer than a page can show", () => {
    const long = { ...document, title: "x".repeat(100_000) };
    const read = readToSnapshotPage({ kind: "document", document: long });
    expect(read?.kind === "document" && read.document.title.length).toBe(65_536);
  });

  it("and a kept state of another version is forgotten", () => {
    expect(readSnapshotPageState({ source: "a.pickle", device: "0" })).toBeUndefined();
  });
});
