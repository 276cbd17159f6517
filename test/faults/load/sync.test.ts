import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ProfileRequest } from "../../../src/protocol/run/run.ts";
import { inFull } from "../../support/inFull.ts";
import { requirement } from "../../support/requirement.ts";
import { filesBelow } from "../../support/scene.ts";
import { PATIENCE, underLoad } from "./support/program.ts";
import { type Stage, setStage } from "./support/stage.ts";

const FILES = inFull ? 10_000 : 2_000;
const LOAD = `${FILES.toLocaleString("en")} files to sync`;

describe.skipIf(!requirement("python3", "/usr/bin/python3"))(LOAD, PATIENCE, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage();
    const { project } = stage.scene;
    for (let folder = 0; folder < FILES / 100; folder++) {
      mkdirSync(join(project, `data/part_${folder}`), { recursive: true });
      for (let file = 0; file < 100; file++) {
        writeFileSync(join(project, `data/part_${folder}/sample_${file}.txt`), `${folder} ${file}\n`.repeat(20));
      }
    }
    stage.scene.write({ "little.py": "print(1)\n" });
  }, PATIENCE.timeout);
  afterAll(() => stage.close(), PATIENCE.timeout);

  /** @param prepare what each round finds; where it is to be synced to, if not to the same board */
  const sync = async (name: string, prepare: (round: number) => Partial<ProfileRequest>): Promise<void> => {
    const { host } = stage;
    const load = `${LOAD}, ${name}`;
    const { done: run, missed } = await underLoad(load, host, (round) => host.profile("little.py", prepare(round)));
    expect(run.outcome).toBe("finished");
    expect(missed).toEqual([]);
  };
  const onBoard = (): number =>
    filesBelow(join(stage.scene.board, "projects")).filter((file) => file.endsWith(".txt")).length;

  it("that are all new come to the board", async () => {
    await sync("all new", (round) => (round === 0 ? {} : { boardFolder: `${stage.scene.board}-${round}` }));
    expect(onBoard()).toBe(FILES);
  });

  it("that are unchanged cost a walk and one exchange", () => sync("unchanged", () => ({})));

  it("that were only touched are compared and not sent", () =>
    sync("touched", () => {
      const now = new Date();
      for (const file of filesBelow(join(stage.scene.project, "data"))) {
        utimesSync(join(stage.scene.project, "data", file), now, now);
      }
      return {};
    }));
});
