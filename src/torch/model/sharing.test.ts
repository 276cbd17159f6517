import { describe, expect, it } from "vitest";
import { sharedLayers } from "./sharing.ts";
import { accountOf, HEADER, module } from "./testing.ts";

const ROOT = { record: "root", root: 0, type: "Net", device: "cpu" };
const EMPTY = { parameters: [], buffers: [] };

function weight(storage: number, bytes: number, shape: readonly number[]) {
  return { parameters: [[`x.weight`, storage, bytes, shape, "float32", true]], buffers: [] };
}

const one = accountOf([
  HEADER,
  ROOT,
  module(0, 0, "", EMPTY, "One"),
  module(1, 0, "stem", weight(1, 400, [10, 10])),
  module(2, 0, "head", weight(2, 8000, [20, 100])),
  module(3, 0, "again", weight(3, 400, [10, 10])),
]);
const two = accountOf([
  HEADER,
  ROOT,
  module(0, 0, "", EMPTY, "Two"),
  module(1, 0, "encoder", weight(1, 400, [10, 10])),
  module(2, 0, "classifier", weight(2, 8000, [20, 100])),
  module(3, 0, "other", weight(3, 400, [100, 1])),
]);

describe("layers of several models that are alike", () => {
  it("are told heaviest first with what one copy instead of several saves", () => {
    const shared = sharedLayers([
      { model: "one.py", account: one },
      { model: "two.py", account: two },
      { model: "three.py", account: two },
    ]);
    expect(shared.map(({ bytes, saving, copies }) => [bytes, saving, copies.map(({ layer }) => layer)])).toEqual([
      [8000, 16_000, ["head", "classifier", "classifier"]],
      [400, 800, ["stem", "encoder", "encoder"]],
      [400, 400, ["other", "other"]],
    ]);
  });

  it("are not looked for within one model", () => {
    expect(sharedLayers([{ model: "one.py", account: one }])).toEqual([]);
  });

  it("differ where the configuration, a shape or a dtype differs", () => {
    const half = accountOf([
      HEADER,
      ROOT,
      module(0, 0, "", EMPTY, "Half"),
      module(1, 0, "a", { parameters: [["a.weight", 1, 200, [10, 10], "float16", true]], buffers: [] }),
      { ...module(2, 0, "b", weight(2, 8000, [20, 100])), config: "other" },
    ]);
    expect(
      sharedLayers([
        { model: "one.py", account: one },
        { model: "half.py", account: half },
      ]),
    ).toEqual([]);
  });
});
