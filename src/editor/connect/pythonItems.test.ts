import { expect, it } from "vitest";
import { pythonItems } from "./pythonItems.ts";

const SYSTEM = { path: "/usr/bin/python3", version: "3.6.9", used: true };
const VENV = {
  path: "/home/nano/venv/bin/python",
  version: "3.8.10",
  torch: "1.13.0",
  torch_cuda: "10.2",
  used: false,
};
const CPU = { path: "/opt/cpu/bin/python", version: "3.9.1", torch: "2.1.0", torch_cuda: null, used: false };

it("tells Pythons apart by version, place and what each has", () => {
  expect(pythonItems([SYSTEM, VENV, CPU])).toEqual([
    { label: "Python 3.6.9", description: SYSTEM.path, detail: "no PyTorch · in use now", path: SYSTEM.path },
    { label: "Python 3.8.10", description: VENV.path, detail: "PyTorch 1.13.0 (CUDA 10.2)", path: VENV.path },
    { label: "Python 3.9.1", description: CPU.path, detail: "PyTorch 2.1.0 (without CUDA)", path: CPU.path },
  ]);
});

it("offers those first that have what the script did not find", () => {
  expect(pythonItems([SYSTEM, VENV], "torch").map(({ path }) => path)).toEqual([VENV.path, SYSTEM.path]);
  expect(pythonItems([SYSTEM, VENV], "yaml").map(({ path }) => path)).toEqual([SYSTEM.path, VENV.path]);
});

it("shows what a board says as text, not as an icon", () => {
  const [item] = pythonItems([{ path: "/tmp/$(error)\u202e", version: "3.9", used: false }]);
  expect(item?.description).not.toContain("$(error)");
  expect(item?.description).not.toContain("\u202e");
  expect(item?.path).toBe("/tmp/$(error)\u202e");
});
