import { describe, expect, it } from "vitest";
import { identifyBoard } from "./identify.ts";

const GIB = 1024 ** 3;

describe("a board is known by its device tree and its release", () => {
  it("a Nano with JetPack 4", () => {
    expect(
      identifyBoard({
        model: "NVIDIA Jetson Nano Developer Kit\0",
        compatible: "nvidia,p3449-0000-b00+p3448-0000-b00\0nvidia,jetson-nano\0nvidia,tegra210\0",
        l4t: "32.7.1",
        cuda: "10.2.300",
        memTotal: 4059240 * 1024,
      }),
    ).toEqual({
      family: "Nano",
      variant: "4 GB",
      soc: "tegra210",
      jetpack: "4.6.1",
      l4t: "32.7.1",
      cuda: "10.2.300",
      computeCapability: "5.3",
      title: "NVIDIA Jetson Nano Developer Kit, JetPack 4.6.1 (L4T 32.7.1)",
      tegra: true,
    });
  });

  it("an Orin Nano, whose module stands behind its carrier board", () => {
    const compatible = "nvidia,p3768-0000+p3767-0005\0nvidia,p3767-0005\0nvidia,tegra234\0";
    expect(identifyBoard({ model: "NVIDIA Jetson Orin Nano Developer Kit", compatible, l4t: "36.4.3" })).toMatchObject({
      family: "Orin Nano",
      variant: "8 GB",
      computeCapability: "8.7",
      jetpack: "6.2",
      cuda: "12.6",
    });
  });

  it.each([
    ["Orin NX", 15.3 * GIB, "16 GB"],
    ["Orin NX", 7.4 * GIB, "8 GB"],
    ["AGX Orin", 61.3 * GIB, "64 GB"],
    ["AGX Orin", 29.9 * GIB, "32 GB"],
    ["Orin Nano", 7.4 * GIB, "8 GB"],
    ["Orin Nano", 3.3 * GIB, "4 GB"],
    ["Nano", 1.9 * GIB, "2 GB"],
    ["AGX Xavier", 15.3 * GIB, "16 GB"],
  ])("RAM tells the size of an %s with %d bytes, where no module is named", (family, memTotal, variant) => {
    const model = `NVIDIA Jetson ${family} Developer Kit`;
    expect(identifyBoard({ model, memTotal })).toMatchObject({ family, variant });
  });

  it("the system on chip alone is enough for what its GPU can do", () => {
    expect(identifyBoard({ compatible: "nvidia,tegra194" })).toEqual({
      soc: "tegra194",
      computeCapability: "7.2",
      title: "NVIDIA Jetson board",
      tegra: true,
    });
  });

  it.each([
    ["28.2.1", "3.3", "9.0"],
    ["32.3.1", "4.3", "10.0"],
    ["32.5", "4.5", "10.2"],
    ["32.5.2", "4.5.1", "10.2"],
    ["32.7.6", "4.6.6", "10.2"],
    ["34.1.1", "5.0.1 Developer Preview", "11.4"],
    ["35.4.1", "5.1.2", "11.4"],
    ["36.4", "6.1", "12.6"],
    ["36.4.7", "6.2.1", "12.6"],
    ["38.2.0", "7.0", "13.0"],
    ["35.6.4", "5.1.6", "11.4"],
    ["36.4.2", "6.1", "12.6"],
    ["39.1", "7.2", undefined],
    ["39.2.0", "7.2", "13.2"],
    ["39.2.1", "7.2.1", "13.2"],
  ])("L4T %s is JetPack %s", (l4t, jetpack, cuda) => {
    const kind = identifyBoard({ l4t });
    expect([kind.jetpack, kind.cuda]).toEqual([jetpack, cuda]);
  });

  it("a release that is not known is said to be unknown", () => {
    const kind = identifyBoard({ model: "NVIDIA Jetson AGX Orin", l4t: "37.1" });
    expect(kind.jetpack).toBeUndefined();
    expect(kind.cuda).toBeUndefined();
    expect(kind.title).toBe("NVIDIA Jetson AGX Orin, JetPack unknown for L4T 37.1");
  });

  it("an installed CUDA counts, not the one that the release brings", () => {
    expect(identifyBoard({ l4t: "36.4.3", cuda: "12.9.1" }).cuda).toBe("12.9.1");
  });

  it("others are no Jetson", () => {
    expect(identifyBoard({})).toEqual({ title: "Linux computer", tegra: false });
    expect(identifyBoard({ model: "Raspberry Pi 4 Model B Rev 1.4\0", compatible: "brcm,bcm2711" })).toEqual({
      title: "Raspberry Pi 4 Model B Rev 1.4",
      tegra: false,
    });
    expect(identifyBoard({ model: "Nano Pi R5S", memTotal: 4 * GIB }).family).toBeUndefined();
  });

  it("what a board says cannot do anything to a terminal", () => {
    expect(identifyBoard({ model: "Jetson\u001b[2J\u202e" }).title).toBe("Jetson?[2J?");
  });
});
