import { describe, expect, it } from "vitest";
import { torchNotes } from "./torchPreflight.ts";

const all = { exactPeaks: true, snapshots: { entries: 100 }, model: { steps: 3 } };
const codes = (torch: string | undefined, request: Parameters<typeof torchNotes>[0] = all) =>
  torchNotes(request, torch).map(({ code }) => code);

describe("what a board's PyTorch cannot record", () => {
  it("is nothing on a new one, but that exact peaks change what the script sees", () => {
    expect(codes("2.1.0")).toEqual(["exact-cuda-peaks"]);
    expect(codes("1.13.1", { ...all, exactPeaks: false })).toEqual([]);
  });
  it("is the allocator's history before 1.13 and saved tensors before 1.10", () => {
    expect(codes("1.10.0")).toEqual(["no-allocator-history", "exact-cuda-peaks"]);
    expect(codes("1.9.1a0+gabc")).toEqual(["no-allocator-history", "exact-cuda-peaks", "activations-by-outputs"]);
  });
  it("says nothing of what was not asked for", () => {
    expect(codes("1.4.0", { exactPeaks: false })).toEqual([]);
  });
  it("is told where there is no PyTorch at all", () => expect(codes(undefined)).toEqual(["torch-missing"]));
  it("is not guessed from a version that cannot be read", () => {
    expect(codes("nightly", { ...all, exactPeaks: false })).toEqual([]);
  });
  it("names the version without its control characters", () => {
    expect(torchNotes(all, "1.2\u001b[31m")[0]?.message).not.toContain("\u001b");
  });
});
