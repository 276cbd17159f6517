import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requirement } from "../../support/requirement.ts";
import { conclude } from "../support/conclude.ts";
import { seeded } from "../support/random.ts";
import { times } from "../support/results.ts";
import type { Verdict } from "../support/truth.ts";
import { beginTrial, comesTo, judged, makeStage, type Stage, tryAtOnce } from "./support/stage.ts";

describe.skipIf(!requirement("python3", "/usr/bin/python3"))("a connection that drops", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await makeStage();
    // Every trial finds the helper in place.
    (await stage.reach()).connection.close();
  });
  afterAll(() => stage?.close());

  const runsOnBoard = (): number => readdirSync(join(stage.board, "runs")).length;

  it("while the script is started: it is started once, and followed", async () => {
    const random = seeded(71);
    const trial = { steps: 3, pause: 0.02 };
    // What a start takes over this link: a cut lies somewhere in it, or in the first frames behind it.
    let before = { up: 0, down: 0 };
    let took = { up: 0, down: 0 };
    const clean = beginTrial(stage, {
      ...trial,
      onEvent(event) {
        const passed = stage.proxy.passed();
        if (event.kind === "phase" && event.phase === "start") before = passed;
        if (event.kind === "started") took = { up: passed.up - before.up, down: passed.down - before.down };
      },
    });
    const verdicts = [await judged(clean, trial.steps)];
    expect(took.up).toBeGreaterThan(500);

    const cuts = times(5, 200);
    for (let n = 0; n < cuts; n++) {
      // Of three cuts one lies in the request, two in the answer, of which nobody can tell what became of it.
      const way = n % 3 === 0 ? "up" : "down";
      const at = n === 0 ? 0 : n === 1 ? took.down - 60 : random.below(took[way] + 40);
      const runs = runsOnBoard();
      const events: string[] = [];
      const cut = beginTrial(stage, {
        ...trial,
        onEvent(event, run) {
          tryAtOnce(event, run);
          if (event.kind === "phase" && event.phase === "start") stage.proxy.cutAfter(way, at);
          if (event.kind === "reconnecting" || event.kind === "reconnected") events.push(event.kind);
        },
      });
      verdicts.push(await judged(cut, trial.steps));
      expect(runsOnBoard() - runs).toBe(1);
      expect(events.slice(0, 2), `${way} ${at} of ${took[way]}`).toEqual(["reconnecting", "reconnected"]);
    }
    conclude("link", "Connection dropped while the script is started", verdicts);
  });

  it("while the script runs, at any byte, again and again", async () => {
    const random = seeded(72);
    const verdicts: Verdict[] = [];
    const steps = 12;
    for (let n = 0; n < times(3, 100); n++) {
      let cuts = 4;
      let reconnected = 0;
      const cutSoon = (bytes: number): void => {
        if (cuts-- > 0) stage.proxy.cutAfter("down", random.below(bytes));
      };
      const trial = beginTrial(stage, {
        steps,
        pause: 0.1,
        onEvent(event, run) {
          tryAtOnce(event, run);
          if (event.kind === "phase" && event.phase === "run") cutSoon(6_000);
          // Every second time the next cut may lie within the new login.
          if (event.kind === "reconnecting" && cuts % 2 === 1) cutSoon(5_000);
          if (event.kind === "reconnected") {
            reconnected++;
            cutSoon(2_000);
          }
        },
      });
      verdicts.push(await judged(trial, steps));
      expect(reconnected).toBeGreaterThan(0);
    }
    conclude("link", "Connection dropped while the script runs, up to four times in a run", verdicts);
  });

  it("while it is taken up again, after each message of the board's until it is heard: it is tried once more", async () => {
    const verdicts: Verdict[] = [];
    const steps = 4;
    const stride = times(3, 1);
    let heard = false;
    for (let messages = 1; !heard; messages += stride) {
      let losses = 0;
      const isHeld = comesTo("step 1\n");
      const trial = beginTrial(stage, {
        steps,
        pause: 0.02,
        holdAfter: 1,
        onEvent(event, run) {
          if (isHeld(event)) stage.proxy.cut();
          if (event.kind === "reconnecting" && losses++ === 0) stage.proxy.cutAfter("down", messages, "pieces");
          tryAtOnce(event, run);
          if (event.kind !== "reconnected") return;
          heard = losses === 1;
          stage.proxy.forgetCuts();
          stage.goOn();
        },
      });
      verdicts.push(await judged(trial, steps));
      expect(losses, `after ${messages} messages`).toBe(heard ? 1 : 2);
    }
    // Each answer of a login, and of what is started then, is a message of its own.
    expect(verdicts.length).toBeGreaterThan(8 / stride);
    conclude("link", "Connection dropped while a run is taken up again, after each message", verdicts);
  });

  it("while the last bytes come home, up to the end of the connection", async () => {
    const random = seeded(73);
    const verdicts: Verdict[] = [];
    const steps = 3;
    for (let n = 0; n < times(4, 150); n++) {
      const at = n < 2 ? n * 40 : random.below(9_000);
      const isLast = comesTo(`step ${steps - 1}`);
      const trial = beginTrial(stage, {
        steps,
        pause: 0.02,
        onEvent(event, run) {
          tryAtOnce(event, run);
          if (isLast(event)) stage.proxy.cutAfter("down", at);
        },
      });
      verdicts.push(await judged(trial, steps));
    }
    conclude("link", "Connection dropped while the last bytes come home", verdicts);
  });
});
