import * as fs from "node:fs";
import { expect, it } from "vitest";
import { keepInMemory } from "./keepInMemory.mjs";

const locked = (pid) => Number(/^VmLck:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

it.runIf(process.platform === "linux" && process.getuid?.() === 0)(
  "keeps what a Python maps, until it is ended",
  async () => {
    const keeper = keepInMemory([{ path: "/usr/bin/python3" }]);
    await keeper.ready;
    expect(locked(keeper.pid)).toBeGreaterThan(1024);
    keeper.end();
    await expect.poll(() => fs.existsSync(`/proc/${keeper.pid}`)).toBe(false);
  },
);

it("does without where there is no such Python", async () => {
  await keepInMemory([{ path: "/nowhere/python3" }]).ready;
});
