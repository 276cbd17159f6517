import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requirement } from "../../support/requirement.ts";
import { record, times } from "../support/results.ts";
import { beginTrial, comesTo, folderOf, makeStage, type Stage, tryAtOnce } from "./support/stage.ts";

/** Prints what comes in until its end. */
const READER = `import sys

print("up", flush=True)
for line in sys.stdin:
    print("got", line.strip(), flush=True)
print("end", flush=True)
`;

describe.skipIf(!requirement("python3", "/usr/bin/python3"))("input for a script over a link that drops", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await makeStage();
    (await stage.reach()).connection.close();
  });
  afterAll(() => stage?.close());

  it("ends for the script, and what may be lost of it is told", async () => {
    const trials = times(3, 60);
    let hung = 0;
    let twice = 0;
    for (let n = 0; n < trials; n++) {
      // Cut off: what is given while nothing comes; with it; or just behind it.
      const order = n % 3;
      const isUp = comesTo("up");
      const trial = beginTrial(stage, {
        steps: 0,
        pause: 0,
        onEvent(event, run) {
          tryAtOnce(event, run);
          if (!isUp(event)) return;
          void run.input(Buffer.from("first\n"));
          if (order === 0) stage.proxy.cut();
          void run.input(Buffer.from("second\n"));
          run.closeInput();
          if (order === 1) stage.proxy.cut();
          if (order === 2) setImmediate(() => stage.proxy.cut());
        },
        script: READER,
      });
      const folder = folderOf(await trial.run.done);
      const lines = trial.scene.output().split("\n");
      const got = lines.filter((line) => line.startsWith("got"));
      if (!lines.includes("end")) hung++;
      if (new Set(got).size < got.length) twice++;
      expect(["got first", "got second"].join()).toContain(got.join());
      if (got.length < 2) expect(trial.scene.warnings(), folder).toContain("input-lost");
      await trial.scene.remove();
    }
    record({
      kind: "fault",
      group: "link",
      fault: "Connection dropped while input is given to the script",
      trials,
      lostProfiles: hung,
      duplicatedOutput: twice,
      wrongLine: undefined,
    });
    expect([hung, twice]).toEqual([0, 0]);
  });
});
