import { describe, expect, it } from "vitest";
import { choicesSet, torchRequestOf } from "./torchChoice.ts";

const settings = { exactPeaks: true, snapshots: true, snapshotEntries: 2_000 };

describe("what a run records of PyTorch", () => {
  it("is nothing unless it is set or chosen", () => {
    expect(choicesSet({ ...settings, exactPeaks: false, snapshots: false })).toEqual([]);
    expect(torchRequestOf([], settings)).toBeUndefined();
  });
  it("is what the settings say", () => {
    expect(torchRequestOf(choicesSet(settings), settings)).toEqual({ exactPeaks: true, snapshots: { entries: 2_000 } });
  });
  it("is a model account only where that was chosen", () => {
    expect(torchRequestOf(["model"], settings)).toEqual({ exactPeaks: false, model: { steps: 3 } });
  });
});
