import { describe, expect, it } from "vitest";
import { targetName } from "./origin.ts";

describe("a target's name", () => {
  it.each([
    ["ssh://nano@10.0.0.2", false, undefined, "ssh://nano@10.0.0.2"],
    ["local", false, undefined, "this computer"],
    ["loopback", true, undefined, "simulated board (this computer, over SSH)"],
    ["local", false, "Jetson Nano", "this computer, simulated Jetson Nano"],
    ["ssh://nano@10.0.0.2", false, "Jetson Nano", "ssh://nano@10.0.0.2, simulated Jetson Nano"],
  ])("%s, loopback %s, files of %s: %s", (target, loopback, system, name) => {
    expect(targetName(target, loopback, system)).toBe(name);
  });
});
