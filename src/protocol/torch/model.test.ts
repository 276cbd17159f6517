import { describe, expect, it } from "vitest";
import { readModelPageState, readModelPageToEditor, readToModelPage } from "./model.ts";

describe("what the page of a model account says", () => {
  it("is taken where it is one of its messages", () => {
    for (const message of [
      { kind: "ready" },
      { kind: "goTo", place: { path: "train.py", line: 33 } },
      { kind: "copy", text: "optimizer.step()" },
      { kind: "check", trial: { kind: "checkpoint", every: 2 } },
      { kind: "check", trial: { kind: "nano-batch", chunks: 4 } },
      { kind: "check", trial: { kind: "amp" } },
    ])
      expect(readModelPageToEditor(message)).toEqual(message);
  });

  it("is passed over where it is anything else", () => {
    for (const message of [
      undefined,
      { kind: "check", trial: { kind: "checkpoint", every: 0 } },
      { kind: "check", trial: { kind: "checkpoint", every: 1.5 } },
      { kind: "check", trial: { kind: "rm -rf" } },
      { kind: "goTo", place: { path: "train.py", line: 0 } },
      { kind: "copy", text: "x".repeat(20_001) },
    ])
      expect(readModelPageToEditor(message)).toBeUndefined();
  });

  it("is kept as a state of the views, sliders and typed memory that there are", () => {
    const state = { folder: "/p/.jetson-memprof/runs/r1", view: "icicle", model: 1, layer: 7, free: 1e9 } as const;
    expect(readModelPageState({ ...state, choices: { checkpoint: 4 } })).toEqual({
      ...state,
      choices: { checkpoint: 4 },
    });
    for (const wrong of [{ folder: "" }, { view: "pie" }, { layer: -1 }, { choices: { magic: 1 } }, { free: -1 }])
      expect(readModelPageState({ ...state, ...wrong })).toBeUndefined();
  });
});

describe("what the editor says", () => {
  it("is passed over where it has no account", () => {
    expect(readToModelPage({ kind: "unavailable", message: "gone" })).toEqual({ kind: "unavailable", message: "gone" });
    expect(readToModelPage({ kind: "model", document: { title: "x" } })).toBeUndefined();
  });
});
