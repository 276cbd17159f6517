import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UserError } from "../../../src/profile/userError.ts";
import type { RunHandle, RunOutcome } from "../../../src/protocol/run/run.ts";
import { profileRun } from "../../../src/remote/run/profileRun.ts";
import { requirement } from "../../support/requirement.ts";
import { filesBelow, makeScene, type Scene } from "../../support/scene.ts";
import { projectRoot } from "../../workbench/support/workbench.ts";

/** No machine of the tests has CUDA. */
const STAND_IN = join(projectRoot, "python-helper", "tests", "standin");
const ASKED = `import os, time
import torch, torch.cuda.memory
from torch.standin import alloc, start
start()
kept = alloc(3 << 20)
while not torch.cuda.memory.recorded:
    time.sleep(0.002)
print("ready", flush=True)
while not os.path.exists(os.environ["GO"]):
    time.sleep(0.002)
`;

describe.skipIf(!requirement("python3", "/usr/bin/python3"))(
  "a run with allocator snapshots (stand-in for torch)",
  () => {
    let scene: Scene;
    let handle: RunHandle | undefined;
    beforeEach(() => {
      scene = makeScene();
      scene.write({ "asked.py": ASKED, "plain.py": 'print("ready", flush=True)\ninput()\n' });
    });
    afterEach(async () => {
      handle?.cancel();
      await handle?.done;
      await scene.remove();
    });

    const ready = () => scene.waitFor((event) => event.kind === "output" && event.data.includes("ready".charCodeAt(0)));

    function folderOf(outcome: RunOutcome): string {
      if (outcome.kind !== "finished") throw new Error(JSON.stringify(outcome));
      return outcome.folder;
    }

    it.each(["loopback", "local"])(
      "brings home what was asked for while it ran, and the last one (%s)",
      async (target) => {
        const go = join(scene.project, "..", "go");
        const request = scene.request(target, "asked.py", {
          torch: { exactPeaks: false, snapshots: { entries: 5_000 } },
          environment: { PYTHONPATH: STAND_IN, GO: go },
        });
        handle = profileRun(request, scene.deps());
        await expect(handle.snapshot()).rejects.toMatchObject({ code: "not-connected" });
        await ready();
        expect(await handle.snapshot()).toBe(1);
        const { folder } = (await scene.waitFor((event) => event.kind === "started")) as { readonly folder: string };
        await expect
          .poll(() => filesBelow(folder).filter((name) => name.endsWith(".pickle")).length, { timeout: 20_000 })
          .toBe(1);
        writeFileSync(go, "");
        const home = folderOf(await handle.done);
        const records = readFileSync(join(home, "allocator.jsonl"), "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line));
        expect(records.map(({ record, why }) => why ?? record)).toEqual(["header", "request", "end"]);
        for (const { file, size, entries } of records.slice(1)) {
          expect(readFileSync(join(home, file))).toHaveLength(size);
          expect(entries).toBe(5_000);
        }
        await expect(handle.snapshot()).rejects.toBeInstanceOf(UserError);
      },
    );

    it("that was started without them says so when it is asked for one", async () => {
      handle = profileRun(scene.request("local", "plain.py"), scene.deps());
      await ready();
      await expect(handle.snapshot()).rejects.toMatchObject({ code: "no-snapshots" });
      handle.closeInput();
      const outcome = await handle.done;
      expect(outcome.kind).toBe("finished");
      if (outcome.folder !== undefined) expect(existsSync(join(outcome.folder, "allocator.jsonl"))).toBe(false);
    });

    it("of another engine than line is refused by the board in words", async () => {
      const torch = { exactPeaks: true };
      handle = profileRun(scene.request("local", "plain.py", { engine: "memory_profiler", torch }), scene.deps());
      const outcome = await handle.done;
      const codes = ["needs-line-engine", "no-memory-profiler"];
      expect(outcome.kind === "failed" ? codes.includes(outcome.error.code) : outcome).toBe(true);
    });
  },
);
