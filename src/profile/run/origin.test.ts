import { describe, expect, it } from "vitest";
import { originName, targetName } from "./origin.ts";

describe("a target's name", () => {
  it.each([
    ["ssh://nano@10.0.0.2", false, undefined, "ssh://nano@10.0.0.2"],
    ["local", false, undefined, "this computer"],
    ["loopback", true, undefined, "simulated board (this computer, over SSH)"],
    ["local", false, "Jetson Nano", "this computer, simulated Jetson Nano"],
    ["ssh://nano@10.0.0.2", false, "Jetson Nano", "ssh://nano@10.0.0.2, simulated Jetson Nano"],
  ])("%s, loopback %s, files of %s: %s", (target, loopback, system, name) => {
    expect(targetName(target, loopback, system)).toBe(name);
    expect(originName({ target, simulated: loopback, boardFolder: "/x" }, system)).toBe(name);
  });

  it("has the container before it that a run was in", () => {
    const origin = { target: "ssh://nano@10.0.0.2", simulated: false, boardFolder: "/x", inside: "container:trainer" };
    expect(originName(origin)).toBe("container:trainer on ssh://nano@10.0.0.2");
  });
});
