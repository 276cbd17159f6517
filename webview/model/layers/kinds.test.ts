import { describe, expect, it } from "vitest";
import { kindText, layerShareText, shareText, sumText, unseenKinds } from "./kinds.ts";

const MIB = 1024 * 1024;

describe("bytes by kind, in words", () => {
  it("say of what was not seen that it was not, never 0", () => {
    expect(kindText(undefined)).toBe("not seen");
    expect(kindText(0)).toBe("0 B");
    expect(unseenKinds({ parameters: MIB, buffers: 0, activations: 0 })).toEqual(["gradients", "optimizer"]);
  });

  it("say of a sum with unseen kinds that it is the least", () => {
    expect(sumText({ parameters: MIB, buffers: 0 }, "at least")).toBe("at least 1.0 MiB");
    expect(sumText({ parameters: 0, buffers: 0 }, "at least")).toBe("not seen");
    expect(sumText({ parameters: MIB, buffers: 0, gradients: MIB, optimizer: 0, activations: 0 }, "≥")).toBe("2.0 MiB");
  });

  it("give shares with one decimal, and none where there is no whole", () => {
    expect(shareText(1, 3)).toBe("33.3 %");
    expect(shareText(1, 1e9)).toBe("< 0.1 %");
    expect(shareText(0, 10)).toBe("0.0 %");
    expect(shareText(0, 0)).toBe("–");
  });

  it("give a layer of which nothing was seen no share", () => {
    expect(layerShareText({ parameters: 0, buffers: 0 }, MIB)).toBe("–");
    expect(layerShareText({ parameters: 0, buffers: 0, gradients: 0, optimizer: 0, activations: 0 }, MIB)).toBe(
      "0.0 %",
    );
    expect(layerShareText({ parameters: MIB, buffers: 0 }, 4 * MIB)).toBe("25.0 %");
  });
});
