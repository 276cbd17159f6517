import { writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { requirement } from "../../support/requirement.ts";
import { SSHD, type Sshd, startSshd } from "../../support/sshd.ts";
import { conclude } from "../support/conclude.ts";
import { seeded } from "../support/random.ts";
import { times } from "../support/results.ts";
import { type ShapingProxy, startShapingProxy } from "../support/shapingProxy.ts";
import type { Verdict } from "../support/truth.ts";
import { beginTrial, judged, makeStage, type Stage, type Trial, tryAtOnce } from "./support/stage.ts";

describe.skipIf(!requirement("python3", "/usr/bin/python3") || !requirement("sshd (package openssh-server)", SSHD))(
  "a connection to a real OpenSSH server",
  () => {
    const STEPS = 12;
    let stage: Stage;
    let sshd: Sshd;
    let proxy: ShapingProxy;
    /** The stage with sshd at the other end of the link. */
    let real: Stage;
    beforeAll(async () => {
      stage = await makeStage();
      const key = stage.home.key("user");
      sshd = await startSshd(stage.home, "board", [key]);
      proxy = await startShapingProxy(sshd.port);
      stage.home.configure(
        ["Host *", `IdentityFile ${key}`, "IdentitiesOnly yes", "IdentityAgent none", "ServerAliveInterval 1"].join(
          "\n  ",
        ),
      );
      writeFileSync(stage.home.path("known_hosts"), `[127.0.0.1]:${proxy.port} ${sshd.hostKey}\n`);
      real = { ...stage, proxy, target: `ssh://127.0.0.1:${proxy.port}` };
      await judged(beginTrial(real, { steps: 1, pause: 0 }), 1);
    });
    afterEach(() => proxy.vanish(false));
    afterAll(async () => {
      await proxy?.close();
      await sshd?.stop();
      await stage?.close();
    });

    const random = seeded(121);
    const losses: Readonly<Record<string, () => Trial>> = {
      "dropped while the script is started": () =>
        beginTrial(real, {
          steps: 3,
          pause: 0.05,
          onEvent(event, run) {
            tryAtOnce(event, run);
            if (event.kind === "phase" && event.phase === "start") {
              proxy.cutAfter(random.below(3) === 0 ? "up" : "down", random.below(400));
            }
          },
        }),
      "dropped while the script runs, up to three times": () => {
        let cuts = 3;
        return beginTrial(real, {
          steps: STEPS,
          pause: 0.15,
          onEvent(event, run) {
            tryAtOnce(event, run);
            const again = (event.kind === "phase" && event.phase === "run") || event.kind === "reconnected";
            if (again && cuts-- > 0) proxy.cutAfter("down", random.below(3_000));
          },
        });
      },
      "half-open while the script runs": () => {
        let vanished = false;
        return beginTrial(real, {
          steps: STEPS,
          pause: 0.4,
          holdAfter: 0,
          onEvent(event, run) {
            tryAtOnce(event, run);
            if (event.kind === "output" && !vanished) {
              proxy.vanish(true);
              real.goOn();
            }
            vanished ||= event.kind === "output";
            if (event.kind === "reconnecting") proxy.vanish(false);
          },
        });
      },
    };

    // Half-open links are tried with the other server too; here in the long form only.
    const tried = Object.entries(losses).slice(0, times(2, 3));
    it.each(tried)("%s brings all home", async (name, begin) => {
      const verdicts: Verdict[] = [];
      const steps = name.includes("started") ? 3 : STEPS;
      for (let n = 0; n < times(1, 30); n++) {
        const trial = begin();
        verdicts.push(await judged(trial, steps));
        expect(trial.scene.events.map(({ kind }) => kind)).toContain("reconnected");
      }
      conclude("link", `Real OpenSSH server: ${name}`, verdicts);
    });
  },
);
