import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRunFolder } from "../../../src/profile/run/runFolder.ts";
import { requirement } from "../../support/requirement.ts";
import { times } from "../support/results.ts";
import { HELPER_BAR } from "./support/measuredHelper.ts";
import { PATIENCE, recordBytes, underLoad } from "./support/program.ts";
import { type Stage, setStage } from "./support/stage.ts";

const MIB = 2 ** 20;

/** Two line events for each turn of the loop: its head and its body. */
const script = (events: number): string => `kept = []
kept.append(bytearray(b"x" * ${4 * MIB}))
total = 0
for i in range(${events / 2}):
    total += i
print(total)
`;

describe.skipIf(!requirement("python3", "/usr/bin/python3"))("a hot loop", PATIENCE, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage();
  });
  afterAll(() => stage.close());

  it.each([
    ["the accelerator", true, "accelerator", 1e7],
    ["pure Python", false, "pure", times(1e6, 1e7)],
  ] as const)(
    "counted by %s has every event, and costs the board and the host little",
    async (name, accelerator, implementation, events) => {
      const load = `${(events / 1e6).toFixed(0)} million line events, ${name}`;
      const { host, helper, scene } = stage;
      scene.write({ "hot.py": script(events) });
      const { done: run, missed } = await underLoad(load, host, () =>
        host.profile("hot.py", { accelerator, exact: false }),
      );
      expect(run.outcome).toBe("finished");
      const folder = run.folder ?? "";
      const supervised = await helper.supervised(basename(folder));
      recordBytes(
        load,
        "helper on the board beyond its interpreter",
        supervised.highest - supervised.interpreter,
        HELPER_BAR,
      );
      recordBytes(load, "run folder", statSync(join(folder, "lines.jsonl")).size, MIB);
      const { run: info, files } = await readRunFolder(folder);
      expect(info).toMatchObject({ warnings: [], processes: [{ implementation }] });
      const [file] = files;
      const hits = (line: number) => file?.lines.find((row) => row.line === line)?.hits;
      expect([hits(2), hits(4), hits(5), hits(6)]).toEqual([1, events / 2 + 1, events / 2, 1]);
      expect(file?.lines.find(({ line }) => line === 2)?.self).toBeGreaterThanOrEqual(4 * MIB);
      expect(supervised.highest - supervised.interpreter).toBeLessThan(HELPER_BAR);
      expect(missed).toEqual([]);
    },
  );
});
