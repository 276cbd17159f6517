import { existsSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { RunEvent } from "../../../src/protocol/run/run.ts";
import { requirement } from "../../support/requirement.ts";
import { filesBelow } from "../../support/scene.ts";
import { conclude } from "../support/conclude.ts";
import { seeded } from "../support/random.ts";
import { times } from "../support/results.ts";
import type { Verdict } from "../support/truth.ts";
import {
  beginTrial,
  comesTo,
  folderOf,
  followAgain,
  judged,
  judgeFolder,
  makeStage,
  type Stage,
  tryAtOnce,
} from "./support/stage.ts";

describe.skipIf(!requirement("python3", "/usr/bin/python3"))("a run that is followed more than once", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await makeStage();
    (await stage.reach()).connection.close();
  });
  afterAll(() => stage?.close());

  const stateOnBoard = (folder: string): unknown =>
    JSON.parse(readFileSync(join(stage.board, "runs", basename(folder), "run.json"), "utf8")).state;
  const contents = (folder: string): Record<string, string> =>
    Object.fromEntries(filesBelow(folder).map((name) => [name, readFileSync(join(folder, name), "latin1")]));

  it("by two windows at once is whole for both, also where the link of both drops", async () => {
    const verdicts: Verdict[] = [];
    const steps = 10;
    for (let n = 0; n < times(2, 40); n++) {
      const watcher = () => {
        const isFifth = comesTo("step 5");
        return (event: RunEvent, run: Parameters<typeof tryAtOnce>[1]): void => {
          tryAtOnce(event, run);
          if (n % 2 === 1 && isFifth(event)) stage.proxy.cut();
        };
      };
      const first = beginTrial(stage, { steps, pause: 0.15, holdAfter: 4, onEvent: watcher() });
      const started = await first.scene.waitFor((event) => event.kind === "started");
      await first.scene.waitFor((event) => event.kind === "output");
      if (started.kind !== "started") throw new Error("no folder");
      const second = followAgain(stage, started.folder, watcher());
      // Who has not reached the board yet when the link drops is told so, and does not try again.
      await Promise.race([second.run.done, second.scene.waitFor((event) => event.kind === "started")]);
      stage.goOn();
      expect((await second.run.done).kind).toBe("finished");
      const log = readFileSync(join(started.folder, "stdout.log"), "utf8");
      // The second window shows what came since it looked: nothing twice, nothing left out.
      expect(log.endsWith(second.scene.output())).toBe(true);
      await second.scene.remove();
      verdicts.push(await judged(first, steps));
    }
    conclude("link", "Two windows follow one run at once", verdicts);
  });

  it("after it has ended meanwhile, and then once more, is complete and told once", async () => {
    const verdicts: Verdict[] = [];
    const steps = 5;
    for (let n = 0; n < times(2, 40); n++) {
      const first = beginTrial(stage, {
        steps,
        pause: 0.1,
        onEvent(event, run) {
          if (event.kind === "output") run.letGo();
        },
      });
      const released = await first.run.done;
      expect(released.kind).toBe("released");
      const folder = folderOf(released);
      await vi.waitFor(() => expect(stateOnBoard(folder)).toBe("finished"), 20_000);
      const second = followAgain(stage, folder);
      expect((await second.run.done).kind).toBe("finished");
      verdicts.push(await judgeFolder(folder, steps, first.scene.output() + second.scene.output()));
      const before = contents(folder);
      const third = followAgain(stage, folder);
      expect((await third.run.done).kind).toBe("finished");
      expect(third.scene.output()).toBe("");
      expect(contents(folder)).toEqual(before);
      for (const { scene } of [first, second, third]) await scene.remove();
    }
    conclude("link", "Attached to again after the run has ended, twice", verdicts);
  });

  it("is made whole again where the files at home were cut at any byte", async () => {
    const random = seeded(101);
    const verdicts: Verdict[] = [];
    const steps = 4;
    const trial = beginTrial(stage, { steps, pause: 0.05 });
    const folder = folderOf(await trial.run.done);
    const whole = contents(folder);
    // What says where the run lives was there before the run was.
    const names = Object.keys(whole).filter((name) => name !== "origin.json" && !name.startsWith("git"));
    expect(names).toEqual(expect.arrayContaining(["lines.jsonl", "run.json", "samples.jsonl", "stdout.log"]));
    for (let n = 0; n < times(6, 200); n++) {
      for (const name of names) {
        const size = whole[name]?.length ?? 0;
        const how = random.next();
        if (how < 0.2) rmSync(join(folder, name));
        else if (how < 0.9) truncateSync(join(folder, name), random.below(size + 1));
      }
      // A killed program leaves what was coming in.
      const incoming = join(folder, ".incoming-0123456789ab");
      writeFileSync(incoming, "half a fi");
      utimesSync(incoming, 1_000_000, 1_000_000);
      const again = followAgain(stage, folder);
      expect((await again.run.done).kind).toBe("finished");
      await again.scene.remove();
      const differing = Object.entries(contents(folder)).filter(([name, text]) => whole[name] !== text);
      const verdict = await judgeFolder(folder, steps);
      const why = [...verdict.why, ...differing.map(([name]) => `${name} is not as it was`)];
      verdicts.push({ ...verdict, lostProfile: verdict.lostProfile || differing.length > 0, why });
    }
    expect(existsSync(join(folder, "sources/truth.py"))).toBe(true);
    await trial.scene.remove();
    conclude("link", "The copy at home was cut at any byte; attached to again", verdicts);
  });
});
