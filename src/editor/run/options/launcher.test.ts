import { expect, it } from "vitest";
import { launcherOf } from "./launcher.ts";

const launcher = ["torchrun", "--nproc-per-node", "2"];

it("starts scripts, where it is set", () => {
  expect(launcherOf({ launcher }, "line", "train.py")).toEqual(launcher);
  expect(launcherOf({ launcher: [] }, "massif", "train.py")).toBeUndefined();
});

it("starts no notebook, and nothing under another engine", () => {
  expect(launcherOf({ launcher }, "line", "train.ipynb")).toBeUndefined();
  expect(() => launcherOf({ launcher }, "massif", "train.py")).toThrow(
    expect.objectContaining({
      code: "launcher-unfit",
      message: "Massif measures a script that Python starts, and here torchrun does.",
    }),
  );
});
